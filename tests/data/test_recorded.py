"""What chapters draw was measured by the scripts that lie in the repository: a row a record.

A record is of its script's settings and complete; the script's first steps give the recorded
losses again; no other seed or model would pass for it. What a record says beyond that stands
below the rows, or in a file of its own, ``test_recorded_NAME.py``.
"""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import product
from typing import Any, NamedTuple
from unittest import mock

import asking_an_image
import attention_today
import bottleneck
import convolutional_networks
import decoding_cache
import deep_norm
import draft_heads
import glimpses
import gnmt
import linear_attention_today
import live_training
import long_recall
import longer_positions
import lstmn
import numpy as np
import positions
import pytest
import shared
import shared_keys
import translation
import vision_transformer
from records import assert_same_steps, assert_told_apart, the_run

from attention_course.data.characters import character_text
from attention_course.data.parallel import translation_task
from attention_course.data.tensors import load_checkpoint
from attention_course.layers.positions import KINDS as POSITIONS
from attention_course.measure import recorded
from attention_course.models import FixedVectorSeq2Seq, LanguageModel, sequence_loss
from attention_course.models.experiments.asking import load_asker
from attention_course.models.experiments.glimpses import GLIMPSERS, load_glimpser
from attention_course.models.experiments.vision_transformer import (
    FINE,
    image_accuracy,
    load_vision_transformer,
)
from attention_course.reference import softmax


class Recorded(NamedTuple):
    """One record: what its origin says, its runs, which of them begin again, and how.

    ``keys`` tell one run from the others; ``again`` runs the script for a few steps; of runs
    that are one to ``apart``, no two begin alike, and what is None to it is not compared. Of
    those that are one to ``alike``, the largest has at most ``larger`` times the weights of the
    smallest. What else comes again, by its first numbers, is named in ``also``.
    """

    name: str
    about: dict[str, Any]
    keys: tuple[str, ...]
    runs: Iterable[tuple]
    again: dict[tuple, Callable[[], Any]]
    apart: Callable[[dict], Any]
    larger: float = 0
    alike: Callable[[dict], Any] = lambda run: 0
    losses: str = "first_losses"
    also: tuple[str, ...] = ("first_losses",)


def unfold(found: Any, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """Return the runs of dictionaries in dictionaries, each with its keys by these names."""
    if not names:
        return [found]
    pairs = found.items() if isinstance(found, dict) else enumerate(found)
    return [{names[0]: key} | run for key, each in pairs for run in unfold(each, names[1:])]


SHAPES = {  # of records that are no list of runs
    "deep_norm": lambda found: unfold(found, ("order", "rise", "seed")),
    "longer_positions": lambda found: [run | run["trained"] for run in found],
    "positions": lambda found: unfold(found, ("kind", "seed")),
}


def runs_of(name: str) -> list[dict[str, Any]]:
    """Return the runs of a record as a list, whatever they are kept in."""
    result = recorded(name)[0]
    if name in SHAPES:
        return SHAPES[name](result)
    if isinstance(result, list):
        return result
    if "models" in result:
        each = {name: row["runs"] for name, row in result["models"].items()}
        return unfold(each, ("model", "seed"))
    return unfold(result["runs"], ("task", "model", "seed"))


def groups(name: str, of: Callable[[dict], Any]) -> list[list[dict]]:
    """Return the runs that are one to a function, together."""
    found: dict[Any, list] = {}
    for run in runs_of(name):
        found.setdefault(of(run), []).append(run)
    return [runs for group, runs in found.items() if group is not None]


def only(**which: Any) -> Callable[[dict], Any]:
    """Take the runs that are so, as one group."""
    return lambda run: 0 if which.items() <= run.items() else None


def today(script: Any, name: str, apart: Callable[[dict], Any], **about: Any) -> Recorded:
    """A record of tasks, models and seeds: the last seed of each model begins again."""
    seeds: dict[tuple, list] = {}
    for run in runs_of(name):
        seeds.setdefault((run["task"], run["model"]), []).append(run["seed"])
    runs = [(*of, seed) for of, each in seeds.items() for seed in script.SEEDS[: len(each)]]
    again = {(*of, each[-1]): partial(script.run, *of, each[-1], steps=3)
             for of, each in seeds.items()}  # fmt: skip
    about |= {"seeds": [*script.SEEDS], "steps": script.STEPS, "peaks": script.PEAKS}
    return Recorded(name, about, ("task", "model", "seed"), runs, again, apart)


TRANSLATORS = ("attention", "fixed", "transformer")


def gnmt_runs(task: str, again: Iterable[bool]) -> Recorded:
    plans = [gnmt.BASE | plan for plan in gnmt.PLANS[task]]
    keys = ("depth", "residual", "lr")
    quick = {one: gnmt.BASE | {"depth": 8, "residual": one, "steps": 3} for one in again}
    return Recorded(
        f"gnmt_{task}",
        {"settings": gnmt.BASE, "script": f"benchmarks/gnmt.py {task}"},
        (*keys, "seed"),
        [(*(plan[k] for k in keys), seed) for plan in plans for seed in gnmt.SEEDS],
        {(8, residual, setting["lr"], 0): partial(gnmt.run, setting, 0, measure=False)
         for residual, setting in quick.items()},
        only(depth=8, residual=True, lr=gnmt.BASE["lr"]) if again else lambda run: None,
        1 if again else 0, lambda run: run["depth"],
    )  # fmt: skip


def lengthened(seed: int, width: int) -> dict:
    rng = np.random.RandomState(seed)
    setting = bottleneck.LONGER | {"steps": 3}
    model = FixedVectorSeq2Seq(29, 29, width, rng)
    return shared.learn(model, bottleneck.draw_reversal, sequence_loss, rng, setting)[1]


def with_keys(left: int) -> dict:
    """Train a language model with eight heads, or with few of their keys, for three steps."""
    text = character_text()
    model = LanguageModel(len(text.symbols), np.random.RandomState(1), n_heads=8)
    if left < 8:
        model = shared_keys.with_fewer(model, left, "first", 1)
    return shared_keys.train(model, text, 1, 0, 3, shared_keys.SETTING, 3)


def seen(name: str) -> dict:
    """Train a Vision Transformer, or its rival, and measure nothing below it."""
    below = ("kept_right", "covered_changes", "silent_right")
    with mock.patch.multiple(vision_transformer, **dict.fromkeys(below, lambda *_: None)):
        quick = vision_transformer.SETTING | {"steps": 20, "fine_steps": 20}
        return vision_transformer.run(name, vision_transformer.SIZES[-1], 0, quick)[0]


def translated(name: str) -> dict:
    setting = recorded("translation")[0]["models"][name]["setting"]
    task = translation_task(np.random.RandomState(0))
    return {"first_losses": translation.first_losses(task, name, 0, setting, 2)}


def nothing(run: dict) -> None:
    """Compare no runs."""


def steps(script: Any, n: int = 3, **fewer: int) -> dict[str, Any]:
    return script.SETTING | {"steps": n} | fewer


ASK = steps(asking_an_image, names=1000, judged=200)
CONVOLVE, GLIMPSE = steps(convolutional_networks, 20, covered=5), steps(glimpses, judged=50)
LIVE = steps(live_training)
KEYS = [(8, "trained"), (8, "as it was"), (2, "from the beginning")]
KEYS += product(shared_keys.LEFT, shared_keys.WAYS)

RECORDS = [
    Recorded(
        "asking_an_image", {"settings": asking_an_image.SETTING}, ("way", "seed"),
        asking_an_image.RUNS,
        {key: partial(asking_an_image.run, *key, ASK)
         for key in (("two looks", 0), ("two looks", 1), ("one look", 2), ("even", 0))},
        lambda run: run["way"], losses="naming_losses",
    ),
    today(
        attention_today, "attention_today",
        only(task="copying", model="full"),
        rows=attention_today.ROWS, models=attention_today.MODELS,
    ),
    today(
        linear_attention_today, "linear_attention_today",
        only(task="rewriting", model="delta"),
        steady=linear_attention_today.STEADY,
    ),
    Recorded(
        "draft_heads", {"settings": draft_heads.SETTING}, ("task", "model", "seed"),
        [("heads", kind, seed) for kind in draft_heads.KINDS for seed in draft_heads.SEEDS],
        {("heads", kind, 2): partial(
            draft_heads.run, kind, 2, draft_heads.SETTING | {"steps": 3, "texts": 1})
         for kind in draft_heads.KINDS},
        lambda run: run["model"],
    ),
    Recorded(
        "convolutional_networks", {"settings": convolutional_networks.SETTING},
        ("kind", "seed"), convolutional_networks.RUNS,
        {(kind, 0): partial(convolutional_networks.run, kind, 0, CONVOLVE)
         for kind in convolutional_networks.LAST},
        only(kind="none"),
    ),
    Recorded(
        "glimpses", {"settings": glimpses.SETTING}, ("way", "seed"), glimpses.RUNS,
        {(way, 1): partial(glimpses.run, way, 1, GLIMPSE) for way in GLIMPSERS},
        lambda run: run["way"],
    ),
    Recorded(
        "live_training", {"settings": live_training.SETTING}, ("model", "seed"),
        product(("attention", "fixed"), live_training.SEEDS),
        {(name, 0): partial(live_training.run, name, LIVE, 0, measure=False)
         for name in live_training.SETTING["models"]},
        only(model="attention"), 1.012,
    ),
    Recorded(
        "long_recall",
        {"seeds": [*long_recall.SEEDS], "steps": long_recall.STEPS, "n": long_recall.N,
         "batch": long_recall.BATCH, "window": long_recall.WIDTH, "block": long_recall.BLOCK},
        ("model", "seed"), product(long_recall.MODELS, long_recall.SEEDS),
        {(name, 1): partial(long_recall.run, name, 1, row["lr"], steps=3)
         for name, row in recorded("long_recall")[0]["models"].items()},
        only(model="full"),
    ),
    Recorded(
        "bottleneck_reversal",
        {"settings": bottleneck.REVERSAL, "script": "benchmarks/bottleneck.py reversal"},
        ("width", "seed"), product(bottleneck.REVERSAL["widths"], bottleneck.SEEDS), {},
        nothing,
    ),
    Recorded(
        "bottleneck_longer",
        {"settings": bottleneck.LONGER, "script": "benchmarks/bottleneck.py longer"},
        ("seed", "width"), bottleneck.LONGER["runs"],
        {(seed, 32): partial(lengthened, seed, 32) for seed in (1, 2)}, only(width=32),
    ),
    Recorded(
        "deep_norm",
        {"seeds": [*deep_norm.SEEDS], "depth": deep_norm.DEPTH, "steps": deep_norm.STEPS,
         "rise": deep_norm.RISE, "rate": deep_norm.RATE},
        ("order", "rise", "seed"),
        product(deep_norm.ORDERS, ("none", "warm-up"), deep_norm.SEEDS),
        {(order, "none", 0): partial(deep_norm.run, character_text(), order, 0, 0, steps=3)
         for order in deep_norm.ORDERS},
        only(rise="none", seed=0), also=("gradients",),
    ),
    Recorded(
        "longer_positions",
        {"seeds": [*positions.SEEDS], "more": longer_positions.MORE,
         "rate": longer_positions.RATE},
        ("seed",), product(positions.SEEDS),
        {(0,): lambda: longer_positions.trained(character_text(), 0, steps=3)[1]}, only(),
    ),
    Recorded(
        "positions",
        {"steps": [*positions.MARKS], "length": positions.LENGTH, "tested_on": positions.LONG,
         "places": positions.PLACES, "peak": positions.PEAK},
        ("kind", "seed"), product(POSITIONS, positions.SEEDS),
        {(kind, 0): partial(positions.trained, character_text(), kind, 0, steps=3)
         for kind in ("learned", "alibi")},
        lambda run: 0 if run["kind"] in ("learned", "alibi") else None,
    ),
    Recorded(
        "shared_keys",
        {"settings": shared_keys.SETTING, "seeds": [*shared_keys.SEEDS]},
        ("kv_heads", "how", "seed"),
        [(*which, seed) for which in KEYS for seed in shared_keys.SEEDS],
        {(*KEYS[i], 1): partial(with_keys, KEYS[i][0]) for i in (0, 2)},
        only(kv_heads=8, how="trained"),
    ),
    Recorded(
        "translation",
        {"rates": translation.RATES, "rise": translation.RISE,
         "search_cpu_seconds_each": translation.SEARCH},
        ("model", "seed"), product(TRANSLATORS, translation.SEEDS),
        {(name, 0): partial(translated, name) for name in TRANSLATORS},
        only(model="attention"),
    ),
    Recorded(
        "vision_transformer", {"settings": vision_transformer.SETTING},
        ("model", "size", "seed"), [*vision_transformer.FINE_RUNS, *vision_transformer.RUNS],
        {(name, vision_transformer.SIZES[-1], 0): partial(seen, name)
         for name in vision_transformer.MODELS},
        only(model="learned", size=vision_transformer.SIZES[-1]),
    ),
    gnmt_runs("depth", (True, False)),
    gnmt_runs("rates", ()),
    Recorded(
        "lstmn", {"settings": lstmn.SETTINGS}, ("task", "kind", "seed"),
        product(lstmn.SETTINGS, lstmn.KINDS, lstmn.SEEDS),
        {(task, kind, 0): partial(
            lstmn.run, task, lstmn.SETTINGS[task] | {"steps": 3}, kind, 0, measure=False
        ) for task in lstmn.SETTINGS for kind in lstmn.KINDS},
        only(task="repeat", kind="lstm"),
    ),
]  # fmt: skip
every_record = pytest.mark.parametrize("row", RECORDS, ids=lambda row: row.name)


@every_record
def test_a_record_is_of_the_scripts_settings_and_complete(row):
    source, runs = recorded(row.name)[1], runs_of(row.name)
    assert row.about.items() <= source.items()
    seen = sorted(tuple(run[key] for key in row.keys) for run in runs)
    assert seen == sorted(map(tuple, ALL[row.name]))
    for group in groups(row.name, row.alike) if row.larger else ():
        sizes = [run["weights"] for run in group]
        assert max(sizes) / min(sizes) <= row.larger


ALL = {row.name: [*row.runs] for row in RECORDS}  # of a product nothing is left the second time
AGAIN = [(row, which) for row in RECORDS for which in row.again]


@pytest.mark.parametrize(
    ("row", "which"), AGAIN, ids=[f"{row.name} {' '.join(map(str, w))}" for row, w in AGAIN]
)
def test_its_first_steps_come_again(row, which):
    (stored,) = (
        run for run in runs_of(row.name) if tuple(run[key] for key in row.keys) == which
    )
    found = row.again[which]()
    again = found[0] if isinstance(found, (tuple, list)) else found
    assert len(again[row.losses]) > 1
    assert_same_steps(again[row.losses], stored[row.losses][: len(again[row.losses])])
    if isinstance(stored.get("weights"), int):
        assert again.get("weights", stored["weights"]) == stored["weights"]
    for name in row.also:  # what comes after another training carries on its rounding
        np.testing.assert_allclose(again[name], stored[name][: len(again[name])], rtol=0.02)


@every_record
def test_another_seed_or_model_would_not_pass_for_it(row):
    for group in groups(row.name, row.apart):
        assert_told_apart([run[row.losses] for run in group])


# What a record says beyond that.


def always_below(a, b):
    """Say whether each run of one setting is below each run of the other."""
    return max(a) < min(b)


@pytest.mark.parametrize(
    ("name", "script", "load", "which", "found"),
    [
        ("asking_an_image", asking_an_image, load_asker, "two looks", ("right",)),
        ("glimpses", glimpses, load_glimpser, "chosen", ("right", "in any look")),
    ],
)
def test_the_stored_parameters_do_what_the_record_says(name, script, load, which, found):
    stored = the_run(name, way=which, seed=0)
    again = script.judge(load()[0], script.SETTING["judged"])
    for what in found:
        assert again[what] == pytest.approx(stored[what], abs=0.01)
    for look, share in stored.get("shares", {}).items():
        assert again["shares"][look] == pytest.approx(share, abs=0.01)


def test_today_names_its_edges_and_tells_models_apart():
    for script, name, task, kinds in (
        (attention_today, "attention_today", "copying", ("full", "latent")),
        (linear_attention_today, "linear_attention_today", "rewriting",
         ("full", "linear", "delta")),
    ):  # fmt: skip
        result = recorded(name)[0]
        assert result["edges"] == list(script.EDGES)
        of_kinds = [result["runs"][task][kind][0]["first_losses"] for kind in kinds]
        assert_told_apart(of_kinds)


def test_what_is_said_of_attention_today():
    runs = recorded("attention_today")[0]["runs"]
    far = {
        n: [x for run in each for x in run["found"][1:]] for n, each in runs["recall"].items()
    }
    assert min(far["full"]) > 0.97
    assert max(far["window, full"]) < 0.12
    assert max(far["sparse"]) < 0.2
    copied = {n: [run["found"][0] for run in each] for n, each in runs["copying"].items()}
    assert min(*copied["full"], *copied["window, full"]) > 0.99
    assert max(*copied["latent"], *copied["full, window"]) < 0.4
    text = {n: each[0]["found"][0] for n, each in runs["text"].items()}
    assert text["window, full"] < text["full"] - 0.03 < text["latent"] - 0.1


def test_what_is_said_of_linear_attention_today():
    runs = recorded("linear_attention_today")[0]["runs"]
    often = {n: [run["found"][-1] for run in each] for n, each in runs["rewriting"].items()}
    assert max(often["linear"]) < 0.7 < min(often["decay"]) < min(often["delta"])
    assert max(often["full"]) < 0.96 < min(often["gated delta"])
    far = {n: [run["found"][-1] for run in each] for n, each in runs["recall"].items()}
    assert max(*far["delta"], *far["gated delta"]) < min(far["linear"]) < 0.3
    assert min(far["hybrid"]) > 0.95
    assert min(run["found"][0] for run in runs["copying"]["hybrid"]) > 0.99
    largest = {n: [run["found"][1] for run in each] for n, each in runs["high"].items()}
    assert min(largest["plain"]) > 1000
    assert max(largest["qk-norm"]) < 25


def test_what_is_said_of_drafts():
    result = recorded("draft_heads")[0]
    pairs = result["others"]["word pairs"]
    apart, chained = (result["runs"]["heads"][kind] for kind in draft_heads.KINDS)
    assert max(run["words"] for run in apart) < pairs["words"]
    assert min(run["words"] for run in chained) > pairs["words"] + 0.2
    for run in chained:
        assert min(run["kept"]) > max(pairs["kept"]) + 0.1
        assert max(run["kept"]) - min(run["kept"]) < 0.03
    for run in apart:
        assert run["kept"] == sorted(run["kept"], reverse=True)
    assert max(run["weights"] for run in chained) < 0.6 * apart[0]["weights"]


def test_a_cut_never_counts_another_whole():
    for run in recorded("convolutional_networks")[0]:
        assert run.get("cut", {"whole": run["test"]})["whole"] == run["test"]


def test_attention_translates_most_sentences_and_the_fixed_context_fewer():
    runs = recorded("live_training")[0]
    last = {
        m: [r["exact"][-1] for r in runs if r["model"] == m] for m in ("attention", "fixed")
    }
    assert min(last["attention"]) >= 0.8
    assert max(last["fixed"]) < min(last["attention"]) - 0.1


def test_what_is_said_of_long_recall():
    result = recorded("long_recall")[0]
    rows, rates = result["models"], long_recall.RATES
    assert result["edges"] == list(long_recall.EDGES)
    assert {n: (row["kinds"], row["d"]) for n, row in rows.items()} == long_recall.MODELS
    for row in rows.values():
        assert row["lr"] == max(rates, key=lambda lr, row=row: row["tuning"][str(lr)])
    right = {n: np.array([run["right"] for run in row["runs"]]) for n, row in rows.items()}
    assert right["full"].min() > 0.99
    assert right["window and full"].min() > 0.99
    assert right["linear, twice the width"].min() > 0.99
    for name in ("window", "two windows", "window and linear"):
        assert right[name][:, :2].min() > 0.99
        assert right[name][:, 2:].max() < 0.15
    assert right["linear, half the width"].mean() < right["linear"].mean() - 0.15


def exact_at_the_end(depth, residual):
    runs = recorded("gnmt_depth")[0]
    found = [r for r in runs if (r["depth"], r["residual"]) == (depth, residual)]
    return [1 - run["validation"][-1][1] for run in found]


def test_what_the_chapter_says_about_depth_holds_with_every_seed():
    assert min(exact_at_the_end(4, True) + exact_at_the_end(8, True)) > 0.95
    for depth in (4, 6, 8):
        assert max(exact_at_the_end(depth, False)) < 0.05
    assert max(1 - run["validation"][-1][1] for run in recorded("gnmt_rates")[0]) < 0.5


def test_the_longer_runs_pass_the_shorter_ones_on_their_way():
    every, steps = bottleneck.LONGER["every"], bottleneck.LONGER["steps"]
    for run in runs_of("bottleneck_longer"):
        assert [*map(int, run["exact"])] == [*range(every, steps + 1, every)]
        shorter = the_run("bottleneck_reversal", seed=run["seed"], width=run["width"])
        assert run["exact"][str(bottleneck.REVERSAL["steps"])] == shorter["exact"]


@pytest.mark.parametrize("task", ["sixth", "whole"])
def test_all_ways_to_decode_wrote_one_text_and_the_ratios_are_those_of_the_times(task):
    rows, source = recorded(f"decoding_cache_{task}")
    of = ("script", "width", "heads", "prompt", "temperature", "threads")
    named = (getattr(decoding_cache, name.upper()) for name in of[1:5])
    assert [source[name] for name in of] == [f"benchmarks/decoding_cache.py {task}", *named, 1]
    for row, (length, ways, rounds) in zip(rows, decoding_cache.RUNS[task], strict=True):
        assert {k: row[k] for k in ("blocks", "symbols")} == decoding_cache.SHAPES[task]
        assert (row["length"], row["texts"]) == (length, 1)
        assert row["different symbols"] > length / 2
        seconds = row["seconds"]
        assert {way: len(each) for way, each in seconds.items()} == dict.fromkeys(ways, rounds)
        for way in {*seconds} - {"in place"}:
            ratio = np.median(np.divide(seconds[way], seconds["in place"]))
            assert row[f"{way} / in place"] == pytest.approx(ratio, abs=1e-3)


def test_a_cache_saves_what_the_chapter_says_with_the_weights_of_its_shape():
    rows = recorded("decoding_cache_sixth")[0]
    ratios = {row["length"]: row["nothing / in place"] for row in rows}
    assert ratios[256] >= 5
    assert ratios[1024] >= 8
    model = decoding_cache.model_of(decoding_cache.SHAPES["sixth"], rows[0]["length"])
    assert sum(p.numel() for p in model.parameters()) == rows[0]["weights"]


def test_after_without_warm_up_is_the_only_one_that_fails():
    last, ends = {}, {}
    for run in runs_of("deep_norm"):
        assert len(run["gradients"]) == deep_norm.DEPTH
        last.setdefault((run["order"], run["rise"]), []).append(run["losses"][-1])
        if run["rise"] == "none":
            ends.setdefault(run["order"], []).append(run["gradients"][-1])
    failed = last.pop(("after", "none"))
    assert all(always_below(np.add(losses, 0.3), failed) for losses in last.values())
    assert always_below(2 * np.array(ends["before"]), ends["after"])


def test_what_is_said_of_positions():
    found = {}
    for run, mark in product(runs_of("positions"), map(str, positions.MARKS)):
        places, edge = run["by_place"][mark], positions.LENGTH // positions.PLACES
        means = np.mean(places[:edge]), np.mean(places[edge:])
        found.setdefault(mark, {}).setdefault(run["kind"], []).append(means)
    early, late = ({k: np.array(v).T for k, v in of.items()} for of in found.values())
    assert abs(early["learned"][0] - early["none"][0]).max() < 0.05
    assert late["none"][0].min() - late["learned"][0].max() > 0.1
    assert late["learned"][1].min() - late["none"][1].max() > 0.3
    assert abs(late["alibi"][1] - late["alibi"][0]).max() < 0.1
    for best, part in (("rotary", 0), ("alibi", 1)):
        others = {*POSITIONS} - {best}
        assert all(always_below(late[best][part], late[kind][part]) for kind in others)


def losses_with(kv_heads, how, at=-1):
    runs = runs_of("shared_keys")
    found = [run for run in runs if (run["kv_heads"], run["how"]) == (kv_heads, how)]
    return np.array([run["path"][at][1] for run in found])


def test_what_is_said_of_pooled_heads():
    own, few = losses_with(8, "as it was"), losses_with(2, "from the beginning")
    for left in shared_keys.LEFT:
        mean, first, new = (losses_with(left, how) for how in shared_keys.WAYS)
        assert losses_with(left, "mean", 0).min() > 2.6
        assert max(mean.max(), first.max()) < new.min()
        assert mean.min() > own.max() + 0.3
    assert (few - own).mean() < 0.05
    for how in shared_keys.WAYS:
        path = the_run("shared_keys", kv_heads=2, how=how, seed=0)["path"]
        assert path[-1][0] == shared_keys.SETTING["steps"] // 10


def test_the_stored_vision_transformer_is_cut_as_the_record_says():
    stored, script = the_run("vision_transformer", model="fine", seed=0), vision_transformer
    model, about = load_vision_transformer()
    assert model.patch == FINE[0]
    assert image_accuracy(model) == pytest.approx(float(about["test"]), abs=0.003)
    kept, covered = script.kept_right(model), script.covered_changes(model, script.COVERED)
    for name, shares in kept.items():
        assert shares == pytest.approx(stored["kept"][name], abs=0.01)
    for name, found in covered.items():
        assert found == pytest.approx(stored["covered"][name], abs=0.02)
    assert script.silent_right(model)[0] == pytest.approx(stored["silent"][0], abs=0.01)
    # Nothing is dropped with all 49, and with none the ways are one.
    assert len({shares[0] for shares in kept.values()}) == 1
    assert len({shares[-1] for shares in kept.values()}) == 1
    assert len({tuple(shares) for shares in kept.values()}) == 3
