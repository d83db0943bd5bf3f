"""What an exercise is, and the same exercise under another convention."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

import numpy as np

from attention_course.exercises.runner import Call

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
        calls: draws the inputs and returns the calls. Every size should differ from every
            other, unless the probe is about equal sizes.
        hint: where to look if the property fails.
        large: the inputs are so large that a loop takes far longer than the CPU time that is
            allowed, :data:`.examine.LARGE_CPU_S`: our solution needs at most a tenth of it, the
            loop that a student would write at least ten times as much.
        dtype: the outputs' dtype must be the solution's.
    """

    name: str
    part: str
    calls: Calls
    hint: str = ""
    large: bool = False
    dtype: bool = False


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


@dataclass(frozen=True)
class Odd:
    """A right answer that looks unusual and must pass."""

    name: str
    edits: Edits = ()
    source: str = ""


Answer = TypeVar("Answer", Wrong, Odd)


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


@dataclass(frozen=True)
class Exercise:
    """An exercise in which a function or a class is written.

    Args:
        slug: its name in addresses and manifests: "scaled-dot-product-attention".
        title: its name for people.
        chapter: where it stands: "transformer/masks-and-cross-attention".
        family: its group in the bank of answers: "attention", "recurrent", "positions".
        target: the function or class that the answer defines; no two exercises share one.
        minutes: how long a student who has read the chapter needs.
        statement: what to build, in Markdown; it says every shape.
        contract: the conventions, one sentence each.
        stub: what the student starts from; its body raises NotImplementedError, or is broken on
            purpose where the task is to repair it.
        solution: our answer, as source.
        hints: from gentle to plain, opened one at a time; none holds the solution.
        points: for each part, its points; a part counts if all its probes pass.
        probes: the properties. Their first is the plainest.
        wrong: named wrong answers.
        odd: right answers that look unusual.
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
        variant: the name of the convention; the course's own has none.
    """

    slug: str
    title: str
    chapter: str
    family: str
    target: str
    minutes: int
    statement: str
    contract: tuple[str, ...]
    stub: str
    solution: str
    hints: tuple[str, ...]
    points: dict[str, int]
    probes: tuple[Probe, ...]
    wrong: tuple[Wrong, ...]
    odd: tuple[Odd, ...]
    uses: Literal["numpy", "torch", "triton"] = "numpy"
    launch: Callable[..., Any] | None = None
    tests: str = ""
    forbidden: tuple[str, ...] = ()
    isolating: tuple[Probe, ...] = ()
    rtol: float = 1e-5
    atol: float = 1e-8
    variants: tuple[Variant, ...] = ()
    variant: str = ""

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

    def source_of(self, answer: Wrong | Odd) -> str:
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
            except ValueError:
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
        found = [variant for variant in self.variants if variant.name == name]
        if not found:
            names = ", ".join(variant.name for variant in self.variants) or "none"
            raise ValueError(f"varied: {self.slug} has the variants {names}, got {name!r}")
        return _vary(self, found[0])


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


def _vary(exercise: Exercise, variant: Variant) -> Exercise:
    """Wrap every answer, adapt every call and replace what would not be true."""
    name = f"{exercise.slug}, {variant.name}"
    _require_known(name, variant.probes, exercise.probes)
    _require_known(name, variant.mistakes, exercise.wrong)
    contract = "\n".join(exercise.contract)
    contract = edited(contract, variant.contract, name)
    base = f"{exercise.target}_base"  # one name for each: several may stand in one notebook
    wrap = re.sub(r"\bbase\b", base, variant.wrap.strip())
    wrap = f"\n\n{base} = {exercise.target}\n\n\n{wrap}\n"

    def adapted(probe: Probe) -> Probe:
        new_name, hint = variant.probes.get(probe.name, (probe.name, probe.hint))
        return replace(
            probe,
            name=new_name,
            hint=hint,
            calls=lambda rng: [variant.adapt(call) for call in probe.calls(rng)],
        )

    def wrapped(answer: Answer) -> Answer:
        return replace(answer, source=exercise.source_of(answer).rstrip() + wrap)

    def renamed(wrong: Wrong) -> Wrong:
        new = variant.mistakes.get(wrong.name, (wrong.name, wrong.hint))
        if new is None:
            return replace(wrapped(wrong), silent=True)
        return replace(wrapped(wrong), name=new[0], hint=new[1])

    def said(text: str, edits: Edits) -> str:
        return edited(text, edits, name) if edits else text

    return replace(
        exercise,
        title=f"{exercise.title} ({variant.name})",
        contract=tuple(contract.split("\n")),
        statement=said(exercise.statement, variant.statement),
        stub=said(exercise.stub, variant.stub),
        # What the solution's docstring says holds in the base convention only.
        solution=_DOCSTRING.sub("", exercise.solution).rstrip() + wrap,
        hints=tuple(said("\n".join(exercise.hints), variant.hints).split("\n")),
        probes=tuple(map(adapted, exercise.probes)),
        isolating=tuple(map(adapted, exercise.isolating)),
        wrong=(
            replace(OWN_CONVENTION, source=exercise.solution),
            *map(renamed, exercise.wrong),
        ),
        odd=tuple(map(wrapped, exercise.odd)),
        variants=(),
        variant=variant.name,
    )


def _require_known(name: str, named: Iterable[str], known: Sequence[Probe | Wrong]) -> None:
    unknown = set(named) - {one.name for one in known}
    if unknown:
        raise ValueError(f"varied: {name}: there is nothing called {sorted(unknown)}")
