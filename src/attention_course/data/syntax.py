"""Forty sentences of ours, and which word belongs to which in them."""

from typing import NamedTuple

# What a relation is called, and the mark by which it is written below: a word and its partner.
RELATIONS = {
    "determiner to noun": "d",
    "possessive to noun": "p",
    "subject to verb": "s",
    "object to verb": "o",
    "auxiliary to verb": "x",
    "noun to preposition": "r",
}


class Parsed(NamedTuple):
    """A sentence, and for each relation in it the word that looks and its partner."""

    text: str
    partners: dict[str, tuple[str, str]]


_WRITTEN = """
The old farmer has never sold his two brown horses to a stranger. |\
 d The farmer, s farmer sold, x has sold, p his horses, o horses sold, r stranger to
My sister will read this very long letter before dinner. |\
 p My sister, s sister read, x will read, d this letter, o letter read, r dinner before
Their new teacher was once again quietly writing a short poem on paper. |\
 p Their teacher, s teacher writing, x was writing, d a poem, o poem writing, r paper on
A young girl in the garden has lost her small silver ring. |\
 d A girl, s girl lost, x has lost, p her ring, o ring lost, r garden in
Every student at this school must learn its many old rules. |\
 d Every student, s student learn, x must learn, p its rules, o rules learn, r school at
The two brothers had slowly built their own house near a river. |\
 d The brothers, s brothers built, x had built, p their house, o house built, r river near
Our doctor can see some patients without an appointment. |\
 p Our doctor, s doctor see, x can see, d some patients, o patients see, r appointment without
That tall man with the dog is often painting his wooden boat. |\
 d That man, s man painting, x is painting, p his boat, o boat painting, r dog with
An engineer from another town will repair your broken window. |\
 d An engineer, s engineer repair, x will repair, p your window, o window repair, r town from
Those hungry children have eaten my sweet cakes after school. |\
 d Those children, s children eaten, x have eaten, p my cakes, o cakes eaten, r school after
Her father once bought an extremely expensive car from a friend. |\
 p Her father, s father bought, d an car, o car bought, r friend from
The brave young captain of this small team had at last found his lost ball. |\
 d The captain, s captain found, x had found, p his ball, o ball found, r team of
In cold winters these people usually burn their old furniture. |\
 r winters In, d these people, s people burn, p their furniture, o furniture burn
Nobody in my family could ever understand that strange language. |\
 p my family, r family in, s Nobody understand, x could understand, d that language,\
 o language understand
A black cat was very slowly crossing the wide and empty street at night. |\
 d A cat, s cat crossing, x was crossing, o street crossing, r night at
Its heavy roof did not protect the machine from rain. |\
 p Its roof, s roof protect, x did protect, d the machine, o machine protect, r rain from
During the long war many soldiers carried their own food. |\
 r war During, d the war, s soldiers carried, p their food, o food carried
This museum has recently shown her best paintings to large crowds. |\
 d This museum, s museum shown, x has shown, p her paintings, o paintings shown, r crowds to
The new judge with gray hair would believe your story. |\
 d The judge, s judge believe, x would believe, p your story, o story believe, r hair with
Your cousin should once more clean that dirty old kitchen with hot water. |\
 p Your cousin, s cousin clean, x should clean, d that kitchen, o kitchen clean, r water with
A storm from the north may one day destroy our little harbor. |\
 d A storm, s storm destroy, x may destroy, p our harbor, o harbor destroy, r north from
Without her reading glasses the writer could barely see any numbers. |\
 r glasses Without, p her glasses, d the writer, s writer see, x could see, o numbers see
Some workers on the bridge are still waiting for their lunch. |\
 d Some workers, s workers waiting, x are waiting, p their lunch, r bridge on
His older brother has loved the quiet music of this composer. |\
 p His brother, s brother loved, x has loved, d the music, o music loved, r composer of
That baker on our street will sell eight hundred cakes by noon. |\
 d That baker, s baker sell, x will sell, p our street, o cakes sell, r noon by
The queen herself never opened his secret letter in public. |\
 d The queen, s queen opened, p his letter, o letter opened, r public in
My neighbors were all watching an old film about birds. |\
 p My neighbors, s neighbors watching, x were watching, d an film, o film watching,\
 r birds about
These machines in your factory can easily lift a very heavy stone. |\
 d These machines, r factory in, p your factory, s machines lift, x can lift, o stone lift
The bird on that high branch was feeding its hungry babies. |\
 d The bird, s bird feeding, x was feeding, p its babies, o babies feeding, r branch on
Our government had secretly paid both foreign companies for silence. |\
 p Our government, s government paid, x had paid, d both companies, o companies paid,\
 r silence for
An actor in this play must wear his own shoes. |\
 d An actor, s actor wear, x must wear, p his shoes, o shoes wear, r play in
No tourists have ever visited her tiny island by boat. |\
 d No tourists, s tourists visited, x have visited, p her island, o island visited, r boat by
The clever lawyer of another client was not very carefully hiding their secret plan. |\
 d The lawyer, s lawyer hiding, x was hiding, p their plan, o plan hiding, r client of
Each passenger with a ticket may bring his own bag. |\
 d Each passenger, s passenger bring, x may bring, p his bag, o bag bring, r ticket with
Her parents did finally accept the young man as a friend. |\
 p Her parents, s parents accept, x did accept, d the man, o man accept, r friend as
That noise from the engine will most certainly wake your baby. |\
 d That noise, s noise wake, x will wake, p your baby, o baby wake, r engine from
Their army has surrounded this old city since spring. |\
 p Their army, s army surrounded, x has surrounded, d this city, o city surrounded,\
 r spring since
A friend of my mother is now selling fresh bread at church. |\
 d A friend, s friend selling, x is selling, p my mother, o bread selling, r church at
The wide river under that bridge has again flooded our fields. |\
 d The river, s river flooded, x has flooded, p our fields, o fields flooded, r bridge under
His words about the accident did not convince any journalist. |\
 p His words, s words convince, x did convince, d any journalist, o journalist convince,\
 r accident about
"""


def _parsed(line: str) -> Parsed:
    text, written = line.split(" | ")
    names = {mark: name for name, mark in RELATIONS.items()}
    marked = (each.split() for each in written.split(","))
    return Parsed(text, {names[mark]: (word, partner) for mark, word, partner in marked})


PARSED = tuple(_parsed(line) for line in _WRITTEN.strip().splitlines())
