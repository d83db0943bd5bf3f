"""All forms of exact attention in torch are one function; what differs is their memory."""

import inspect
import itertools

import numpy as np
import pytest
import torch
from torch import Tensor

import attention_course.kernels.tiled as module
from attention_course import kernels, reference
from attention_course.kernels.decode import (
    attend_to_part,
    grouped_attention,
    repeated_attention,
    split_kv_attention,
)
from attention_course.kernels.tiled import (
    chunked_attention,
    merge_partials,
    naive_attention,
    tiled_attention,
    tiled_forward,
)
from attention_course.measure.saved_bytes import saved_bytes
from attention_course.reference import causal_mask, scaled_dot_product_attention

FORMS = {
    "naive": naive_attention,
    "chunked": lambda *x, **how: chunked_attention(*x, chunk=4, **how),
    "one chunk": chunked_attention,
    "tiled": lambda *x, **how: tiled_attention(*x, block_q=4, block_k=3, **how),
    "wide tiles": lambda *x, **how: tiled_attention(*x, block_q=2, block_k=50, **how),
    "tall tiles": lambda *x, **how: tiled_attention(*x, block_q=50, block_k=2, **how),
    "one tile": tiled_attention,
    "shared keys": grouped_attention,
    "copied keys": repeated_attention,
    "two parts": lambda *x, **how: split_kv_attention(*x, parts=min(2, x[1].shape[2]), **how),
    "a part a key": lambda *x, **how: split_kv_attention(*x, parts=x[1].shape[2], **how),
}
# Those of one new token have no mask; with one, shared keys serve queries that all see a key.
WITHOUT_MASK = {"copied keys", "two parts", "a part a key"}
TILED = [*FORMS][:7]
# batch, heads, key heads, queries, keys, d_k, d_v
SHAPES = {
    "as many queries as keys": (2, 3, 3, 9, 9, 4, 5),
    "fewer queries": (2, 3, 3, 5, 11, 4, 6),
    "more queries: some see nothing": (1, 2, 2, 11, 5, 4, 3),
    "far more queries: whole tiles see nothing": (1, 1, 1, 23, 2, 3, 4),
    "grouped": (2, 6, 3, 7, 10, 4, 5),
    "one key head": (1, 4, 1, 6, 9, 2, 3),
    "one query": (2, 2, 1, 1, 8, 4, 4),
    "one key": (1, 2, 2, 6, 1, 4, 3),
    "all equal": (3, 3, 3, 3, 3, 3, 3),
}


def draw(shape, size=1.0, dtype=torch.float64, seed=0) -> list[Tensor]:
    batch, heads, kv, n_q, n_k, d_k, d_v = shape
    rng = np.random.RandomState(seed)
    found = [
        size * rng.standard_normal((batch, heads, n_q, d_k)),
        size * rng.standard_normal((batch, kv, n_k, d_k)),
        rng.standard_normal((batch, kv, n_k, d_v)),
    ]
    return [torch.from_numpy(x).to(dtype).requires_grad_() for x in found]


def specification(q, k, v, causal=False, scale=None) -> np.ndarray:
    q, k, v = (x.detach().double().numpy() for x in (q, k, v))
    each = q.shape[1] // k.shape[1]
    k, v = (x.repeat(each, axis=1) for x in (k, v))
    mask = None
    if causal:
        mask = np.arange(k.shape[2]) <= np.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2]
    return scaled_dot_product_attention(q, k, v, mask, scale=scale)[0]


def gradients(attend, q, k, v, **how) -> tuple[Tensor, ...]:
    context = attend(q, k, v, **how)
    rng = np.random.RandomState(1)
    g = torch.from_numpy(rng.standard_normal(context.shape)).to(context.dtype)
    return torch.autograd.grad(context, (q, k, v), g)


def torchs_own(q, k, v, causal=False, scale=None) -> Tensor:
    """torch's attention in float64, without the queries that see nothing."""
    each = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(each, dim=1) for x in (k, v))
    n_q, n_k = q.shape[2], k.shape[2]
    blind = max(0, n_q - n_k) if causal else 0
    mask = torch.from_numpy(causal_mask(n_q - blind, n_k)) if causal else None
    seen = torch.nn.functional.scaled_dot_product_attention(
        q[:, :, blind:], k, v, attn_mask=mask, scale=scale
    )
    return torch.nn.functional.pad(seen, (0, 0, blind, 0))


def each_case(name: str):
    """Yield every shape, full and causal, that a form is made for."""
    for shape in SHAPES.values():
        yield shape, False
        blind = shape[3] > shape[4] and name == "shared keys"
        if not (blind or name in WITHOUT_MASK):
            yield shape, True


def is_exact(name: str) -> None:
    """Also where all scores are far below zero: a largest score that began at 0 would show."""
    q, k, v = draw(SHAPES["grouped"])
    q, k = 60 + q.detach().abs(), -60 - 0.01 * k.detach().abs()
    found = FORMS[name](q, k, v).detach().numpy()
    np.testing.assert_allclose(found, specification(q, k, v), atol=1e-9)
    for shape, causal in each_case(name):
        for size, scale in ((1.0, None), (30.0, None), (1.0, 0.3)):
            q, k, v = draw(shape, size)
            how = {"causal": True} if causal else {}
            context = FORMS[name](q, k, v, scale=scale, **how)
            wanted = specification(q, k, v, causal, scale)
            assert context.shape == wanted.shape
            np.testing.assert_allclose(context.detach().numpy(), wanted, atol=1e-11, rtol=1e-11)


def has_exact_gradients(name: str) -> None:
    for shape, causal in each_case(name):
        given, how = draw(shape), {"scale": 0.3} | ({"causal": True} if causal else {})
        ours = gradients(FORMS[name], *given, **how)
        theirs = gradients(torchs_own, *given, **how)
        for a, b in zip(ours, theirs, strict=True):
            assert a.shape == b.shape
            torch.testing.assert_close(a, b, atol=1e-11, rtol=1e-11)


@pytest.mark.parametrize("name", FORMS)
def test_it_is_the_specification(name):
    is_exact(name)


@pytest.mark.parametrize("name", FORMS)
def test_its_gradients_are_those_of_torchs_own(name):
    has_exact_gradients(name)


@pytest.mark.parametrize("name", TILED)
def test_no_keys_give_zeros(name):
    q, k, v = draw((1, 4, 2, 6, 0, 3, 5))
    for causal in (False, True):
        context = FORMS[name](q, k, v, causal=causal)
        assert context.shape == (1, 4, 6, 5)
        assert not context.any()


def test_a_causal_query_does_not_hear_of_the_future():
    """Bit by bit: what is hidden can be anything."""
    q, k, v = (x.detach() for x in draw(SHAPES["as many queries as keys"]))
    for attend in (FORMS[name] for name in TILED):
        before = attend(q, k, v, causal=True)[:, :, :6]
        other_k, other_v = k.clone(), v.clone()
        other_k[:, :, 6:] = 1e6
        other_v[:, :, 6:] = -1e6
        assert torch.equal(attend(q, other_k, other_v, causal=True)[:, :, :6], before)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_in_half_precision_each_errs_at_most_twice_as_far_as_the_naive_form(dtype):
    for causal, size in itertools.product((False, True), (1.0, 2.0)):
        q, k, v = draw((2, 4, 2, 40, 40, 64, 16), size, dtype)
        exact, how = torch.from_numpy(specification(q, k, v, causal)), {"causal": True}
        found = {
            name: attend(q, k, v, **(how if causal else {}))
            for name, attend in FORMS.items()
            if not (causal and name in WITHOUT_MASK)
        }
        error = {name: (x.double() - exact).abs().max().item() for name, x in found.items()}
        assert max(error.values()) <= 2 * error["naive"]
        assert {x.dtype for x in found.values()} == {dtype}


def test_large_queries_and_keys_do_not_overflow_half_precision():
    x = 40 * torch.ones(1, 2, 3, 64, dtype=torch.float16)  # q k is 102400, beyond float16
    v = torch.ones(1, 2, 3, 4, dtype=torch.float16)
    for name in ("shared keys", "copied keys", "two parts", "a part a key"):
        torch.testing.assert_close(FORMS[name](x, x, v), v)
    part, log_sums = attend_to_part(x, x, v, 0.125)
    torch.testing.assert_close(part, v)
    assert log_sums.isfinite().all()


def test_gradients_of_gradients_are_refused_instead_of_wrong():
    q, k, v = draw(SHAPES["all equal"])
    (dq,) = torch.autograd.grad(tiled_attention(q, k, v).square().sum(), q, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        dq.sum().backward()


# Wrong versions: one slip each, in the source of the forward or of the backward pass.


def with_slip(monkeypatch, function: str, old: str, new: str) -> None:
    source = inspect.getsource(getattr(module, function))
    assert source.count(old) == 1, source.count(old)
    names = dict(vars(module))
    exec(compile(source.replace(old, new), "slip", "exec"), names)
    monkeypatch.setattr(module, function, names[function])


FORWARD = [
    ("take_in", "total = fade * total + ", "total = total + "),
    ("take_in", "acc = fade[..., None] * acc + ", "acc = acc + "),
    ("take_in", "torch.maximum(top, scores.amax(dim=-1))", "scores.amax(dim=-1)"),
    ("tiled_forward", "torch.finfo(q_i.dtype).min", "0.0"),
    ("tiled_forward", "rows, cols, n_k - n_q", "rows, cols, 0"),
    ("tiled_forward", "total.clamp(min=1)", "total"),
    ("tiled_forward", "q_i = scale * upcast_half", "q_i = upcast_half"),
    ("see_nothing", "if causal else 0", "if False else 0"),
    ("above", "blind, 0", "0, blind"),
]
BACKWARD = [
    ("(scores - log_sums[..., rows, None]).exp()", "(scores - scores.amax(-1, True)).exp()"),
    (" - along[..., rows, :]", ""),
    ("dq[..., rows, :] += scale * slopes", "dq[..., rows, :] += slopes"),
    ("dq[..., rows, :] +=", "dq[..., rows, :] ="),
    ("hide_future(scores, rows, cols, n_k - n_q)", "scores"),
    ("log_sums.masked_fill(log_sums == -torch.inf, torch.inf)", "log_sums"),
    ("max(0, j - (n_k - n_q)) // block_q if causal", "-(-j // block_q) if causal"),
]


@pytest.mark.parametrize(("function", "old", "new"), FORWARD)
def test_a_slip_in_the_forward_pass_is_caught(monkeypatch, function, old, new):
    with_slip(monkeypatch, function, old, new)
    with pytest.raises(AssertionError):
        is_exact("tiled" if function in ("take_in", "tiled_forward") else "naive")


@pytest.mark.parametrize(("old", "new"), BACKWARD)
def test_a_slip_in_the_backward_pass_is_caught(monkeypatch, old, new):
    with_slip(monkeypatch, "tiled_backward", old, new)
    with pytest.raises(AssertionError):
        has_exact_gradients("tiled")


# Memory.


def kept(attend, n: int, **how) -> int:
    q, k, v = (torch.zeros(1, 2, n, 16, requires_grad=True) for _ in range(3))
    return saved_bytes(lambda *x: attend(*x, **how), q, k, v)


def test_doubling_the_length_quadruples_what_the_naive_form_keeps_and_doubles_the_others():
    def growth(attend, **how):
        return kept(attend, 512, **how) / kept(attend, 256, **how)

    assert growth(naive_attention) == pytest.approx(4, rel=0.1)
    assert growth(tiled_attention, block_q=64, block_k=64) == 2
    assert kept(tiled_attention, 512) < kept(naive_attention, 512) / 20


def test_the_tiled_form_keeps_its_contexts_and_one_number_a_query():
    assert kept(tiled_attention, 512) == 4 * 2 * 512 * (16 + 1)


def test_the_chunked_form_keeps_nothing():
    assert kept(chunked_attention, 512, chunk=64) == 0


@pytest.mark.parametrize("causal", [False, True])
def test_no_tensor_is_larger_than_a_tile_or_the_result(causal):
    """Whoever makes all scores after all, shows here: forwards and backwards."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    class Largest(TorchDispatchMode):
        seen = 0

        def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
            found = operation(*args, **(kwargs or {}))
            sizes = [x.numel() for x in tree_leaves(found) if isinstance(x, Tensor)]
            self.seen = max([self.seen, *sizes])
            return found

    def largest(attend, **how) -> int:
        q, k, v = (torch.zeros(1, 1, 128, 4, requires_grad=True) for _ in range(3))
        with Largest() as mode:
            attend(q, k, v, causal=causal, **how).sum().backward()
        return mode.seen

    assert largest(tiled_attention, block_q=16, block_k=32) == 16 * 32
    assert largest(chunked_attention, chunk=8) == 8 * 128
    assert largest(naive_attention) == 128 * 128


def test_shared_keys_are_not_copied():
    """What a product of one query row per head allocates has no more bytes than scores."""
    q, k, v = draw((1, 32, 4, 1, 4096, 64, 64), dtype=torch.float32)

    def allocated(form, *more):
        with torch.no_grad(), torch.profiler.profile(profile_memory=True) as profile:
            form(q, k, v, *more)
        return sum(max(0, e.self_cpu_memory_usage) for e in profile.key_averages())

    assert allocated(grouped_attention) < 0.9 * k.nbytes
    assert allocated(split_kv_attention, 16) < 0.9 * k.nbytes
    assert allocated(repeated_attention) > 2 * 8 * k.nbytes


# Parts.


def test_the_weight_of_a_part_is_the_sum_of_its_exponentials():
    q, k, v = (x.detach()[0, 0] for x in draw((1, 1, 1, 2, 5, 3, 4)))
    context, log_sum = attend_to_part(q, k, v, 0.5)
    exps = np.exp(0.5 * q.numpy() @ k.numpy().T)
    np.testing.assert_allclose(log_sum, np.log(exps.sum(1)), atol=1e-12)
    np.testing.assert_allclose(context, exps / exps.sum(1, keepdims=True) @ v.numpy())


def test_merging_is_that_of_the_reference_and_has_gradients():
    rng = np.random.RandomState(0)
    contexts, logs = rng.standard_normal((4, 2, 5, 3)), rng.standard_normal((4, 2, 5))
    logs[0, 0] = logs[:, 1, 2] = -np.inf
    found = merge_partials(torch.from_numpy(contexts), torch.from_numpy(logs))
    for ours, wanted in zip(found, reference.merge_partials(contexts, logs), strict=True):
        np.testing.assert_allclose(ours.numpy(), wanted, atol=1e-12)
    given = [torch.from_numpy(x).requires_grad_() for x in (contexts[:, :, 3:], logs[:, :, 3:])]
    assert torch.autograd.gradcheck(merge_partials, given)


def test_merging_has_finite_gradients_where_nothing_was_seen():
    given = [torch.ones(2, 5, 3), torch.zeros(2, 5)]
    given[1][0], given[1][:, 2] = -torch.inf, -torch.inf
    given = [x.requires_grad_() for x in given]
    found = torch.autograd.grad(merge_partials(*given)[0].square().sum(), given)
    assert all(x.isfinite().all() for x in found)
    assert not found[0][0].any()


def test_tiles_of_two_halves_merge_into_the_whole():
    q, k, v = (x.detach() for x in draw(SHAPES["fewer queries"]))
    halves = [
        tiled_forward(q, k[:, :, part], v[:, :, part], False, 0.5, 2, 3)
        for part in (slice(0, 4), slice(4, 11))
    ]
    context, logs = merge_partials(*(torch.stack(x) for x in zip(*halves, strict=True)))
    np.testing.assert_allclose(context.numpy(), specification(q, k, v), atol=1e-12)
    scores = 0.5 * q @ k.mT
    torch.testing.assert_close(logs, scores.logsumexp(-1), atol=1e-12, rtol=1e-12)


# Bad input.

GOOD = dict(zip("qkv", draw((2, 4, 2, 5, 7, 3, 6)), strict=True))


@pytest.fixture
def untyped():
    jaxtyping = pytest.importorskip("jaxtyping")
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


@pytest.mark.usefixtures("untyped")
@pytest.mark.parametrize("name", ["naive_attention", "chunked_attention", "tiled_attention"])
@pytest.mark.parametrize(
    ("spoiled", "said"),
    [
        ({"q": np.ones((2, 4, 5, 3))}, "q must be a tensor of floats, got ndarray"),
        ({"k": torch.ones(2, 2, 7, 3)}, "q, k and v must agree in their dtype"),
        ({"v": torch.ones(2, 2, 7, 6)}, "k of dtype torch.float64, v of dtype torch.float32"),
        ({"v": None}, "v must be a tensor of floats, got NoneType"),
        ({"q": GOOD["q"][0]}, "q must be an array with exactly 4 axes"),
        ({"k": GOOD["k"][..., :2]}, "q and k must agree in their last axis, d_k"),
        ({"v": GOOD["v"][:, :, :5]}, "k and v must agree in the number of keys"),
        ({"q": GOOD["q"][:1]}, "q and k must agree in the axis batch"),
        ({"q": GOOD["q"][:, :3]}, "k must be keys of heads that divide the queries', 3"),
        ({"v": GOOD["v"].detach().to("meta")}, "k of device cpu, v of device meta"),
        ({"scale": float("nan")}, "scale must be a finite number, got nan"),
        ({"scale": True}, "scale must be a finite number, got True"),
        ({"chunk": 0}, "chunk must be a positive whole number, got 0"),
        ({"block_q": 0}, "block_q must be a positive whole number, got 0"),
        ({"block_k": 1.5}, "block_k must be a positive whole number, got 1.5"),
    ],
)
def test_bad_input_is_refused_before_anything_is_computed(name, spoiled, said):
    if not set(spoiled) <= set(inspect.signature(getattr(kernels, name)).parameters):
        return
    with pytest.raises(ValueError) as caught:
        getattr(kernels, name)(**GOOD | spoiled)
    assert str(caught.value).startswith(f"{name}: ")
    assert said in str(caught.value)


@pytest.mark.usefixtures("untyped")
def test_parts_that_do_not_fit_are_refused():
    for contexts, logs, said in (
        (torch.ones(2, 5, 3), torch.ones(2, 4), "agree in the number of queries"),
        (torch.ones(0, 5, 3), torch.ones(0, 5), "an array with at least one part"),
    ):
        with pytest.raises(ValueError, match=rf"^merge_partials: .* {said}, got"):
            merge_partials(contexts, logs)


@pytest.mark.usefixtures("untyped")
def test_heads_that_do_not_divide_and_more_parts_than_keys_are_refused():
    q, k = torch.ones(1, 6, 1, 4), torch.ones(1, 4, 9, 4)
    for form in (grouped_attention, repeated_attention):
        with pytest.raises(ValueError, match=f"{form.__name__}: .*divide"):
            form(q, k, k)
    for parts, said in ((10, "at most 9, got 10"), (0, "parts")):
        with pytest.raises(ValueError, match=f"split_kv_attention: .*{said}"):
            split_kv_attention(q, k[:, :2], k[:, :2], parts)
