"""What each named mistake costs in each slot of a trained translator, in 200 sentences.

    python benchmarks/own_parts.py             # goes on where it was: ten CPU minutes in all
    python benchmarks/own_parts.py --quick     # a few sentences, nothing stored

The translator of the small world is assembled with one wrong part, of the named mistakes of the
slot's exercise, and the other parts of the course. Its translation is compared with that of the
course's parts alone, word for word.
"""

import json
import random
import time
import warnings
from functools import cache

from shared import ROOT, command_line, store, work

from attention_course.assembled import SLOTS, PartError, assemble
from attention_course.assembled.answers import mistakes_of, part_from
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import vocabulary, write

MODEL, SENTENCES, LONGEST, SEED = "transformer-1-4", 200, 14, 7
WITH_EXERCISE = [slot for slot, place in SLOTS.items() if place.exercise]


COURSE, FRENCH = assemble(), Vocabulary(vocabulary("french"))


@cache
def right(sentence: str) -> str:
    """Return the translation of the course's parts."""
    return COURSE.translate(sentence)


@cache
def sentences(count: int, seed: int = SEED) -> list[str]:
    """Draw different English sentences of the small world, of at most 14 words."""
    rng = random.Random(seed)
    found: dict[str, None] = {}
    while len(found) < count:
        words = write(rng).sentence("english")
        if len(words) <= LONGEST:
            found[" ".join(words)] = None
    return list(found)


def cost(slot: str, name: str, count: int = SENTENCES) -> dict:
    """Translate with one mistake in a slot; say how many translations are the same as ever.

    The loop that writes ends with the first other word, for what follows changes no count.

    Returns:
        ``same``, of ``count``; ``error``, what stopped the first one that was stopped; and the
        first ``other`` translation, beside its sentence.
    """

    def until_it_differs(next_logits, start, end, longest):
        written: list[int] = []
        for word in [*FRENCH.encode(right(sentence).split()), end]:
            written.append(int(next_logits([start, *written]).argmax()))
            if written[-1] != word:
                break
        return written

    found: dict = {"same": 0, "error": "", "other": []}
    wrong = {slot: part_from(slot, mistakes_of(slot)[name])}
    translator = assemble(greedy=until_it_differs, **wrong)
    for sentence in sentences(count):
        try:
            if translator.translate(sentence) == right(sentence):
                found["same"] += 1
            elif not found["other"]:
                found["other"] = [sentence, assemble(**wrong).translate(sentence)]
        except PartError as error:
            found["error"] = str(error)
            break
    return found


def costs(slot: str, of: str, count: int) -> dict:
    """Return the cost of each named mistake of a slot."""
    return {name: cost(slot, name, count) for name in mistakes_of(slot)}


def main() -> None:
    """Read the command line, run what is not there yet, record when all is."""
    parser = command_line(__doc__)
    parser.add_argument("--minutes", type=float, default=20, help="CPU minutes of this call")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    if given.quick:
        print(costs("positions", "of", 2))
        return
    folder = ROOT / "build/own_parts"
    runs = [(slot, "of", SENTENCES) for slot in WITH_EXERCISE]
    started = time.perf_counter()
    words = sum(len(right(sentence).split()) + 1 for sentence in sentences(SENTENCES))
    taken = 1000 * (time.perf_counter() - started) / words
    if not work(folder, given.minutes, runs, costs):
        return
    found = {
        slot: json.loads((folder / f"{slot} of {SENTENCES}.json").read_text())
        for slot in WITH_EXERCISE
    }
    store(
        __file__, found, model=MODEL, sentences=SENTENCES, milliseconds_a_word=round(taken, 2)
    )


if __name__ == "__main__":
    main()
