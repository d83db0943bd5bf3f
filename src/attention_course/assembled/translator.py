"""A translator from English to French whose parts are the course's or the reader's."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import zip_longest
from pathlib import Path
from textwrap import shorten
from types import MappingProxyType
from typing import Any, NamedTuple
from warnings import warn

import numpy as np

from attention_course._shapes import Float
from attention_course.assembled.guard import LOOPS, Guard, PartError, Seen, frozen, place_named
from attention_course.assembled.one_file import PREFIX, namespace, whole_file
from attention_course.assembled.parts import END, LONGEST, START, Weights
from attention_course.assembled.slots import LINES, TorchHeads, line_of
from attention_course.data.tensors import load_checkpoint, tensor_bytes, unpack_translator
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import read_sentence, translations, vocabulary

CLOSE = 1e-9
MODEL = "transformer-1-4"


class Departure(NamedTuple):
    """A result that is another than the course's.

    Attributes:
        slot: of the part.
        block: such as "decoder block 1"; nothing outside one.
        at: the step, such as "while reading" or "at word 3".
        gap: the largest difference of a number; of the loops, whose results are words, 1.
        called: the part whose inputs depart, where this one made them; else nothing.
        words: of a loop, what it returns, in words, and the course's.
    """

    slot: str
    block: str
    at: str
    gap: float
    called: str = ""
    words: tuple[str, str] | None = None

    def __str__(self) -> str:
        how = f", by up to {self.gap:.2g}" if np.isfinite(self.gap) else ""
        if self.words:
            how = ", which returns {}, where the course's returns {}".format(*self.words)
        hands = f", which gives {self.called} other inputs" if self.called else ""
        return f"{self.slot} {place_named(self.block, self.at)}{hands}{how}"


class Comparison(NamedTuple):
    """What a translator of some of the reader's parts does otherwise than the course's.

    Attributes:
        mine: the words that it writes.
        course: those of the course's parts.
        first: the result that departs first, or None.
        word: the first word that differs: its number from 1, the reader's and the course's.
        error: why nothing was written, or nothing.
        unused: the reader's parts that were not called, though the course's would be, and for
            each those of the reader's in whose place the course's would have called it.
        note: what else a reader should know: that this is no sentence of the small world, that
            the course's line is wrong, or that a line was cut off.
    """

    mine: str
    course: str
    first: Departure | None
    word: tuple[int, str, str] | None
    error: str
    unused: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    note: str = ""

    def __repr__(self) -> str:
        lines = [f"yours:       {self.mine or '(nothing)'}", f"the course's: {self.course}"]
        if self.error:
            lines.append(f"error:       {self.error}")
        lines.append(f"departs first: {self.first or 'nothing'}")
        if self.word:
            at, mine, course = self.word
            lines.append(f"word {at} differs: {mine!r} where the course's is {course!r}")
        for slot, callers in self.unused.items():
            lines.append(f"not called:  {slot}{why_unused(callers)}")
        if self.note:
            lines.append(f"note:        {self.note}")
        return "\n".join(lines)


def listed(names: Sequence[str]) -> str:
    """Return names as a sentence has them."""
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def why_unused(callers: Sequence[str]) -> str:
    """Return the end of a sentence: which parts of the reader's leave another uncalled."""
    if not callers:
        return ""
    how = "hold their own or do" if len(callers) > 1 else "holds its own or does"
    return f": your {listed(callers)} {how} without"


class AssembledTranslator:
    """A translator with trained weights; :func:`assemble` makes it.

    Attributes:
        slots: what it is made of.
        notes: what went wrong where the course's part went on.
        names: all parts, by the names under which the kept file has them.
    """

    def __init__(self, model: str, on_error: str, parts: dict[str, Callable[..., Any]]):
        self.model, self.parts, self._line = model, parts, line_of(model)
        self.slots = LINES[self._line].slots
        self._english, self._french = (Vocabulary(vocabulary(x)) for x in ("english", "french"))
        self._guard = Guard(self.slots, parts, on_error, len(self._french))
        self.names = namespace(self._line)
        self._p = _weights(model)
        self._guard.install(self.names, PREFIX)
        self.notes = self._guard.notes

    def __repr__(self) -> str:
        course = ", ".join(name for name in self.slots if name not in self.parts)
        mine = ", ".join(name for name in self.slots if name in self.parts)
        return f"{self.model}\nyour parts: {mine or 'none'}\nthe course's: {course or 'none'}"

    def translate(self, sentence: str, width: int = 1) -> str:
        """Translate an English sentence of the small world, a word at a time.

        It warns of words that are no sentence of the small world.

        Args:
            sentence: as somebody types it.
            width: how many beginnings are kept: with more than 1, by the part ``beam``.

        Raises:
            ValueError: if a word is unknown, or the width not at least 1.
            PartError: if a part of the reader's cannot be used.
        """
        if width < 1:
            raise ValueError(f"translate: width must be at least 1, got {width}")
        wrote = self._written(sentence, width)
        if note := _no_sentence(sentence):
            warn(f"translate: {note}", stacklevel=2)
        return wrote

    def _written(self, sentence: str, width: int) -> str:
        self._guard.caches.clear()
        with self._guard.place("while writing", ()):
            numbers = self._run("translated", self._numbers(sentence), width)
        return " ".join(self._french.decode(numbers))

    def logits(
        self, sentence: str, translation: str, cached: bool = False
    ) -> Float[np.ndarray, "n words"]:
        """Return the logits of each word of a given translation and of the end mark.

        Args:
            sentence: in English.
            translation: words of the French vocabulary, a space between.
            cached: one word after the other, with the part ``cache``; else all at once. A
                recurrent model has no cache, and always takes one after the other.

        Raises:
            ValueError: if a word is unknown.
            PartError: if a part of the reader's cannot be used.
        """
        source = self._numbers(sentence)
        target = [START, *self._french.encode(translation.split())]
        if not cached and PREFIX + "follow" in self.names:
            return self._run("follow", source, target)
        self._guard.caches.clear()
        next_logits = self._run("writer", source)
        rows = []
        for n in range(1, len(target) + 1):
            with self._guard.place(f"at word {n}", tuple(target[:n])):
                rows.append(next_logits(target[:n]))
        return np.stack(rows)

    def compare(self, sentence: str, width: int = 1) -> Comparison:
        """Translate with these parts and with the course's alone, and say what departs first.

        Args:
            sentence: in English.
            width: as :meth:`translate` takes it.
        """
        course = AssembledTranslator(self.model, "stop", {})
        error = mine = ""
        with course._watched() as theirs:
            right = course._written(sentence, width)
        with self._watched() as seen:
            try:
                mine = self._written(sentence, width)
            except PartError as failed:
                error = str(failed)
        pairs = enumerate(zip_longest(mine.split(), right.split(), fillvalue=""), start=1)
        word = next(((i, a, b) for i, (a, b) in pairs if a != b), None)
        first = self._departure(seen, theirs, course)
        unused = {} if error else _unused(seen, theirs, self.parts)
        note = " ".join(_noted(sentence, mine, right))
        return Comparison(mine, right, first, None if error else word, error, unused, note)

    def source(self) -> str:
        """Return the parts as one file, which needs NumPy and the weights beside it.

        Raises:
            ValueError: if a part of the reader's cannot be read, or needs more than NumPy.
        """
        name = file_of(self.model)
        return whole_file(self._line, self.parts, f"{name}.npz", f"{name}.py")

    def keep(self, folder: Path | str) -> Path:
        """Write the file of :meth:`source` and its weights into a folder; return its path."""
        path = Path(folder) / f"{file_of(self.model)}.py"
        text = self.source()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        more = {"english": self._english.symbols, "french": self._french.symbols}
        settings = LINES[self._line].models[self.model]
        arrays: dict[str, Any] = {**_arrays(self.model), **more, **settings}
        np.savez_compressed(path.with_suffix(".npz"), **arrays)
        return path

    def _departure(
        self, mine: Sequence[Seen], course: Sequence[Seen], right: "AssembledTranslator"
    ) -> Departure | None:
        """Return the first result that differs, of those that both have, or who caused it.

        Where its inputs differ too, and the course's part makes the same of them, the fault is
        in the part that made the inputs: the one that called it.
        """
        pairs = _pairs(mine, course)
        for i, (one, theirs) in pairs.items():
            gap = _gap(one.found, theirs.found)
            if gap <= CLOSE:
                continue
            found, slot = Departure(*_place(one), gap), one.path[-1]
            if slot in LOOPS:
                return found._replace(words=self._in_words(one.found, theirs.found))
            while (gap := _gap_of_inputs(one, theirs)) > CLOSE and right.agrees(one):
                # A call ends after those that it makes.
                outer = one.path[:-1]
                i = next((j for j in pairs if j > i and pairs[j][0].path == outer), len(mine))
                if i == len(mine) or outer[-1] in LOOPS:
                    break
                called = one.path[-1]
                one, theirs = pairs[i]
                found = Departure(*_place(one), gap, called)
            return found
        return None

    def _in_words(self, mine: list[int], course: list[int]) -> tuple[str, str]:
        """Return what two loops return, from a little before the first difference on."""
        pairs = enumerate(zip_longest(mine, course))
        begin = max(0, next(i for i, (a, b) in pairs if a != b) - 2)

        def shown(numbers: list[int]) -> str:
            words = ["(end)" if n == END else self._french.symbols[n] for n in numbers[begin:]]
            text = " ".join(["…"] * (begin > 0) + words)
            return f"“{shorten(text, 40, placeholder=' …')}” ({len(numbers)} long)"

        return shown(mine), shown(course)

    def agrees(self, one: Seen) -> bool:
        """Return whether a part's result is what its slot makes here of the same inputs."""
        slot = one.path[-1]
        if slot == "cache":  # what it kept before has not departed
            return True
        if any(map(callable, one.given)):
            return False
        try:
            found = self.names[PREFIX + self.slots[slot].name](*one.given, **one.named)
        except Exception:
            return True
        return _gap(one.found, found) <= CLOSE

    def _run(self, name: str, *args: Any) -> Any:
        return self.names[PREFIX + name](self._p, *args)

    def _numbers(self, sentence: str) -> list[int]:
        tokens = read_sentence(sentence, "english")
        return self._english.encode(min(token or ()) for token in tokens)

    @contextmanager
    def _watched(self) -> Iterator[list[Seen]]:
        seen: list[Seen] = []
        self._guard.seen = seen
        try:
            yield seen
        finally:
            self._guard.seen = None


@cache
def _no_sentence(sentence: str) -> str:
    """Say that a text is no sentence of the small world, or nothing."""
    words = [min(token or ()) for token in read_sentence(sentence, "english")]
    inside = [i for i, word in enumerate(words[:-1]) if word in (".", "?")]
    if inside:
        so = " ".join(words[: inside[0] + 1])
        return f"One sentence at a time: leave out what follows “{so}”."
    if not _right(sentence):
        return "The small world's grammar has no such sentence, so the words are a guess."
    return ""


@cache
def _right(sentence: str) -> list[tuple[str, ...]]:
    return translations(sentence, "english", strict=False)


def _noted(sentence: str, mine: str, course: str) -> Iterator[str]:
    """Say what a comparison of two lines does not show."""
    note = _no_sentence(sentence)
    if note:
        yield note
    elif (*course.split(),) not in _right(sentence):
        right = " ".join(_right(sentence)[0])
        yield f"The course's own line is wrong here: “{right}” is right."
    for whose, line in {"Your": mine, "The course's": course}.items():
        if len(line.split()) >= LONGEST:
            yield f"{whose} line was cut off after {LONGEST} words."


def _pairs(mine: Sequence[Seen], course: Sequence[Seen]) -> dict[int, tuple[Seen, Seen]]:
    """Return each of the reader's calls, by its place in the order, with the course's."""

    def numbered(all_seen: Sequence[Seen]) -> Iterator[tuple[Any, Seen]]:
        times: dict[Any, int] = {}
        for one in all_seen:
            at = one[:4]
            times[at] = times.get(at, 0) + 1
            yield (*at, times[at]), one

    theirs = dict(numbered(course))
    return {
        i: (one, theirs[key]) for i, (key, one) in enumerate(numbered(mine)) if key in theirs
    }


def _unused(
    mine: Sequence[Seen], course: Sequence[Seen], parts: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Return the parts that only the course's translator calls, and what stands before each."""
    paths = {one.path for one in mine}
    ran = {path[-1] for path in paths}
    found: dict[str, dict[str, None]] = {}
    for *before, slot in (one.path for one in course):
        if slot in parts and slot not in ran:
            near = [name for i, name in enumerate(before, 1) if (*before[:i],) in paths][-1:]
            found.setdefault(slot, {}).update(dict.fromkeys(set(near) & {*parts}))
    return {slot: (*found[slot],) for slot in parts if slot in found}


def _place(one: Seen) -> tuple[str, str, str]:
    return one.path[-1], one.block, one.at


def _gap(a: Any, b: Any) -> float:
    """Return the largest difference; of words whether there is one."""
    if isinstance(a, tuple):
        return max((_gap(*pair) for pair in zip(a, b, strict=False)), default=0.0)
    if isinstance(a, list):
        return float(a != b)
    a, b = np.asarray(a, float), np.asarray(b, float)
    # Another shape here has another cause: a loop that asks for other beginnings.
    return float(np.abs(a - b).max(initial=0)) if a.shape == b.shape else 0.0


def _gap_of_inputs(one: Seen, other: Seen) -> float:
    """Return the largest difference of the numbers that went in; infinity if shapes differ."""
    a, b = (
        [
            np.asarray(x, float)
            for x in (*seen.given, *seen.named.values())
            if isinstance(x, np.ndarray | int | float)
        ]
        for seen in (one, other)
    )
    if [x.shape for x in a] != [x.shape for x in b]:
        return np.inf
    return _gap((*a,), (*b,))


@cache
def _arrays(model: str) -> dict[str, np.ndarray]:
    return unpack_translator(tensor_bytes(load_checkpoint(f"small_world/english-{model}")[0]))[
        0
    ]


@cache
def _weights(model: str) -> Weights:
    """Return the weights as the parts take them, which no part may write into."""
    line = line_of(model)
    weights_from = namespace(line)[PREFIX + "weights_from"]
    return frozen(weights_from(_arrays(model), **LINES[line].models[model]))


def file_of(model: str) -> str:
    """Return what the kept file of a model is called, without its ending."""
    return "translator" if model == MODEL else model


def assemble(
    *, model: str = MODEL, on_error: str = "stop", **parts: Callable[..., Any]
) -> AssembledTranslator:
    """Return a translator of your own parts, and of the course's where you give none.

    Args:
        model: whose weights it has, and so which slots: ``transformer-`` and its numbers of
            blocks and heads, ``bahdanau``, or ``luong-`` and its score (``luong``: general).
        on_error: what happens if a part of yours cannot be used: "stop" raises, "course" goes
            on with the course's part, and ``notes`` says so.
        **parts: your functions, by the names of their slots: :data:`LINES` says of each kind
            of model how each is called and what it returns.

    Raises:
        ValueError: if there is no such slot or model, or a part cannot be called.

    >>> assemble().translate("The girl sees the red dress.")
    'la fille voit la robe rouge .'
    >>> assemble(model="bahdanau").translate("The girl sees the red dress.")
    'la fille voit la robe rouge .'
    """
    slots = LINES[line_of(model)].slots
    for name, part in parts.items():
        if name not in slots:
            raise ValueError(f"assemble: parts must be among {', '.join(slots)}, got {name}")
        if not callable(part):
            raise ValueError(  # noqa: TRY004 - as everywhere in the course
                f"assemble: {name} must be a function, called with {slots[name].call}, "
                f"got {type(part).__name__}"
            )
    if on_error not in ("stop", "course"):
        raise ValueError(f'assemble: on_error must be "stop" or "course", got {on_error!r}')
    if isinstance(parts.get("multi_head"), type):
        parts["multi_head"] = TorchHeads(parts["multi_head"])
    return AssembledTranslator(model, on_error, parts)
