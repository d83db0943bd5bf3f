"""Does a GPU train the book's models faster than the CPU beside it?"""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple

import numpy as np
import torch
from torch import nn

from attention_course.benchmarks.base import Benchmark, Size, Variant, failure, short
from attention_course.measure import Device, one_thread
from attention_course.measure.statistics import median_interval

STEPS = 5  # of a sample, whose time is divided by them
ROUNDS = 30  # at most
NEAR = 0.01  # the share of its loss by which two devices may differ in their first steps


class Trained(NamedTuple):
    """A model as a chapter trains it.

    Attributes:
        model: with its first weights, drawn from seed 0.
        draw: returns the next batch.
        loss: of model and batch.
    """

    model: nn.Module
    draw: Callable[[np.random.RandomState], Any]
    loss: Callable[..., torch.Tensor]


def _translator(name: str, *sizes: int, **widths: int) -> Trained:
    """Return a model that writes dates: sequences in, sequences out."""
    from attention_course import models
    from attention_course.data import LengthBatches
    from attention_course.data.dates import date_vocabularies, random_dates

    letters, digits = date_vocabularies()
    dates = random_dates(2000, np.random.RandomState(0))
    sources = [letters.encode(pair.source) for pair in dates]
    targets = [digits.encode(pair.target) for pair in dates]
    rng = np.random.RandomState(0)
    model = getattr(models, name)(len(letters), len(digits), *sizes, rng, **widths)
    return Trained(model, LengthBatches(sources, targets, 64).draw, models.sequence_loss)


def _tagger() -> Trained:
    from attention_course import models
    from attention_course.data.tasks import random_strings

    def draw(rng: np.random.RandomState) -> tuple[torch.Tensor, torch.Tensor]:
        x = torch.from_numpy(random_strings(128, 8, 26, rng))
        return x, x

    model = models.RecurrentTagger(29, 64, np.random.RandomState(0))
    return Trained(model, draw, models.tagging_loss)


def _of_text(name: str) -> Trained:
    """Return a model that goes on with a text."""
    from attention_course import models
    from attention_course.data.characters import character_text

    text, rng = character_text(), np.random.RandomState(0)
    if name == "LanguageModel":
        model: nn.Module = models.LanguageModel(len(text.symbols), rng)
    else:
        model = models.NextSymbolModel("lstmn", len(text.symbols), rng, width=48)
    rows, length = (24, 49) if name == "LanguageModel" else (32, 14)
    return Trained(model, lambda rng: text.draw(rng, rows, length), models.next_symbol_loss)


def _copier() -> Trained:
    from attention_course import models

    rng = np.random.RandomState(0)
    batches = models.copy_batches("reverse", rng, 200, size=64)
    return Trained(
        models.LocalAttentionCopier("local-p", 2, rng), batches.draw, models.sequence_loss
    )


def _lookup(name: str, *how: Any, loss: str = "lookup_loss") -> Trained:
    from attention_course import models

    model = getattr(models, name)(*how, np.random.RandomState(0))
    return Trained(model, models.lookup_tensors, getattr(models, loss))


def _experiment(module: str, name: str, task: str, *how: Any) -> Trained:
    """Return a model of an experiment that draws its own tensors."""
    from importlib import import_module

    there = import_module(f"attention_course.models.experiments.{module}")
    model = getattr(there, name)(*how, np.random.RandomState(0))
    return Trained(model, getattr(there, f"{task}_tensors"), getattr(there, f"{task}_loss"))


def _covered() -> Trained:
    from attention_course import models
    from attention_course.data.covered_letters import CoveredLetters, letter_words

    words, _ = letter_words(np.random.RandomState(0))
    model = models.CoveredLetterModel(4, np.random.RandomState(0))
    return Trained(model, CoveredLetters(words, 256).draw, models.covered_loss)


def _heads() -> Trained:
    from attention_course import models
    from attention_course.layers import MultiHeadAttention

    model = MultiHeadAttention(16, 2, generator=torch.Generator().manual_seed(0))
    return Trained(model, models.two_targets_tensors, models.two_targets_loss)


_BAHDANAU = {"embedding": 32, "encoder": 16, "decoder": 64, "alignment": 64, "maxout": 32}
# By the name of the class, which is how ``fit`` finds what was recorded.
MODELS: dict[str, Callable[[], Trained]] = {
    "LookupModel": lambda: _lookup("LookupModel", "scaled", 64),
    "RecurrentTagger": _tagger,
    "FixedVectorSeq2Seq": lambda: _translator("FixedVectorSeq2Seq", 64),
    "BahdanauSeq2Seq": lambda: _translator("BahdanauSeq2Seq", **_BAHDANAU),
    "LuongSeq2Seq": lambda: _translator("LuongSeq2Seq", embedding=32, width=48, layers=2),
    "GNMT": lambda: _translator("GNMT", depth=4, width=48),
    "NextSymbolModel": lambda: _of_text("NextSymbolModel"),
    "LocalAttentionCopier": _copier,
    "HardLookup": lambda: _lookup("HardLookup", "soft", 16, loss="hard_loss"),
    "LookupWithScore": lambda: _lookup("LookupWithScore", "additive", 16),
    "PronounReader": lambda: _experiment("pronouns", "PronounReader", "pronoun"),
    "MultiHeadAttention": _heads,
    "CoveredLetterModel": _covered,
    "AttentionOnlySeq2Seq": lambda: _translator("AttentionOnlySeq2Seq"),
    "LanguageModel": lambda: _of_text("LanguageModel"),
    "RecallModel": lambda: _experiment("recall", "RecallModel", "recall", ["full"]),
    "CallReader": lambda: _experiment("calls", "CallReader", "call"),
}


class Training(Benchmark):
    """A step of training, batch and all, on the GPU and on one thread of the CPU beside it."""

    name = "training"
    question = "Does a GPU train the book's models faster than the CPU beside it?"
    baseline = "CPU"
    sizes: ClassVar[dict[str, Sequence[Size]]] = {
        "cpu": [{"model": name} for name in MODELS],
        "cuda": [{"model": name} for name in MODELS],
        "tiny": [{"model": "LookupModel"}],
    }

    def variants(self, device: Device) -> dict[str, Variant]:
        """Return the places: both train the same model."""
        places = ("CPU", "GPU") if device.kind == "cuda" else ("CPU",)
        return {place: Variant(lambda size: MODELS[size["model"]]().model) for place in places}

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
        """Compare the first losses of both, then let them take turns.

        Args:
            device: which GPU; a CPU is measured alone.
            sizes: which models.
            seconds: about how long the timing may take, of all models together.
            live: whether this is a page's cell; nothing is left out for it.
            told: called with a model's name before it is touched.
            without: models that are left alone, and why.

        Returns:
            Rows and verdicts, as of every benchmark.
        """
        started = time.process_time()
        rows: list[dict[str, Any]] = []
        verdicts: list[dict[str, Any]] = []
        with one_thread():
            for size in sizes:
                told(size["model"])
                pair = {place: self._counted(place, size) for place in self.variants(device)}
                rows += pair.values()
                if reason := (without or {}).get(size["model"]):
                    for row in pair.values():
                        row["why_not"] = reason
                    continue
                runs = {}
                for place, row in pair.items():
                    try:
                        runs[place] = _Run(MODELS[size["model"]](), place)
                    except Exception as error:
                        row["why_not"] = failure(error)
                if len(runs) == 2:
                    verdicts.append(_compared(size, runs))
                    if not verdicts[-1]["holds"]:
                        pair["GPU"]["why_not"] = "failed: it is not equal"
                        del runs["GPU"]
                _take_turns(runs, pair, seconds / len(sizes))
        spent = round(time.process_time() - started, 1)
        return {"rows": rows, "equivalence": verdicts, "cpu_seconds": spent}


class _Run:
    """One training, a few steps at a time; its first steps are not timed."""

    def __init__(self, trained: Trained, place: str):
        self.trained, self.device = trained, {"CPU": "cpu", "GPU": "cuda"}[place]
        self.rng = np.random.RandomState(1)
        self.losses = self.steps().losses

    def steps(self) -> Any:
        """Take some steps; return their history."""
        from attention_course.training import fit

        how: dict[str, Any] = {"steps": STEPS, "device": self.device, "progress": False}
        model, draw, loss = self.trained
        return fit(model, draw, loss, self.rng, **how)


def _compared(size: Size, runs: Mapping[str, _Run]) -> dict[str, Any]:
    """Say whether the first losses on a GPU are those on the CPU."""
    ours, wanted = (np.array(runs[place].losses) for place in ("GPU", "CPU"))
    error, most = float(np.abs(ours - wanted).max()), NEAR * float(np.abs(wanted).max())
    return {
        "variant": "GPU",
        "size": dict(size),
        "holds": error <= most,
        "output": {"error": short(error), "at_most": short(most)},
        "gradient": None,
        "causal": None,
    }


def _take_turns(
    runs: Mapping[str, _Run], rows: Mapping[str, dict[str, Any]], seconds: float
) -> None:
    samples: dict[str, list[float]] = {place: [] for place in runs}
    started = time.perf_counter()
    for done in range(ROUNDS):
        if done >= 5 and time.perf_counter() - started > seconds:
            break
        for place, run in runs.items():
            samples[place].append(run.steps().seconds / STEPS)
    for place, found in samples.items():
        rows[place]["seconds"] = {
            k: short(v) for k, v in median_interval(found)._asdict().items()
        }
        rows[place]["samples"] = [short(v) for v in found]
