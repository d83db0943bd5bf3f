"""What a benchmark is: one definition, run small by a page and large for a record."""

import contextlib
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import torch
from torch import Tensor

from attention_course.benchmarks.results import Results
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
# The length at which ways are compared before they are timed: no block's multiple.
PROOF = 197


class Unavailable(Exception):  # noqa: N818 - it says what is so, and nothing went wrong
    """A variant cannot run here; the message says why, and becomes its row.

    Used in ``scale/gpu-attention``.
    """


class Variant(NamedTuple):
    """One way to compute what a benchmark measures.

    Attributes:
        prepare: from a size to a function of the inputs; compiling and the like belong here.
        needs: what the device must be able to do, as :meth:`Device.why_not` calls it.
        largest: the length ``n`` up to which it is measured; beyond, it takes too long.
        only: the lengths ``n`` at which it is measured, where preparing it takes long.
        live: whether a page's cell runs it on a CPU, too.
        steps: what it must be equal to, in float64 and in its own format, where that is not
            the benchmark's: for ways that compute different things.
        causal: the same for whether it looks back alone.

    Used in ``scale/gpu-attention``.
    """

    prepare: Callable[[Size], Call]
    needs: tuple[str, ...] = ()
    largest: int | None = None
    only: tuple[int, ...] = ()
    live: bool = True
    steps: Call | None = None
    causal: bool | None = None


class Goal(NamedTuple):
    """A ratio that a recording is to reach.

    Attributes:
        name: its number on the list.
        words: what is divided by what.
        ratio: from the results to the ratio.
        floor: what it must reach.
        stretch: what it might reach; None where nobody says.
        most: what it must not exceed, where it should be near something.

    Used in ``scale/gpu-attention``.
    """

    name: str
    words: str
    ratio: Callable[[Results], float]
    floor: float
    stretch: float | None = None
    most: float | None = None


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
        goals: what a recording is to reach.

    Used in ``scale/gpu-attention``.
    """

    name: ClassVar[str]
    question: ClassVar[str]
    baseline: ClassVar[str]
    measures: ClassVar[tuple[str, ...]] = ("time",)
    timed: ClassVar[str] = "forward"
    gradients: ClassVar[bool] = True
    sizes: ClassVar[Mapping[str, Sequence[Size]]]
    goals: ClassVar[Sequence[Goal]] = ()
    number_bytes: int = 2  # of the format in which is measured

    def inputs(
        self, size: Size, device: Device, dtype: Any, seed: int = 0
    ) -> tuple[Tensor, ...]:
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
        rounds: int = 30,
    ) -> dict[str, Any]:
        """Check that the variants agree, then measure them side by side.

        Args:
            device: on which.
            sizes: at which.
            seconds: about how long the timing may take, of all sizes together.
            live: leave out what a page's cell has no time for.
            rounds: how often each variant is timed, at most.

        Returns:
            Rows, and the verdicts on which they stand, as JSON would hold them.
        """
        started = time.process_time()
        self.number_bytes = device.dtype.itemsize
        variants = self.variants(device)
        kept: dict[str, dict[str, Any]] = {}
        rows = []
        with _quietly(), one_thread() if device.kind == "cpu" else contextlib.nullcontext():
            for size in sizes:
                proof = self.proof(size)
                verdicts = kept.get(str(proof))
                if verdicts is None:
                    verdicts = kept[str(proof)] = self._verdicts(device, variants, proof, live)
                share = seconds / len(sizes)
                rows += self._at(device, variants, size, verdicts, share, live, rounds)
        proofs = [v for k in kept.values() for v in k.values() if "unavailable" not in v]
        spent = round(time.process_time() - started, 1)
        return {"rows": rows, "equivalence": proofs, "cpu_seconds": spent}

    def _why_not(self, device: Device, variant: Variant, size: Size, live: bool) -> str | None:
        for feature in variant.needs:
            if reason := device.why_not(feature):
                return reason
        if variant.largest is not None and size.get("n", 0) > variant.largest:
            return f"measured up to n = {variant.largest} only: it takes too long beyond"
        if variant.only and size.get("n") not in variant.only:
            return f"measured at n = {', '.join(map(str, variant.only))} only"
        if live and device.kind == "cpu" and not variant.live:
            return "recorded only: preparing it takes longer than a page's cell has"
        return None

    def _verdicts(
        self, device: Device, variants: Mapping[str, Variant], size: Size, live: bool
    ) -> dict[str, Any]:
        inputs = self.inputs(size, device, device.dtype)
        reference, eager = self.reference(size), variants[self.baseline].prepare(size)
        found: dict[str, dict[str, Any]] = {}
        for name, variant in variants.items():
            anywhere = variant._replace(largest=None, only=())
            if self._why_not(device, anywhere, size, live):
                continue
            try:
                (verdict,) = equivalence(
                    {name: variant.prepare(size)},
                    variant.steps or reference,
                    inputs,
                    eager=variant.steps or eager,
                    causal=self.causal(size) if variant.causal is None else variant.causal,
                    gradients=self.gradients,
                ).verdicts
            except Unavailable as error:
                found[name] = {"unavailable": str(error)}
                continue
            except Exception as error:  # a reader's device: say why, and go on
                found[name] = {"variant": name, "size": dict(size), "failed": _words(error)}
                continue
            row: dict[str, Any] = {
                "variant": name,
                "size": dict(size),
                "holds": verdict.holds,
            }
            errors = {"output": verdict.output, "gradient": verdict.gradient}
            for kind, pair in errors.items():
                row[kind] = pair and {"error": _short(pair[0]), "at_most": _short(pair[1])}
            found[name] = row | {"causal": verdict.causal}
        return found

    def _at(
        self,
        device: Device,
        variants: Mapping[str, Variant],
        size: Size,
        verdicts: Mapping[str, Any],
        seconds: float,
        live: bool,
        rounds: int,
    ) -> list[dict[str, Any]]:
        rows, calls = [], {}
        inputs = self.inputs(size, device, device.dtype)
        for name, variant in variants.items():
            row = self._counted(name, size)
            rows.append(row)
            if reason := self._why_not(device, variant, size, live):
                row["why_not"] = reason
                continue
            verdict = verdicts.get(name, {})
            if "unavailable" in verdict:
                row["why_not"] = verdict["unavailable"]
                continue
            if not verdict.get("holds"):
                row["why_not"] = f"failed: {verdict.get('failed', 'it is not equal')}"
                continue
            try:
                call = self._timed(variant.prepare(size), inputs)
                if "memory" in self.measures:
                    row["extra_bytes"] = peak_extra_bytes(call, device)
                if "time" in self.measures:
                    row["kernels"] = kernel_names(call)
                calls[name] = call
            except Unavailable as error:
                row["why_not"] = str(error)
            except Exception as error:
                row["why_not"] = _failure(error)
        if "time" in self.measures and calls:
            self._time(device, rows, calls, size, seconds, rounds)
        return rows

    def _time(
        self,
        device: Device,
        rows: list[dict[str, Any]],
        calls: Mapping[str, Callable[[], object]],
        size: Size,
        seconds: float,
        rounds: int,
    ) -> None:
        gpu = device.kind == "cuda"
        part = seconds * 2 / 3 if gpu else seconds
        warm = None
        try:
            timings = compare(calls, rounds=rounds, seconds=part, device=device)
            if gpu:
                how: dict[str, Any] = {"warm_up": 3, "cold": False, "device": device}
                warm = compare(calls, rounds=rounds, seconds=seconds / 3, **how)
        except RuntimeError as error:  # each fits, and all side by side may not
            for row in rows:
                if row["variant"] in calls:
                    row["why_not"] = _failure(error)
            return
        for row in rows:
            name = row["variant"]
            if name in calls:
                try:
                    self._timed_row(device, row, timings, warm)
                except ValueError as error:
                    row["why_not"] = f"failed: {error}"

    def _timed_row(
        self, device: Device, row: dict[str, Any], timings: Timings, warm: Timings | None
    ) -> None:
        name = row["variant"]
        median = timings.median(name)
        # In a warm cache more may pass than memory could bring: only cold rates are bounded.
        refuse_impossible(
            device,
            f"{self.name}, {name}",
            operations=row["operations"] / median.value,
            moved=self.least_bytes(row["size"]) / median.value,
        )
        row["seconds"] = {k: _short(v) for k, v in median._asdict().items()}
        row["samples"] = [_short(v) for v in timings.samples[name]]
        if warm is not None:
            row["warm"] = {k: _short(v) for k, v in warm.median(name)._asdict().items()}
        if timings.clocks:
            row["clocks"] = timings.clocks

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


def _failure(error: Exception) -> str:
    if "out of memory" in str(error).lower() or isinstance(error, MemoryError):
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return "it does not fit into this device's memory"
    return f"failed: {_words(error)}"


def _words(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return f"{type(error).__name__}: {lines[0]:.160}"


def _short(value: float) -> float:
    """Round to four digits, so that a record stays small."""
    return float(f"{value:.4g}")
