"""The language model in JavaScript and in NumPy reads as torch does, with each cut."""

import copy
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from attention_course.data.packed import pack_words, unpack_translator
from attention_course.widgets.living_sentence.read import (
    ALL_CUTS,
    BLADES,
    HEADS,
    LONGEST,
    ORDER,
    OTHER,
    PARTS,
    hidden_layer,
    load,
    numbers_of,
    reading_of,
    words_of,
)

torch = pytest.importorskip("torch")
from attention_course.models.cuts import cut_parts, part_outputs  # noqa: E402
from attention_course.models.language import load_language_model  # noqa: E402

needs_node = pytest.mark.skipif(not shutil.which("node"), reason="needs Node")

ELSEWHERE = numbers_of(words_of(OTHER))
SCRIPT = Path(__file__).with_name("read.mjs")
WIDTH = 16  # of a head


@pytest.fixture(scope="module")
def model():
    """In torch, in double precision."""
    return load_language_model().double()


@pytest.fixture(scope="module")
def sentences():
    """A short text, one of odd length, and one as long as the model reads."""
    texts = ("the queen reads a letter", "does the tired dog see the old black cat", OTHER)
    return [numbers_of(words_of(text))[:LONGEST] for text in texts]


@torch.no_grad()
def by_torch(model, tokens, cut=None):
    """Return the logits of a model whose parameters are what the cut makes of them."""
    model = copy.deepcopy(model)
    kind, *numbers = (cut or "").rsplit("-", 2 if (cut or "").startswith("head-") else 1)
    block = model.blocks[int(numbers[0]) - 1] if numbers and numbers[0].isdigit() else None
    attention = block and block.attention
    if kind == "head":
        first = (int(numbers[1]) - 1) * WIDTH
        attention.W_o.weight[:, first : first + WIDTH] = 0
    silent = []
    silent += [attention.W_o] if kind in ("attention", "layer") else []
    silent += [block.feed_forward.W_2] if kind in ("feed-forward", "layer") else []
    silent += [attention.W_q] if kind == "uniform" else []
    for linear in silent:
        linear.weight[:], linear.bias[:] = 0, 0
    if cut == "positions-mean":
        model.positions.table[:] = torch.from_numpy(load().p["means.positions"])
    if kind == "residual":
        block._join = lambda i, x, found: found
    if cut == "positions-none":
        model.positions.table[:] = 0
    if cut == "positions-shuffled":
        shuffled = [place for place in ORDER if place < len(tokens)]
        model.positions.table[: len(tokens)] = model.positions.table[shuffled].clone()
    if cut == "scale":
        for each in model.blocks:
            each.attention.W_q.weight *= WIDTH**0.5
            each.attention.W_q.bias *= WIDTH**0.5
    if cut == "mask":
        x = model.positions.add(model.E.weight[tokens][None] * 64**0.5)
        for each in model.blocks:
            x = each(x)[0]
        return (model.end(x) @ model.E.weight.T)[0].numpy()
    return model(torch.tensor([tokens]))[0].numpy()


def by_page(folder, rows, content=None):
    """Return what JavaScript reads."""
    (folder / "words").write_bytes(content or pack_words())
    sentences = [
        {"tokens": tokens, "cuts": cuts, "blade": (*blade, "zero")[0]}
        for tokens, cuts, *blade in rows
    ]
    file = str(folder / "words")
    asked = {"file": file, "sentences": sentences, "order": ORDER, "other": ELSEWHERE}
    asked = json.dumps(asked)
    run = subprocess.run(
        ["node", SCRIPT], input=asked, capture_output=True, text=True, check=True
    )
    return json.loads(run.stdout)


@needs_node
def test_whole_sentences_are_torchs(model, sentences, tmp_path):
    pages = by_page(tmp_path, [(tokens, []) for tokens in sentences])
    for tokens, page in zip(sentences, pages, strict=True):
        wanted, found = by_torch(model, tokens), reading_of(tokens)
        np.testing.assert_allclose(page["logits"], wanted, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.logits, wanted, rtol=0, atol=1e-9)
        np.testing.assert_allclose(found.stream[-1], found.parts.sum(axis=0), atol=1e-9)


@needs_node
def test_each_cut_is_torchs_and_no_other(model, sentences, tmp_path):
    """No two cuts have the same logits, so each that is mistaken for another is seen."""
    tokens = sentences[1]
    pages = by_page(tmp_path, [(tokens, [cut]) for cut in ALL_CUTS])
    logits = [np.array(page["logits"]) for page in pages]
    for cut, found in zip(ALL_CUTS, logits, strict=True):
        wanted, own = by_torch(model, tokens, cut), reading_of(tokens, [cut]).logits
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-4, err_msg=cut)
        np.testing.assert_allclose(own, wanted, rtol=0, atol=1e-9, err_msg=cut)
    wholes = [by_torch(model, tokens), *logits]
    for i, one in enumerate(wholes):
        for other in wholes[:i]:
            assert np.abs(one - other).max() > 1e-2


@torch.no_grad()
def by_blade(model, tokens, part, blade):
    """Return torch's logits with a part replaced by the stored mean, or another sentence's."""
    p, words = load().p, torch.tensor([tokens])
    if blade == "other":
        put = part_outputs(model, torch.tensor([ELSEWHERE[: len(tokens)]]))
    else:
        put = {}
        for i, block in enumerate(model.blocks):
            context = torch.from_numpy(p["means.context"][i])
            feed = torch.from_numpy(p["means.feed_forward"][i])
            heads = enumerate(context.split(WIDTH))
            put |= {f"head-{i + 1}-{h + 1}": x for h, x in heads}
            put |= {
                f"attention-{i + 1}": block.attention.W_o(context),
                f"feed-forward-{i + 1}": feed,
            }
    with cut_parts(model, [part], put):
        return model(words)[0].numpy()


@needs_node
@pytest.mark.parametrize("blade", BLADES[1:])
def test_what_stands_in_place_of_each_part_is_torchs(model, sentences, tmp_path, blade):
    tokens = sentences[1]
    pages = by_page(tmp_path, [(tokens, [part], blade) for part in PARTS])
    seen = [by_torch(model, tokens)]
    for part, page in zip(PARTS, pages, strict=True):
        wanted = by_blade(model, tokens, part, blade)
        found = reading_of(tokens, [part], blade=blade).logits
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9, err_msg=part)
        np.testing.assert_allclose(page["logits"], wanted, rtol=0, atol=1e-4, err_msg=part)
        assert np.abs(wanted - by_torch(model, tokens, part)).max() > 1e-2
        assert all(np.abs(wanted - before).max() > 1e-2 for before in seen)
        seen.append(wanted)


def test_the_other_sentence_is_as_long_as_any():
    assert len(ELSEWHERE) >= LONGEST


@needs_node
def test_several_cuts_at_once_and_weights_are_numpys(tmp_path):
    tokens = numbers_of(["the", "king", "sees", "the", "house", "of", "his", "children"])
    several = ["residual-2", "layer-2", "head-2-1", "feed-forward-3"]
    rows = [
        [],
        ["positions-mean"],
        ["head-1-2", "uniform-3", "scale"],
        ["mask", "layer-2"],
        several,
    ]
    rows = [(tokens, cuts, blade) for cuts in rows for blade in BLADES]
    for (_, cuts, blade), page in zip(rows, by_page(tmp_path, rows), strict=True):
        reading = reading_of(tokens, cuts, blade)
        np.testing.assert_allclose(page["logits"], reading.logits, rtol=0, atol=1e-9)
        np.testing.assert_allclose(page["weights"], reading.weights, rtol=0, atol=1e-10)


def test_the_hidden_layers_are_torchs(model, sentences):
    seen = []
    for block in model.blocks:
        block.feed_forward.W_1.register_forward_hook(lambda *given: seen.append(given[-1]))
    model(torch.tensor([sentences[1]]))
    reading = reading_of(sentences[1])
    for layer, found in enumerate(seen[-4:], start=1):
        wanted = found[0].relu().detach().numpy()
        np.testing.assert_allclose(hidden_layer(reading, layer), wanted, rtol=0, atol=1e-9)


@needs_node
@pytest.mark.gate("the language model in the page", "its vectors are not multiplied by √d")
def test_a_wrong_version_is_seen(model, sentences, tmp_path):
    arrays, about = unpack_translator(pack_words())
    from attention_course.data.tensors import tensor_bytes

    wrong = tensor_bytes(arrays | {"E.weight": arrays["E.weight"] / 64**0.5}, **about)
    (page,) = by_page(tmp_path, [(sentences[0], [])], wrong)
    assert np.abs(page["logits"] - by_torch(model, sentences[0])).max() > 1e-2


def test_heads_are_as_wide_as_the_cuts_take_them_to_be(model):
    assert model.E.embedding_dim == WIDTH * HEADS
