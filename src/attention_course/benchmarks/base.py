"""What a benchmark is: one definition, run small by a page and large for a record."""

import contextlib
import gc
import math
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from attention_course.measure import (
    Device,
    Timings,
    compare,
    equivalence,
    kernel_names,
    one_thread,
    peak_extra_bytes,
    refuse_impossible,
)

Size = Mapping[str, Any]
Call = Callable[..., Tensor]
# The length at which ways are compared before they are timed: no block's multiple, but one of
# 16 like those that are measured, since for others Triton compiles anew.
PROOF = 208
NO_ROOM = "it does not fit into this device's memory beside the others"


class Unavailable(Exception):  # noqa: N818 - it says what is so, and nothing went wrong
    """A variant cannot run here; the message says why, and becomes its row."""


class Variant(NamedTuple):
    """One way to compute what a benchmark measures.

    Attributes:
        prepare: from a size to a function of the inputs; compiling and the like belong here.
        needs: what the device must be able to do, as :meth:`Device.why_not` calls it.
        largest: the length ``n`` up to which it is measured; beyond, it takes too long.
        only: of the size's numbers those at which it is measured, where preparing it takes
            long, such as ``{"n": (8192,)}``.
        live: whether a page's cell runs it, too.
        steps: what it must be equal to, in float64 and in its own format, where that is not
            the benchmark's: for ways that compute different things.
        causal: the same for whether it looks back alone.
    """

    prepare: Callable[[Size], Call]
    needs: tuple[str, ...] = ()
    largest: int | None = None
    only: Mapping[str, tuple[int, ...]] = {}
    live: bool = True
    steps: Call | None = None
    causal: bool | None = None


class Benchmark:
    """One question, the ways that are compared, and the sizes at which.

    A benchmark is a subclass that says what it measures. It counts operations and bytes itself,
    so that a rate is never taken from a timer alone.

    Attributes:
        name: by which :func:`attention_course.benchmarks.run` finds it.
        question: what is asked, in a sentence.
        baseline: the variant that the others are compared with.
        measures: "time", "memory" or both.
        timed: "forward", "backward" (of a graph that is there) or "both".
        gradients: whether the ways must agree in their gradients, too.
        sizes: under "cpu" and "cuda" what is measured there, under "tiny" what a test runs;
            under "live cuda" what a page's cell runs on a reader's GPU, if that is less.
        weight: how many times as long as another's each of its sizes may take.
    """

    name: ClassVar[str]
    question: ClassVar[str]
    baseline: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = ("time",)
    timed: ClassVar[str] = "forward"
    gradients: ClassVar[bool] = True
    sizes: ClassVar[Mapping[str, Sequence[Size]]]
    weight: ClassVar[float] = 1.0
    number_bytes: int = 2  # of the format in which is measured
    device: Device = Device("cpu", "any")  # on which is measured

    def inputs(self, size: Size, device: Device, dtype: Any) -> tuple[Tensor, ...]:
        """Draw the inputs, normally distributed (zeros would run faster than life)."""
        raise AttributeError(f"{type(self).__name__} must say what its inputs are")

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return the ways by name; the baseline is one of them."""
        raise AttributeError(f"{type(self).__name__} must say what it compares")

    def reference(self, size: Size) -> Call:
        """Return the function that is right, of the inputs in float64: the baseline's."""
        return self.variants(Device("cpu", "any"))[self.baseline].prepare(size)

    def causal(self, size: Size) -> bool:
        """Say whether an output may not depend on what lies behind it."""
        return bool(size.get("causal", False))

    def operations(self, size: Size, variant: str) -> int:
        """Count the operations that are needed, whatever a variant does; 0: not counted."""
        return 0

    def executed(self, size: Size, variant: str) -> int:
        """Count the operations that a variant does, where it does more than is needed."""
        return self.operations(size, variant)

    def bytes(self, size: Size, variant: str) -> int:
        """Count the bytes that a variant moves between chip and memory; 0: not counted."""
        return 0

    def proof(self, size: Size) -> Size:
        """Return the smaller size at which the variants are compared before they are timed."""
        least = {"n": PROOF, "batch": 2}
        return {k: min(v, least[k]) if k in least else v for k, v in size.items()}

    def measure(
        self,
        device: Device,
        sizes: Sequence[Size],
        *,
        seconds: float,
        live: bool = False,
        told: Callable[[str], object] = str,
        without: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """Check that the variants agree, then measure them side by side.

        Args:
            device: on which.
            sizes: at which.
            seconds: about how long the timing may take, of all sizes together. A page gives
                each the same, a recording more where there is more to do.
            live: leave out what a page's cell has no time for.
            told: called with a variant's name before it is touched, with "" before the timing.
            without: variants that are left alone, and why.

        Returns:
            Rows, and the verdicts on which they stand, as JSON would hold them.
        """
        started = time.process_time()
        self.device, self.number_bytes = device, device.dtype.itemsize
        variants = self.variants(device)
        reasons = [
            {
                name: (without or {}).get(name) or self._why_not(device, variant, size, live)
                for name, variant in variants.items()
            }
            for size in sizes
        ]
        named = self._named(sizes, reasons)
        done = [self.executed(size, self.baseline) for size in sizes]
        work = [0.1 + x / max(1, *done) for x in done]
        kept: dict[str, dict[str, Any]] = {}
        rows, left = [], seconds
        with _quietly(), one_thread() if device.kind == "cpu" else contextlib.nullcontext():
            for i, size in enumerate(sizes):
                proof = self.proof(size)
                verdicts = kept.get(str(proof))
                if verdicts is None:
                    alike = [
                        r for s, r in zip(sizes, reasons, strict=True) if self.proof(s) == proof
                    ]
                    wanted = [n for n in variants if any(why[n] is None for why in alike)]
                    verdicts = self._verdicts(device, variants, wanted, proof, told)
                    kept[str(proof)] = verdicts
                share = seconds / len(sizes) if live else left * work[i] / sum(work[i:])
                why_not = {n: why or _refused(verdicts[n]) for n, why in reasons[i].items()}
                found, spent = self._at(device, variants, size, why_not, named[i], share, told)
                rows += found
                left = max(left - spent, 0.1)
        proofs = [v for k in kept.values() for v in k.values() if "unavailable" not in v]
        spent = round(time.process_time() - started, 1)
        return {"rows": rows, "equivalence": proofs, "cpu_seconds": spent}

    def _why_not(self, device: Device, variant: Variant, size: Size, live: bool) -> str | None:
        for feature in variant.needs:
            if reason := device.why_not(feature):
                return reason
        if variant.largest is not None and size.get("n", 0) > variant.largest:
            return f"measured up to n = {variant.largest} only: it takes too long beyond"
        if any(size.get(key) not in values for key, values in variant.only.items()):
            at = (f"{key} = {' or '.join(map(str, v))}" for key, v in variant.only.items())
            return f"measured at {', '.join(at)} only"
        if live and not variant.live:
            return "recorded only: preparing it takes longer than a page's cell has"
        return None

    def _named(
        self, sizes: Sequence[Size], reasons: Sequence[Mapping[str, str | None]]
    ) -> list[set[str]]:
        """Return for each size the variants whose kernels are asked for: at the largest n."""
        last: dict[tuple[str, str], int] = {}
        for i, (size, why) in enumerate(zip(sizes, reasons, strict=True)):
            rest = str({k: v for k, v in size.items() if k not in ("n", "batch")})
            for name in (name for name, reason in why.items() if reason is None):
                before = last.get((name, rest), i)
                last[name, rest] = max(before, i, key=lambda at: sizes[at].get("n", 0))
        named: list[set[str]] = [set() for _ in sizes]
        for (name, _), i in last.items():
            named[i].add(name)
        return named

    def _verdicts(
        self,
        device: Device,
        variants: Mapping[str, Variant],
        wanted: Sequence[str],
        size: Size,
        told: Callable[[str], object],
    ) -> dict[str, Any]:
        inputs = self.inputs(size, device, device.dtype)
        reference, eager = self.reference(size), variants[self.baseline].prepare(size)
        found: dict[str, dict[str, Any]] = {}
        for name in wanted:
            variant = variants[name]
            told(name)
            try:
                verdict = equivalence(
                    variant.prepare(size),
                    variant.steps or reference,
                    inputs,
                    eager=variant.steps or eager,
                    causal=self.causal(size) if variant.causal is None else variant.causal,
                    gradients=self.gradients,
                )
            except Unavailable as error:
                found[name] = {"unavailable": str(error)}
                continue
            except Exception as error:  # a reader's device: say why, and go on
                found[name] = {"variant": name, "size": dict(size), "failed": _words(error)}
                continue
            row: dict[str, Any] = {"variant": name, "size": dict(size)}
            errors = {"output": verdict.output, "gradient": verdict.gradient}
            if not all(math.isfinite(pair[1]) for pair in errors.values() if pair):
                found[name] = row | {"failed": "the baseline's own error is not finite"}
                continue
            row["holds"] = verdict.holds
            for kind, pair in errors.items():
                row[kind] = pair and {"error": _finite(pair[0]), "at_most": short(pair[1])}
            found[name] = row | {"causal": verdict.causal}
        return found

    def _at(
        self,
        device: Device,
        variants: Mapping[str, Variant],
        size: Size,
        why_not: Mapping[str, str | None],
        named: set[str],
        seconds: float,
        told: Callable[[str], object],
    ) -> tuple[list[dict[str, Any]], float]:
        """Return a row a variant, and the seconds that were spent on times."""
        rows = {name: self._counted(name, size) for name in variants}
        calls: dict[str, Callable[[], object]] = {}
        inputs = self.inputs(size, device, device.dtype)
        # The baseline first and what is large last: what does not fit is then the largest.
        for name in sorted(
            variants, key=lambda name: (name != self.baseline, rows[name]["bytes"])
        ):
            row = rows[name]
            if reason := why_not[name]:
                row["why_not"] = reason
                continue
            told(name)
            call: Callable[[], object] | None = None
            try:
                call = self._timed(variants[name].prepare(size), inputs)
                if "memory" in self.measures:
                    row["extra_bytes"] = peak_extra_bytes(call, device)
                if "time" in self.measures and name in named:
                    row["kernels"] = kernel_names(call)
                calls[name] = call
            except Unavailable as error:
                row["why_not"] = str(error)
            except Exception as error:
                row["why_not"] = failure(error)
            del call  # else what does not fit would stay
            if row.get("why_not") == NO_ROOM:
                _make_room()
        spent = 0.0
        if "time" in self.measures and calls:
            told("")
            now = time.perf_counter if device.kind == "cuda" else time.process_time
            started = now()
            self._time(device, rows, calls, seconds)
            spent = now() - started
        return [*rows.values()], spent

    def _time(
        self,
        device: Device,
        rows: Mapping[str, dict[str, Any]],
        calls: dict[str, Callable[[], object]],
        seconds: float,
    ) -> None:
        timings = None
        while calls and timings is None:
            try:
                timings = compare(calls, seconds=seconds, device=device)
            except RuntimeError as error:
                timings, reason = None, failure(error)
            if timings is None:
                # Each fits, and all side by side may not: then the largest is left out.
                others = [name for name in calls if name != self.baseline]
                full = reason == NO_ROOM and others
                for name in [max(others, key=lambda n: _space(rows[n]))] if full else [*calls]:
                    rows[name]["why_not"] = reason
                    del calls[name]
                _make_room()
        if timings is None:
            return
        for name in calls:
            try:
                self._timed_row(device, rows[name], timings)
            except ValueError as error:
                rows[name]["why_not"] = f"failed: {error}"

    def _timed_row(self, device: Device, row: dict[str, Any], timings: Timings) -> None:
        name = row["variant"]
        median = timings.median(name)
        refuse_impossible(
            device,
            f"{self.name}, {name}",
            operations=row["operations"] / median.value,
            moved=self.least_bytes(row["size"]) / median.value,
        )
        row["seconds"] = {k: short(v) for k, v in median._asdict().items()}
        row["samples"] = [short(v) for v in timings.samples[name]]

    def least_bytes(self, size: Size) -> int:
        """Count the bytes that every variant must move; 0: not counted."""
        return 0

    def _counted(self, name: str, size: Size) -> dict[str, Any]:
        return {
            "variant": name,
            "size": dict(size),
            "operations": self.operations(size, name),
            "executed": self.executed(size, name),
            "bytes": self.bytes(size, name),
        }

    def _timed(self, call: Call, inputs: Sequence[Tensor]) -> Callable[[], object]:
        """Return what is timed, run once so that it is compiled."""
        if self.timed == "forward":

            def forward() -> object:
                with torch.no_grad():
                    return call(*inputs)

            forward()
            return forward
        leaves = [x.detach().clone().requires_grad_() for x in inputs]
        out = call(*leaves)
        pull = torch.randn_like(out)

        def backward() -> object:
            return torch.autograd.grad(out, leaves, pull, retain_graph=True)

        def both() -> object:
            return torch.autograd.grad(call(*leaves), leaves, pull)

        timed = backward if self.timed == "backward" else both
        timed()
        return timed


@contextlib.contextmanager
def _quietly() -> Iterator[None]:
    """Keep to itself what torch says about backends that it was forbidden to use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _refused(verdict: Mapping[str, Any]) -> str | None:
    """Return why a variant is not timed, by what came of comparing it."""
    if verdict.get("holds"):
        return None
    return verdict.get("unavailable") or f"failed: {verdict.get('failed', 'it is not equal')}"


def failure(error: Exception) -> str:
    """Say in a row what went wrong."""
    full = "out of memory" in str(error).lower() or isinstance(error, MemoryError)
    return NO_ROOM if full else f"failed: {_words(error)}"


def _make_room() -> None:
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def _space(row: Mapping[str, Any]) -> int:
    """Return the bytes by which it is judged what is large."""
    return int(row.get("extra_bytes", row["bytes"]))


def _words(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"{type(error).__name__}: {lines[0]:.160}"


def short(value: float) -> float:
    """Round to four digits, so that a record stays small."""
    return float(f"{value:.4g}")


def _finite(value: float) -> float | None:
    """Round; None for what no number is, since a record holds finite numbers only."""
    return short(value) if math.isfinite(value) else None
