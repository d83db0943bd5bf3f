"""The translators in JavaScript write what torch writes, with the same weights."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attention_course.data.packed import pack_translator, unpack_translator
from attention_course.data.parallel import translation_task
from attention_course.data.tensors import load_checkpoint, tensor_bytes
from attention_course.measure import recorded
from attention_course.reference.metrics.translation import bleu
from attention_course.widgets.sentence_player.translate import LONGEST as WORDS
from attention_course.widgets.sentence_player.translate import OTHER, UNCUT, translate
from attention_course.widgets.sentence_player.widget import words_of

torch = pytest.importorskip("torch")
pytestmark = [
    pytest.mark.skipif(not shutil.which("node"), reason="needs Node"),
    pytest.mark.inputs("src/attention_course/widgets"),
]

NAMES = ("attention", "fixed", "transformer")
LONGEST = 25
SCRIPT = Path(__file__).with_name("translate.mjs")


@pytest.fixture(scope="module")
def task():
    return translation_task(np.random.RandomState(0))


@pytest.fixture(scope="module")
def sentences(task):
    """Held-out verses, short and long."""
    return [task.source(verse) for verse in task.test[::180]]


def by_page(file, sentences, longest=LONGEST, brief=False, cuts=({},), other=()):
    """Return what JavaScript writes, of each sentence with each of some cuts."""
    rows = [{"tokens": tokens, "cuts": one} for tokens in sentences for one in cuts]
    asked = {"file": str(file), "sentences": rows, "longest": longest, "brief": brief}
    asked = json.dumps(asked | {"other": list(other)})
    run = subprocess.run(
        ["node", SCRIPT], input=asked, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)["written"]


def by_torch(model, tokens):
    """Return what torch writes, with logits and weights of every step, in single precision."""
    source, lengths = torch.tensor([tokens]), torch.tensor([len(tokens)])
    written = model.generate(source, lengths, LONGEST)
    given = torch.cat([torch.tensor([[1]]), written[:, :-1]], 1)
    with torch.no_grad():
        logits, weights = model.follow(source, lengths, given)
    return written[0].tolist(), logits[0].numpy(), weights[0].numpy()


def loaded(name, task, arrays):
    from attention_course.models.translators.trained import new_translator

    model = new_translator(name, task, np.random.RandomState(0)).eval()
    own = {k: a.astype("f4") for k, a in arrays.items() if not k.startswith("means.")}
    model.load_state_dict({k: torch.from_numpy(a) for k, a in own.items()})
    return model


@pytest.mark.parametrize("bits", [16, 8])
@pytest.mark.parametrize("name", NAMES)
def test_whole_sentences_are_torchs(name, bits, task, sentences, tmp_path):
    """In the shipped half precision, and in the eight bits that a page gets."""
    halves = load_checkpoint(f"translation_{name}")[0]
    content = tensor_bytes(halves) if bits == 16 else pack_translator(name)
    arrays = halves if bits == 16 else unpack_translator(content)[0]
    model = loaded(name, task, arrays)
    (tmp_path / "model").write_bytes(content)
    for tokens, steps in zip(sentences, by_page(tmp_path / "model", sentences), strict=True):
        symbols, logits, weights = by_torch(model, tokens)
        assert [step["symbol"] for step in steps] == symbols
        seen = np.array([step["logits"] for step in steps])
        np.testing.assert_allclose(seen, logits, rtol=0, atol=1e-4)
        if name != "fixed":
            looked = np.array([step["weights"] for step in steps])  # steps, heads, words
            by_heads = weights[None] if name == "attention" else weights
            np.testing.assert_allclose(looked.swapaxes(0, 1), by_heads, rtol=0, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_the_numpy_behind_the_read_outs_is_torchs(name, task):
    """It computes in double precision what the page is compared with."""
    model = loaded(name, task, unpack_translator(pack_translator(name))[0])
    for verse in task.test[::500]:
        written, looked = translate(name, [*verse.french], LONGEST, UNCUT)
        symbols, _, weights = by_torch(model, task.source(verse))
        assert written == symbols
        if name != "fixed":
            by_heads = weights[None] if name == "attention" else weights
            np.testing.assert_allclose(looked.swapaxes(0, 1), by_heads, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "silenced"),
    [("attention", {"backward": False}), ("transformer", {"silent": [1, 6]})],
)
def test_the_page_cuts_by_each_blade_as_numpy_does(name, silenced, task, tmp_path):
    (tmp_path / "model").write_bytes(pack_translator(name))
    verse, other = task.test[60], task.french.encode(words_of(OTHER))
    cuts = [silenced | {"blade": blade} for blade in ("zero", "mean", "other")]
    ways = by_page(tmp_path / "model", [task.source(verse)], cuts=cuts, other=other)
    for cut, steps in zip(cuts, ways, strict=True):
        written, looked = translate(name, [*verse.french], LONGEST, UNCUT | cut)
        assert [step["symbol"] for step in steps] == written
        seen = np.array([step["weights"] for step in steps])
        np.testing.assert_allclose(seen, looked, rtol=0, atol=1e-7)
    logits = [steps[0]["logits"] for steps in ways]
    assert all(np.ptp(np.array(logits)[pair, :], axis=0).max() > 1e-2 for pair in PAIRS)


PAIRS = ([0, 1], [0, 2], [1, 2])


def test_other_weights_are_noticed(task, sentences, tmp_path):
    """Eight bits against sixteen: the logits differ by far more than is allowed above."""
    model = loaded("attention", task, load_checkpoint("translation_attention")[0])
    (tmp_path / "model").write_bytes(pack_translator("attention"))
    (steps,) = by_page(tmp_path / "model", sentences[:1])
    _, logits, _ = by_torch(model, sentences[0])
    assert np.abs(np.array(steps[0]["logits"]) - logits[0]).max() > 1e-2


@pytest.mark.parametrize("name", NAMES)
def test_a_packed_model_is_small_and_its_words_are_the_tasks(name, task):
    content = pack_translator(name)
    assert len(content) <= 1_810_000
    about = unpack_translator(content)[1]
    assert about["french"].split("\n") == task.french.symbols[3:]
    assert about["english"].split("\n") == task.english.symbols[3:]


@pytest.mark.thorough
@pytest.mark.parametrize("name", NAMES)
def test_the_whole_test_set_scores_what_torch_scores(name, task, tmp_path):
    """BLEU of all held-out verses, as the page writes them and as torch does."""
    from attention_course.models import translate as translate_all

    (tmp_path / "model").write_bytes(pack_translator(name))
    sources, wanted = [task.source(v) for v in task.test], [v.english for v in task.test]
    pages = by_page(tmp_path / "model", sources, WORDS, brief=True)
    page = [task.english.decode([step["symbol"] for step in steps]) for steps in pages]
    model = loaded(name, task, unpack_translator(pack_translator(name))[0])
    torchs = translate_all(model, sources, task.english, WORDS)
    scores = [bleu(page, wanted), bleu(torchs, wanted)]
    assert abs(scores[0] - scores[1]) <= 0.1
    assert abs(scores[0] - recorded("cut_translators")[0][name]["none"]["bleu"]) <= 0.1
