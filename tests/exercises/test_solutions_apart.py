"""Solutions that no row can say: classes, what draws at random, other orders of a result."""

from itertools import product

import numpy as np
import pytest
import torch

from attention_course import reference
from attention_course.data.world.grammar import lexicon_lines
from attention_course.exercises import examine_source, exercise_named
from attention_course.exercises.exercise import edited
from attention_course.exercises.runner import load
from attention_course.kernels.paged import PagedCache
from attention_course.layers.transformer import multi_head as layers
from attention_course.models.pretrained.scores import induction_scores
from attention_course.reference import causal_mask, scaled_dot_product_attention
from attention_course.reference.scale.serving import Request, ServedModel, serve
from attention_course.widgets.world_player import translate as player


def solution(slug, *edits):
    exercise = exercise_named(slug)
    source = edited(exercise.solution, edits, slug) if edits else exercise.solution
    return load(source)[exercise.target]


@pytest.mark.parametrize(("d_model", "n_heads"), [(12, 3), (9, 3), (5, 1), (4, 4)])
def test_multi_head_attention_is_the_package_layer_with_its_gradients(d_model, n_heads):
    torch.manual_seed(0)
    theirs = layers.MultiHeadAttention(d_model, n_heads).double()
    mine = solution("multi-head-attention")(d_model, n_heads).double()
    mine.load_state_dict(theirs.state_dict())
    x, y = (torch.randn(2, n, d_model).double().requires_grad_() for n in (5, 7))
    mask = torch.rand(2, 1, 5, 7) < 0.5
    mask[0, 0, 2] = False
    results = [module(x, y, mask) for module in (mine, theirs)]
    gradients = [
        torch.autograd.grad(
            output.square().sum() + weights.sin().sum(), [x, y, *module.parameters()]
        )
        for (output, weights), module in zip(results, (mine, theirs), strict=True)
    ]
    for a, b in zip(results[0] + gradients[0], results[1] + gradients[1], strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-10)


def test_the_heads_to_repair_run_and_have_every_shape_right():
    rng = np.random.default_rng(0)
    args = (rng.standard_normal((5, 12)), *rng.standard_normal((4, 12, 12)), 3, True)
    broken = load(exercise_named("repair-heads").stub)["repair_heads"](*args)
    right = solution("repair-heads")(*args)
    assert [x.shape for x in broken] == [x.shape for x in right]
    assert not np.allclose(broken[0], right[0])


PLAYED = {"moves": [], "forbidden": [], "uniform": False, "positions": True}
PLAYED |= {"silent": [], "blade": "zero"}


@pytest.mark.parametrize(
    "cuts",
    [{}, {"forbidden": [1, 3]}, {"moves": [(0, 2)], "forbidden": [2]}, {"silent": [0, 3]}],
    ids=str,
)
def test_the_players_step_is_what_the_player_computes(cuts):
    """Of its trained Transformer, without the biases, which the exercise does without."""
    name, cross = "world_transformer_2", "core.decoder.0.cross"
    loaded = player.load(name)
    none = {f"{cross}.W_{part}.bias": np.zeros(48) for part in "qo"}
    tokens = [loaded.source[word] for word in ("the", "cat", "sleeps", ".")]
    cuts = PLAYED | cuts
    model = player._Transformer(name, tokens, cuts)
    model.p = loaded.p | none
    y = np.random.default_rng(0).standard_normal((1, 48))
    gaze = player._gaze(0, len(tokens), cuts)
    silent = tuple(cuts["silent"])
    found, weights, _ = model._look(cross, y, model.memories[0], gaze, silent, np.zeros(1))
    k, v = (x[None] for x in model.memories[0])
    W_q, W_o = (loaded.p[f"{cross}.W_{part}.weight"].T for part in "qo")
    mask = ~np.isin(np.arange(4), cuts["forbidden"])[None]
    moved = np.array([j for _, j in cuts["moves"]] or [-1])
    cut = np.isin(np.arange(player.HEADS), silent)
    mine = solution("player-step")(y, k, v, W_q, W_o, mask, moved, cut)
    np.testing.assert_allclose(mine[0], found, atol=1e-12)
    np.testing.assert_allclose(mine[1][0], weights[:, 0], atol=1e-12)


def test_the_attention_to_be_repaired_runs_everywhere_with_the_right_shapes_and_earns_nothing():
    exercise = exercise_named("repair-additive")
    report = examine_source(exercise, "\n".join([*exercise.imports, exercise.stub]))
    assert report.points == 0
    for finding in report.findings:
        assert not finding.outcome.error
        assert "shape" not in finding.complaint


@pytest.mark.parametrize("pieces", [(1,) * 6, (6,), (3, 1, 2), (2, 4)])
@pytest.mark.parametrize("batch", [(), (2, 3)])
def test_the_steps_of_a_cache_add_up_to_causal_attention(pieces, batch):
    rng = np.random.default_rng(5)
    q, k = rng.standard_normal((2, *batch, 6, 4))
    v = rng.standard_normal((*batch, 6, 5))
    whole, all_weights = scaled_dot_product_attention(q, k, v, causal_mask(6))
    cache, at = solution("kv-cache")(), 0
    for m in pieces:
        piece = slice(at, at + m)
        weights, context = cache.step(*(x[..., piece, :] for x in (q, k, v)))
        at += m
        assert np.allclose(weights, all_weights[..., piece, :at])
        assert np.allclose(context, whole[..., piece, :])
        assert cache.length == at


def test_pages_hold_what_the_paged_cache_of_the_course_holds():
    rng, pages = np.random.default_rng(6), solution("paged-cache")(9, 3)
    cache, texts = PagedCache(9, 3, 1, 2, dtype=torch.float64), {}

    def append(text, n):
        for _ in range(n):
            x = rng.standard_normal(2)
            pages.append(text, x)
            if text not in texts:
                texts[text] = cache.start()
            row = torch.from_numpy(x)[None, None]
            cache.append(texts[text], row, row)

    append(0, 4)
    append(1, 2)
    pages.fork(0, 2)
    texts[2] = cache.fork(texts[0])
    append(2, 3)
    append(0, 1)
    for text, theirs in texts.items():
        blocks = cache.tables[theirs]
        kept = torch.cat([cache.k[b, 0] for b in blocks])[: cache.lengths[theirs]]
        assert pages.table(text).tolist() == blocks
        assert np.array_equal(pages.read(text), kept.numpy())
    assert pages.n_free == cache.blocks.n_free


# Every bound of a draw below is a multiple of 1/64, so these numbers stand for all from 0 to 1.
EVERY = (np.arange(64) + 0.5) / 64
# A pass takes one second, whatever it reads and writes.
ONE_SECOND = ServedModel(0.5, 0, 0, 1e30, 1)


def written(verify):
    """Return how often each symbol comes first, and each comes second after a kept guess."""
    p = np.array([[8, 24, 24, 8], [8, 8, 16, 32]]) / 64
    q = np.array([[32, 8, 8, 16]]) / 64
    first, second = np.zeros(4), np.zeros(4)
    for x, (decides, draws) in product(range(4), product(EVERY, repeat=2)):
        found = verify(p, q, np.array([x]), np.array([decides, draws]))
        first[found[0]] += q[0, x] / len(EVERY) ** 2
        if len(found) > 1:
            second[found[1]] += q[0, x] / len(EVERY) ** 2
    return p, first, second


def test_what_is_written_is_distributed_as_the_large_model_says():
    p, first, second = written(solution("speculative-sampling"))
    assert np.allclose(first, p[0], rtol=0, atol=1e-12)
    assert np.allclose(second / second.sum(), p[1], rtol=0, atol=1e-12)
    assert second.sum() == pytest.approx(np.minimum(p[0], [0.5, 0.125, 0.125, 0.25]).sum())


def test_drawn_anew_from_p_it_is_distributed_otherwise():
    wrong = solution("speculative-sampling", ("np.maximum(p[i] - q[i], 0)", "p[i]"))
    p, first, _ = written(wrong)
    assert np.abs(first - p[0]).max() > 0.05


@pytest.mark.parametrize("seed", range(20))
def test_a_schedule_is_that_of_a_server_whose_passes_take_a_second(seed):
    rng = np.random.default_rng(seed)
    n, most, chunk = (int(x) for x in rng.integers(1, (12, 5, 10)))
    arrivals = np.sort(rng.integers(0, 15, n))
    prompts, outputs = rng.integers(1, 12, n), rng.integers(1, 9, n)
    each = zip(arrivals.tolist(), prompts.tolist(), outputs.tolist(), strict=True)
    asked = [Request(float(came), prompt, output) for came, prompt, output in each]
    found, _ = serve(asked, ONE_SECOND, most=most, chunk=chunk)
    first, last = solution("continuous-batching")(arrivals, prompts, outputs, most, chunk)
    assert [one.first for one in found] == (first + 1).tolist()
    assert [one.last for one in found] == (last + 1).tolist()


@pytest.mark.parametrize("size", [1, 2, 3])
def test_what_is_reused_is_the_longest_beginning_of_an_earlier_prompt(size):
    rng = np.random.default_rng(size)
    tree, before, blocks = solution("prefix-tree")(size), [], set()
    for _ in range(200):
        prompt = rng.integers(0, 2, rng.integers(1, 10)).tolist()
        ends = range(size, len(prompt) + 1, size)
        known = [e for e in ends if any(p[:e] == prompt[:e] for p in before)]
        reused = max((e for e in known if e < len(prompt)), default=0)
        assert tree.add(prompt) == len(prompt) - reused
        before.append(prompt)
        blocks |= {tuple(prompt[:e]) for e in ends}
    assert tree.n_blocks == len(blocks)


@pytest.mark.parametrize("way", ["softmax", "dot product"])
def test_where_squares_are_alike_thinning_out_changes_nothing(way):
    """Each key and value then stands four times, and four times a quarter is one."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((2, 3, 2, 4)).repeat(2, axis=2).repeat(2, axis=3)
    drawn = [rng.standard_normal(shape) for shape in ((3, 5), (3, 5), (3, 6), (6, 3))]
    maps, weights = solution("non-local-block")(x, *drawn, way)
    wanted, each = reference.non_local(x, *drawn, way)
    np.testing.assert_allclose(maps, wanted, atol=1e-12)
    squares = each.reshape(2, 32, 2, 2, 4, 2).sum(axis=(3, 5)).reshape(2, 32, 8)
    np.testing.assert_allclose(weights, squares, atol=1e-12)


@pytest.mark.parametrize(("rows", "columns", "d_model"), [(3, 5, 8), (4, 2, 12), (1, 6, 16)])
def test_positions_of_a_picture_as_in_training_are_the_references_in_another_order(
    rows, columns, d_model
):
    write = solution("image-positions")
    came = write(rows, columns, d_model, (rows, columns))
    pairs = np.arange(d_model).reshape(2, 2, -1).swapaxes(1, 2).ravel()  # sine beside cosine
    np.testing.assert_allclose(
        came[1:, pairs], reference.plane_positions(rows, columns, d_model), atol=1e-12
    )
    assert not came[0].any()
    np.testing.assert_allclose(
        write(2 * rows, columns, d_model, (rows, columns))[1:].reshape(rows, 2, columns, -1)[
            :, 0
        ],
        came[1:].reshape(rows, columns, -1),
        atol=1e-12,
    )


@pytest.mark.parametrize("period", [3, 5, 8])
def test_induction_in_a_text_that_repeats_itself(period):
    rng = np.random.default_rng(period)
    weights = np.tril(rng.random((4, 2 * period, 2 * period)))
    tokens = np.tile(rng.permutation(period), 2)
    came = solution("induction-head")(weights, tokens)
    np.testing.assert_allclose(came, induction_scores(weights, period), atol=1e-12)


@pytest.mark.parametrize(("n_q", "n_k", "size", "chosen"), [(12, 12, 3, 2), (4, 17, 4, 3)])
def test_chosen_blocks_are_those_of_the_mask(n_q, n_k, size, chosen):
    rng = np.random.default_rng(n_k)
    q, k = rng.standard_normal((n_q, 5)), rng.standard_normal((n_k, 5))
    found = solution("chosen-blocks")(q, k, size, chosen)
    means = reference.summaries(k, np.full(size, 1 / size))
    mask = reference.chosen_mask(q @ means.T, size, chosen, n_k)
    past = reference.causal_mask(n_q, n_k)
    assert (np.repeat(found, size, axis=1)[:, :n_k] & past).tolist() == mask.tolist()


def test_every_part_of_a_multiprocessor_has_room_for_its_warps():
    """One more register would leave a warp without its place."""
    warps, programs = np.array([4, 8, 3]), np.array([2, 1, 5])
    found = solution("most-registers")(warps, programs, 65536)
    for w, p, registers in zip(warps, programs, found, strict=True):
        each = {"threads": 32 * int(w), "shared": 0}
        assert reference.occupancy("sm_90", registers=int(registers), **each).programs >= p
        if registers < 255:
            more = reference.occupancy("sm_90", registers=int(registers) + 1, **each)
            assert more.programs < p


def test_looks_that_are_spread_evenly_cost_nothing():
    weights = np.array(
        [[[0.5, 0.5], [0.5, 0.5], [9.0, 9.0]], [[1.0, 0.0], [0.5, 0.0], [0.0, 0.25]]]
    )
    found = solution("even-looks")(weights, np.array([2, 3]))
    assert found.tolist() == pytest.approx([0.0, 0.5**2 + 0.75**2])


@pytest.mark.parametrize(("word", "known"), [("squirrel", "bird"), ("pour", "drink")])
def test_the_words_that_are_added_are_told_of_as_the_lexicon_tells_of_others(word, known):
    head, french, english = solution("three-words")(word).split("|")
    like = [
        line.split("|") for line in lexicon_lines() if line.split("|")[2].split()[0] == known
    ]
    assert head in [other for other, *_ in like]
    for forms, place in ((french, 1), (english, 2)):
        assert len(forms.split()) == len(like[0][place].split())
    assert english.split()[0] == word
