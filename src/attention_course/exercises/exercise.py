"""What an exercise is, and the same exercise under another convention."""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Literal, TypeVar

import numpy as np

from attention_course.exercises.runner import Call, Outcome

_DOCSTRING = re.compile(r'^ +"""(?:.*?)"""\n', re.S | re.M)

Calls = Callable[[np.random.Generator], Sequence[Call]]
# Pairs of old and new text; each old text stands exactly once where it is replaced.
Edits = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Probe:
    """One property that a right answer has, and the calls that show it.

    Args:
        name: the property in words, as the student reads it.
        part: the part of the exercise whose points it guards.
        calls: draws the inputs and gives the calls. Every size should differ from every
            other, unless the probe is about equal sizes.
        hint: where to look if the property fails.
        large: the inputs are so large that a loop takes far longer than the CPU time that is
            allowed, :data:`.examine.LARGE_CPU_S`: our solution needs at most a tenth of it, the
            loop that a student would write at least ten times as much.
        dtype: the outputs' dtype must be the solution's.
        public: of a teacher's own exercise: students get its inputs and what is right for them.
        right: what is right, where there is no solution to be asked.
        fixed: lengths of axes that belong to the property or to the contract: the same in every
            draw.
        holds: so many MiB the answer may hold at a time, if that is the property; in a session,
            where it gets an eighth of the blocks, an eighth of that.
        read: tells what is seen in the outputs, of the calls and the outputs; a text that is
            compared in their place.
        texts: whether ``read`` is told of texts, not of arrays.
    """

    name: str
    part: str
    calls: Calls
    hint: str = ""
    large: bool = False
    dtype: bool = False
    public: bool = False
    right: Outcome | None = None
    fixed: tuple[int, ...] = ()
    holds: float = 0.0
    read: Callable[[Sequence[Call], Sequence[Any]], str] | None = None
    texts: bool = False

    @property
    def alone(self) -> bool:
        """Whether it is asked once, and alone, because time or memory is measured."""
        return self.large or self.holds > 0


@dataclass(frozen=True)
class Wrong:
    """A wrong answer with a name, and the hint that fits it.

    Args:
        name: what was done wrong, in a few words: "the scale is 1/d_k".
        family: the kind of mistake, for the table: "scale", "mask", "axis".
        hint: what to think about; it does not give the answer away.
        edits: pairs of old and new text that turn the solution into it; each old text stands
            exactly once in the solution. Two mistakes that are edits can be made at once.
        source: the whole answer, where edits would not be readable.
        silent: it must be caught, and is never named: under a variant's contract its name would
            not be true.
    """

    name: str
    family: str
    hint: str
    edits: Edits = ()
    source: str = ""
    silent: bool = False


# The first wrong answer of every variant: the exercise is solved as if it had none.
OWN_CONVENTION = Wrong(
    "the course's own convention is used",
    "convention",
    "Read the contract once more: it differs from the chapter's.",
)
# The same for a teacher's own exercise, which is in no chapter.
OTHER_CONVENTION = Wrong(
    "another convention than the contract's is used",
    "convention",
    "Read the contract once more: it differs from what others were asked.",
)
# The next ones, where several conventions are laid together: one is kept, the rest is not.
ONE_CONVENTION = Wrong(
    "of the contract's own conventions only {} is kept",
    "convention",
    "Read the contract once more: more than one of its sentences is unusual.",
)


@dataclass(frozen=True)
class Right:
    """A right answer that looks unusual and must pass."""

    name: str
    edits: Edits = ()
    source: str = ""


Answer = TypeVar("Answer", Wrong, Right)


@dataclass(frozen=True)
class Variant:
    """The same exercise under another convention, for a teacher's own assignment.

    Args:
        name: short, for the manifest: "blocked".
        contract: sentences of the contract that are replaced, old and new.
        adapt: turns a call in the base convention into one in this convention.
        wrap: source that follows an answer in the base convention and turns it into one in this
            convention; ``base`` is the earlier function.
        stub: edits to the stub.
        statement: edits to the statement.
        hints: edits to the hints.
        probes: for the name of a probe that is not true here, its new name and hint.
        mistakes: for the name of a wrong answer whose name or hint is not true here, the new
            ones; None if it is not to be named at all.
        open_mask: parts whose plainest probe is asked once more with a mask that hides nothing,
            so that they are lost as well if the mask is read by another convention.
        opened: gives a call such a mask, in the base convention.
    """

    name: str
    contract: Edits
    wrap: str
    adapt: Callable[[Call], Call] = field(default=lambda call: call)
    stub: Edits = ()
    statement: Edits = ()
    hints: Edits = ()
    probes: dict[str, tuple[str, str]] = field(default_factory=dict)
    mistakes: dict[str, tuple[str, str] | None] = field(default_factory=dict)
    open_mask: tuple[str, ...] = ()
    opened: Callable[[Call], Call] = field(default=lambda call: call)


@dataclass(frozen=True)
class Exercise:
    """An exercise in which a function or a class is written.

    Args:
        slug: its name in addresses and manifests: "scaled-dot-product-attention".
        title: its name for people.
        target: the function or class that the answer defines; no two exercises share one.
        minutes: how long a student who has read the chapter needs.
        statement: what to build, in Markdown; it says every shape.
        contract: the conventions, one sentence each.
        stub: what the student starts from; its body raises NotImplementedError, or is broken on
            purpose where the task is to repair it.
        solution: our answer, as source.
        points: for each part, its points; a part counts if all its probes pass.
        probes: the properties. Their first is the plainest.
        hints: from gentle to plain, opened one at a time; none holds the solution.
        wrong: named wrong answers.
        right: right answers that look unusual.
        chapter: where it stands: "transformer/masks-and-cross-attention".
        family: its group in the bank of answers: "attention", "recurrent", "positions".
        uses: "numpy", or "torch" where gradients are part of the task; "triton" where a kernel
            is written, which is checked and never graded.
        launch: runs such a kernel: ``launch(kernel, device, *arguments of a call)``.
        tests: which objectives of its chapter it tests: "objective 2", "objectives 1 and 3".
        forbidden: names that the answer may not fetch or import; one like ``np.append`` is
            free where no module owns it.
        isolating: probes that earn nothing: in each only one kind of mistake can show.
        rtol: tolerance as a share of the largest number expected in an output.
        atol: tolerance in absolute terms.
        variants: other conventions.
        together: which of them may be laid together, joined by a plus.
        weak: the forms in which a public solution to another one earns above a third.
        variant: the name of the convention; the course's own has none.
        own: of a teacher's own exercise, the fingerprint of its file: only its public probes'
            inputs may be told.
        draw: which of its public inputs are meant: they are drawn several times.
    """

    slug: str
    title: str
    target: str
    minutes: int
    statement: str
    contract: tuple[str, ...]
    stub: str
    solution: str
    points: dict[str, int]
    probes: tuple[Probe, ...]
    hints: tuple[str, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    right: tuple[Right, ...] = ()
    chapter: str = ""
    family: str = ""
    uses: Literal["numpy", "torch", "triton"] = "numpy"
    launch: Callable[..., Any] | None = None
    tests: str = ""
    forbidden: tuple[str, ...] = ()
    isolating: tuple[Probe, ...] = ()
    rtol: float = 1e-5
    atol: float = 1e-8
    variants: tuple[Variant, ...] = ()
    together: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    variant: str = ""
    own: str = ""
    draw: int = 0

    @property
    def key(self) -> tuple[str, ...]:
        """What it is known by where something is kept for it: it cannot be hashed itself."""
        return self.slug, self.title, self.own, str(len(self.probes)), str(self.draw)

    @property
    def forms(self) -> tuple[str, ...]:
        """The names of its conventions, one by one and together."""
        return (*(variant.name for variant in self.variants), *self.together)

    @property
    def dealt(self) -> tuple[str, ...]:
        """The forms that are drawn: none in which another public solution earns much."""
        return tuple(form for form in self.forms if form not in self.weak)

    @property
    def name(self) -> str:
        """What ``exercise_named`` finds it by: the slug, and a variant's name after a colon."""
        return f"{self.slug}:{self.variant}" if self.variant else self.slug

    @property
    def marker(self) -> str:
        """The comment in the first line of an answer's cell, by which the grader finds it."""
        return f"# EXERCISE {self.slug}"

    @property
    def imports(self) -> list[str]:
        """The imports with which the solution begins: the answer's cell begins with them."""
        lines = self.solution.splitlines()
        found = (line for line in lines if line.startswith(("import ", "from ")))
        return list(dict.fromkeys(found))

    def source_of(self, answer: Wrong | Right) -> str:
        """Return the source of a wrong or an odd answer.

        Raises:
            ValueError: if the text to be edited does not stand exactly once in the solution.
        """
        return answer.source or edited(
            self.solution, answer.edits, f"{self.slug}: {answer.name}"
        )

    def source_of_both(self, *wrong: Wrong) -> str | None:
        """Return an answer with several mistakes at once; None if they cannot be joined."""
        if len(wrong) == 1:
            return self.source_of(wrong[0])
        for order in (wrong, wrong[::-1]):
            text = self.solution
            try:
                for one in order:
                    text = edited(text, one.edits, one.name)
                ast.parse(text)
            except (ValueError, SyntaxError):
                continue
            return text
        return None

    def varied(self, name: str) -> "Exercise":
        """Return the exercise under another convention; the empty name is the exercise itself.

        Raises:
            ValueError: if it has no such variant.
        """
        if not name:
            return self
        if name not in self.forms:
            names = ", ".join(self.forms) or "none"
            raise ValueError(f"{self.slug} has the variants {names}, got {name!r}")
        known = {variant.name: variant for variant in self.variants}
        return _vary(self, [known[one] for one in name.split("+")])


def edited(text: str, edits: Sequence[tuple[str, str]], name: str) -> str:
    """Return the text with each old piece replaced by its new one.

    Raises:
        ValueError: if an old piece does not stand exactly once in the text, or nothing changes.
    """
    new_text = text
    for old, new in edits:
        if new_text.count(old) != 1:
            raise ValueError(
                f"edited: {name}: must stand exactly once, stands "
                f"{new_text.count(old)} times: {old!r}"
            )
        new_text = new_text.replace(old, new)
    if new_text == text:
        raise ValueError(f"edited: {name} must differ from the text it edits")
    return new_text


def _vary(exercise: Exercise, variants: Sequence[Variant]) -> Exercise:
    """Wrap every answer, adapt every call and replace what would not be true."""
    form = "+".join(variant.name for variant in variants)
    name = f"{exercise.slug}, {form}"
    probes: dict[str, tuple[str, str]] = {}
    mistakes: dict[str, tuple[str, str] | None] = {}
    wrap = ""
    for number, variant in enumerate(variants):
        _require_known(name, variant.probes, exercise.probes)
        _require_known(name, variant.mistakes, exercise.wrong)
        probes |= variant.probes
        for old, new in variant.mistakes.items():  # two names cannot both be true
            mistakes[old] = None if mistakes.get(old, new) != new else new
        # One name for each: several may be in one notebook.
        base = f"{exercise.target}_base{number + 1 if number else ''}"
        source = re.sub(r"\bbase\b", base, variant.wrap.strip())
        wrap += f"\n\n{base} = {exercise.target}\n\n\n{source}\n"

    def adapted(probe: Probe, opened: Variant | None = None) -> Probe:
        new_name, hint = probes.get(probe.name, (probe.name, probe.hint))
        if opened:
            probe = _open(probe, opened)
            new_name += ", with a mask that hides nothing"

        def calls(rng: np.random.Generator) -> list[Call]:
            drawn = list(probe.calls(rng))
            for variant in variants:
                drawn = [variant.adapt(call) for call in drawn]
            return drawn

        return replace(probe, name=new_name, hint=hint, calls=calls)

    def wrapped(answer: Answer) -> Answer:
        return replace(answer, source=exercise.source_of(answer).rstrip() + wrap)

    def renamed(wrong: Wrong) -> Wrong:
        new = mistakes.get(wrong.name, (wrong.name, wrong.hint))
        if new is None:
            return replace(wrapped(wrong), silent=True)
        return replace(wrapped(wrong), name=new[0], hint=new[1])

    def said(texts: Sequence[str], which: str) -> tuple[str, ...]:
        text = "\n".join(texts)
        for variant in variants:
            if edits := getattr(variant, which):
                text = edited(text, edits, name)
        return tuple(text.split("\n"))

    open_masks = (
        adapted(next(probe for probe in exercise.probes if probe.part == part), variant)
        for variant in variants
        for part in variant.open_mask
    )
    kept = OWN_CONVENTION if exercise.chapter else OTHER_CONVENTION
    stub = "\n".join(said([exercise.stub], "stub"))
    return replace(
        exercise,
        title=f"{exercise.title} ({form})",
        contract=said(exercise.contract, "contract"),
        statement="\n".join(said([exercise.statement], "statement")),
        stub=stub,
        solution=_documented(exercise.solution.rstrip() + wrap, stub, exercise.target),
        hints=said(exercise.hints, "hints"),
        probes=(*map(adapted, exercise.probes), *open_masks),
        isolating=tuple(map(adapted, exercise.isolating)),
        wrong=(
            replace(kept, source=exercise.solution),
            *(_alone(exercise, variant) for variant in variants if len(variants) > 1),
            *map(renamed, exercise.wrong),
        ),
        right=tuple(map(wrapped, exercise.right)),
        variants=(),
        together=(),
        weak=(),
        variant=form,
    )


def _documented(chain: str, stub: str, target: str) -> str:
    """Return a chain of answers in which the last one alone has a docstring, the stub's.

    What the others say holds in another convention only.
    """
    chain = _DOCSTRING.sub("", chain)
    last, asked = (_last(text, target) for text in (chain, stub))
    if not last or not asked or last[0].col_offset != asked[0].col_offset:
        return chain
    said = stub.splitlines(keepends=True)[asked[0].lineno - 1 : asked[0].end_lineno]
    first = min(one.lineno for one in (last[0], *getattr(last[0], "decorator_list", ())))
    lines = chain.splitlines(keepends=True)
    while not lines[first - 2].strip():
        first -= 1
    lines[first - 1 : first - 1] = said if _DOCSTRING.fullmatch("".join(said)) else []
    return "".join(lines)


def _last(source: str, target: str) -> list[ast.stmt]:
    """Return the statements of the last function or class of a name; none without one."""
    kinds = ast.FunctionDef, ast.ClassDef
    found = [one for one in ast.parse(source).body if isinstance(one, kinds)]
    return next((one.body for one in reversed(found) if one.name == target), [])


def _alone(exercise: Exercise, variant: Variant) -> Wrong:
    """Return the answer that keeps one of several conventions."""
    name = ONE_CONVENTION.name.format(variant.name)
    return replace(ONE_CONVENTION, name=name, source=_vary(exercise, [variant]).solution)


def _open(probe: Probe, variant: Variant) -> Probe:
    """Return the probe with a mask that hides nothing, of a large input a single call."""

    def calls(rng: np.random.Generator) -> list[Call]:
        drawn = islice(probe.calls(rng), 1 if probe.large else None)
        return [variant.opened(call) for call in drawn]

    return replace(probe, calls=calls, large=False)


def _require_known(name: str, named: Iterable[str], known: Sequence[Probe | Wrong]) -> None:
    unknown = set(named) - {one.name for one in known}
    if unknown:
        raise ValueError(f"varied: {name}: there is nothing called {sorted(unknown)}")
