"""What the page trains is what torch trains: gradients, batches, steps, the recorded runs."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import live_training as recording
import numpy as np
import pytest

from attention_course.data.world import Pair, parse
from attention_course.data.world.sentences import random_sentences, right_translations
from attention_course.measure import recorded
from attention_course.models import sequence_loss
from attention_course.widgets import LiveTraining
from attention_course.widgets.kit.compose import WIDGETS
from attention_course.widgets.live_training.widget import SETTING, training

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="needs Node"),
    pytest.mark.inputs("src/attention_course/widgets"),
]
SCRIPT = Path(__file__).with_name("train.mjs")
MODELS = ("attention", "fixed")


def by_page(folder=WIDGETS, **asked):
    """Return what JavaScript computes."""
    asked = json.dumps({"folder": str(folder), **asked})
    run = subprocess.run(
        ["node", SCRIPT], input=asked, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


def sizes_of(name):
    sizes = {"source": len(recording.ENGLISH), "target": len(recording.FRENCH)}
    return SETTING["models"][name] | sizes


def flat(tensors):
    return torch.cat([tensor.detach().flatten() for tensor in tensors]).numpy()


def an_example(name, seed):
    """Return a model, what the page is asked, and the loss, for one pair."""
    model = recording.build(name, seed)
    with torch.no_grad():  # biases that are not zero
        for one in model.parameters():
            one += 0.1 * torch.from_numpy(np.random.RandomState(7).standard_normal(one.shape))
    batch = recording.batch_of(random_sentences(1, np.random.RandomState(seed)))
    loss = sequence_loss(model, batch)
    loss.backward()
    asked = {
        "sizes": sizes_of(name),
        "data": flat(model.parameters()).tolist(),
        "source": batch.source[0].tolist(),
        "target": batch.target[0].tolist(),
        "share": 1 / batch.target.size,
    }
    return model, batch, asked, loss.item()


def furthest(model, grad):
    """Return by how much a gradient is off, at most, against the size of torch's."""
    wanted = flat(one.grad for one in model.parameters())
    return np.abs(np.array(grad) - wanted).max() / np.abs(wanted).max()


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("name", MODELS)
def test_forwards_and_backwards_are_torchs(name, seed):
    model, batch, asked, loss = an_example(name, seed)
    got = by_page(example=asked)
    assert got["loss"] * asked["share"] == pytest.approx(loss, abs=1e-12)
    assert furthest(model, got["grad"]) < 1e-12
    given = np.column_stack([[1], batch.target[:, :-1]])
    with torch.no_grad():
        logits, weights = model.follow(
            torch.from_numpy(batch.source),
            torch.from_numpy(batch.source_lengths),
            torch.from_numpy(given),
        )
    np.testing.assert_allclose(got["logits"], logits[0], atol=1e-12)
    if name == "attention":
        np.testing.assert_allclose(got["weights"], weights[0], atol=1e-12)
    written = model.generate(
        torch.from_numpy(batch.source), torch.from_numpy(batch.source_lengths), 12
    )
    assert got["written"] == [n for n in written[0].tolist() if n != 2][: len(got["written"])]


WRONG = {
    "the softmax without its mean": ("dWeights[j] - mean", "dWeights[j]"),
    "no slope of the tanh in the scores": (" * (1 - tanh[i] * tanh[i])", ""),
    "no gradient into the keys": ("dKeys[j][i] += inside", "dKeys[j][i] += 0"),
    "no gradient into the query": ("dAsked[i] += inside", "dAsked[i] += 0"),
    "no gradient into the values": ("weights[j] * dContext[i]", "0"),
    "the gates changed places": ("const r = gates[d + i]", "const r = gates[i]"),
    "the update gate the wrong way round": ("dNext[i] * (1 - z)", "dNext[i] * z"),
    "no way back through the reset gate": ("ds[i] += dReset[i] * r", "ds[i] += 0"),
    "the smaller of two goes back": ("pairs[2 * i] >= pairs", "pairs[2 * i] < pairs"),
    "a backward reader that is not turned": (".subarray(h)).reverse()", ".subarray(h))"),
    "a first state without its tanh": ("x * (1 - memory.s[i] * memory.s[i])", "x"),
    "the right symbol not taken away": ("dLogits[target[i]] -= 1", "dLogits[target[i]] -= 0"),
}


@pytest.mark.gate("gradients in the page are torch's", "twelve mistakes in the backward pass")
@pytest.mark.parametrize("mistake", WRONG)
def test_a_wrong_backward_pass_is_noticed(mistake, tmp_path):
    shutil.copytree(WIDGETS, tmp_path / "widgets", ignore=shutil.ignore_patterns("*.py"))
    file = tmp_path / "widgets" / "live_training" / "network.js"
    right, wrong = WRONG[mistake]
    source = file.read_text("utf-8")
    assert source.count(right) == 1
    file.write_text(source.replace(right, wrong), "utf-8")
    model, _, asked, _ = an_example("attention", 0)
    assert furthest(model, by_page(tmp_path / "widgets", example=asked)["grad"]) > 1e-4


@pytest.mark.parametrize("name", MODELS)
def test_the_first_parameters_are_torchs(name):
    got = by_page(first={"sizes": sizes_of(name), "seed": 5})["first"]
    np.testing.assert_allclose(got, flat(recording.build(name, 5).parameters()), atol=1e-15)


def asked_run(name, seed, steps):
    given = json.loads(json.dumps(training(), sort_keys=True))  # as a notebook stores it
    return {
        "setting": given["setting"],
        "words": given["words"],
        "name": name,
        "seed": seed,
        "steps": steps,
    }


@pytest.mark.parametrize("name", MODELS)
def test_a_training_in_the_page_is_the_recorded_one(name):
    """To the four digits that are recorded, in the first steps."""
    runs, _ = recorded("live_training")
    (run,) = (r for r in runs if (r["model"], r["seed"]) == (name, 1))
    every, taken = SETTING["every"], 100
    got = by_page(run=asked_run(name, 1, taken))
    blocks = np.reshape(got["losses"], (-1, every)).mean(axis=1)
    np.testing.assert_allclose(blocks, run["losses"][: taken // every], atol=6e-5)
    assert got["losses"][:3] == pytest.approx(run["first_losses"], abs=1e-6)
    assert got["exact"] == run["exact"][taken // every - 1]
    shown, pair = got["show"], recording.held_out()[0]
    assert (shown["source"], shown["target"]) == (pair.source, pair.target)
    source, target = pair.source.split(), pair.target.split()
    if name == "attention":
        assert np.shape(shown["weights"]) == (len(target), len(source))
        np.testing.assert_allclose(np.sum(shown["weights"], axis=1), 1, atol=1e-12)
    else:
        assert shown["weights"] == [[]] * len(target)


def test_sentences_are_read_as_in_python():
    """Each with all its translations, and where the words of one come from."""
    sources = [pair.source for pair in recording.held_out()[:40]]
    asked = asked_run("attention", 0, 0) | {"own": sources}
    for source, shown in zip(sources, by_page(run=asked)["shows"], strict=True):
        found = {" ".join(t.sentence("french")): t for t in parse(source.split(), "english")}
        assert shown["right"] == sorted(found) == right_translations(source)
        alignments = [
            [sorted(places) for places in Pair(tree).alignment("english")]
            for tree in parse(source.split(), "english")
            if " ".join(tree.sentence("french")) == shown["target"]
        ]
        assert shown["from"] in alignments


def test_another_seed_is_another_training():
    first, second = (by_page(run=asked_run("fixed", seed, 2))["losses"] for seed in (0, 1))
    assert abs(first[0] - second[0]) > 1e-3


def test_the_worker_is_a_script_of_its_own():
    code = training()["worker"]
    assert "import " not in code
    assert "export " not in code
    assert code.rstrip().endswith("serve(self);")


def test_the_widget_shows_the_record_where_nothing_runs():
    widget = LiveTraining()
    runs, _ = recorded("live_training")
    for run in runs:
        for measure in ("losses", "exact"):
            assert f"{run[measure][-1]:.2f}" in widget.fallback
    assert len(re.findall("<tr>", widget.fallback)) == 6
