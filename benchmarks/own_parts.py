"""What each answer in each slot of a trained translator does to its translations.

    python benchmarks/own_parts.py transformer   # named mistakes, 200 sentences: 10 CPU minutes
    python benchmarks/own_parts.py recurrent     # in Bahdanau's and Luong's: 1 CPU minute
    python benchmarks/own_parts.py right         # right answers, 1,000 sentences: 4 CPU minutes
    python benchmarks/own_parts.py right --quick # a few sentences, nothing stored

A translator of the small world is assembled with one part of the bank and the other parts of
the course: a named mistake of the slot's exercise, or a right answer to it. Its translation is
compared with that of the course's parts alone, word for word. It goes on where it was.
"""

import json
import random
import time
import warnings
from functools import cache

from shared import ROOT, command_line, store, work

from attention_course.assembled import LINES, PartError, assemble
from attention_course.assembled.answers import mistakes_of, part_from
from attention_course.assembled.guard import LOOPS
from attention_course.assembled.slots import line_of
from attention_course.data.vocabulary import END, Vocabulary
from attention_course.data.world import vocabulary, write
from attention_course.exercises import exercise_named

MODEL, SENTENCES, LONGEST, SEED = "transformer-1-4", 200, 14, 7
RECURRENT = ["bahdanau", *LINES["Luong"].shown.values()]
RIGHT = 1000
FRENCH = Vocabulary(vocabulary("french"))


def with_exercise(model: str) -> dict[str, str]:
    """Return the exercise of each slot that has one."""
    slots = LINES[line_of(model)].slots
    return {slot: place.exercise for slot, place in slots.items() if place.exercise}


@cache
def right(sentence: str, model: str = MODEL, width: int = 1) -> str:
    """Return the translation of the course's parts."""
    return assemble(model=model).translate(sentence, width)


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


def cost(slot: str, name: str, count: int = SENTENCES, model: str = MODEL) -> dict:
    """Translate with one mistake in a slot; say how many translations are the same as ever.

    The loop that writes ends with the first other word, for what follows changes no count.

    Returns:
        ``same``, of ``count``; ``error``, what stopped the first one that was stopped; and the
        first ``other`` translation, beside its sentence.
    """

    def until_it_differs(next_logits, start, end, longest):
        written: list[int] = []
        for word in [*FRENCH.encode(right(sentence, model).split()), end]:
            written.append(int(next_logits([start, *written]).argmax()))
            if written[-1] != word:
                break
        return written

    found: dict = {"same": 0, "error": "", "other": []}
    wrong = {slot: part_from(slot, mistakes_of(slot)[name])}
    translator = assemble(model=model, greedy=until_it_differs, **wrong)
    for sentence in sentences(count):
        try:
            if translator.translate(sentence) == right(sentence, model):
                found["same"] += 1
            elif not found["other"]:
                other = assemble(model=model, **wrong).translate(sentence)
                found["other"] = [sentence, other]
        except PartError as error:
            found["error"] = str(error)
            break
    return found


def asked(slot: str, model: str) -> list[str]:
    """Return the named mistakes of a slot, without those of a score that the model lacks."""
    score = LINES[line_of(model)].models[model].get("score")
    others = {"dot", "general", "concat", "location"} - {score}
    names = mistakes_of(slot)
    return [
        x for x in names if slot != "luong_scores" or x.split("'")[0].split()[0] not in others
    ]


def costs(slot: str, model: str, count: int) -> dict:
    """Return the cost of each named mistake of a slot."""
    return {name: cost(slot, name, count, model) for name in asked(slot, model)}


def runs_of(models: list[str], count: int) -> list[tuple[str, str, int]]:
    """Return slot, model and sentences of each run: scores for each model, the rest once.

    Loops have right answers alone: what a wrong one writes says nothing of the weights.
    """
    first = {line_of(model): model for model in reversed(models)}
    return [
        (slot, model, count)
        for model in models
        for slot in with_exercise(model)
        if slot == "luong_scores" or first[line_of(model)] == model
        if count == RIGHT or slot not in LOOPS
    ]


def right_answers(slot: str, model: str) -> dict[str, str]:
    """Return the right answers to a slot's exercise, the solution among them, as texts."""
    exercise = exercise_named(with_exercise(model)[slot])
    odd = {answer.name: exercise.source_of(answer) for answer in exercise.right}
    return {"the solution": exercise.solution} | odd


def of(name: str, count: int, slot: str = "") -> int:
    """Return how many sentences a right answer gets."""
    return count // 10 if name.startswith("loops over") or slot in LOOPS else count


def kept(slot: str, model: str, count: int) -> dict:
    """Return how many translations are the same with each right answer in a slot.

    The words of the translation are given, and each must be the likeliest after those before:
    then the greedy loop writes them. Loops over single numbers get a tenth of the sentences,
    and so do answers that are loops themselves: these write, a beam with three beams.
    """
    found: dict[str, int] = {}
    width = 3 if slot == "beam" else 1
    for name, text in right_answers(slot, model).items():
        translator = assemble(model=model, **{slot: part_from(slot, text)})
        found[name] = 0
        for sentence in sentences(count)[: of(name, count, slot)]:
            if slot in LOOPS:
                wrote = translator.translate(sentence, width)
                found[name] += wrote == right(sentence, model, width)
                continue
            french = right(sentence, model)
            logits = translator.logits(sentence, french, cached=slot == "cache")
            likeliest = logits.argmax(axis=1).tolist()
            found[name] += likeliest == [*FRENCH.encode(french.split()), END]
    return found


def main() -> None:
    """Read the command line, run what is not there yet, record when all is."""
    parser = command_line(__doc__, ("transformer", "recurrent", "right"))
    parser.add_argument("--minutes", type=float, default=20, help="CPU minutes of this call")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    models = {"transformer": [MODEL], "recurrent": RECURRENT}.get(
        given.task, [*RECURRENT, MODEL]
    )
    run, count = (kept, RIGHT) if given.task == "right" else (costs, SENTENCES)
    if given.quick:
        print(run("softmax", models[0], 2))
        return
    folder = ROOT / "build/own_parts" / given.task
    runs = runs_of(models, count)
    started = time.perf_counter()
    words = sum(len(right(one, models[0]).split()) + 1 for one in sentences(SENTENCES))
    taken = 1000 * (time.perf_counter() - started) / words
    if not work(folder, given.minutes, runs, run):
        return
    found: dict = {model: {} for model in models}
    for slot, model, _ in runs:
        found[model][slot] = json.loads((folder / f"{slot} {model} {count}.json").read_text())
    name = "own_parts" if given.task == "transformer" else f"own_parts_{given.task}"
    only = found[MODEL] if given.task == "transformer" else found
    about = {"model": MODEL} if given.task == "transformer" else {"models": models}
    about |= {"sentences": count, "milliseconds_a_word": round(taken, 2)}
    store(__file__, only, given.task, name, **about)


if __name__ == "__main__":
    main()
