"""The runner writes down what an answer did, and nothing gets past it unseen."""

import ctypes
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from attention_course.exercises.runner import (
    Blocks,
    Call,
    ForbiddenError,
    Outcome,
    Result,
    generators,
    load,
    pack_calls,
    pack_outcome,
    run,
    unpack_calls,
)

X = np.arange(6.0).reshape(2, 3)


def ran(source, *calls, **options):
    return run(load(source), calls, **options)


def test_outputs_come_by_name_in_double_precision_with_the_kind_they_had():
    source = "import numpy as np\ndef f(x): return x.astype(np.float32), x > 2"
    came = ran(source, Call("f", (X,), returns=("half", "large")))
    assert came.names == ["half", "large"]
    assert came.kinds == ["float32", "bool"]
    assert came.values[0].dtype == np.float64
    assert came.values[1].tolist() == (X > 2).tolist()


def test_an_error_is_part_of_the_outcome_and_says_the_line():
    came = ran("def f(x):\n    y = x\n    return y.nothing", Call("f", (X,), returns=("y",)))
    assert (came.error, came.line) == ("AttributeError", 3)


def test_leaving_the_session_is_an_error_too():
    came = ran("def f(x): raise SystemExit(0)", Call("f", (X,), returns=("y",)))
    assert came.error == "SystemExit"


def test_a_name_that_is_not_defined_is_said():
    came = ran("", Call("f", (X,), returns=("y",)))
    assert (came.error, came.message) == ("NameError", "the answer defines no f")


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("None", "y is None"),
        ("'text', 1", "expected 3 results (y, z, w), got tuple of 2"),
        ("object()", "got object"),
        ("[[1], [2, 3]]", "got list"),
        ("1j", "dtype complex128"),
    ],
)
def test_what_is_no_array_of_numbers_is_named(returned, message):
    names = ("y",) if "," not in returned or "[" in returned else ("y", "z", "w")
    came = ran(f"def f(x): return {returned}", Call("f", (X,), returns=names))
    assert came.error == "WrongReturnError"
    assert message in came.message


def test_an_overwritten_argument_is_seen_and_the_callers_array_is_safe():
    x = X.copy()
    came = ran("def f(x):\n    x += 1\n    return x", Call("f", (x,), returns=("y",)))
    assert came.changed == ["0"]
    assert np.array_equal(x, X)


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("np.random.seed(3)", "NumPy's random generator"),
        ("np.random.rand()", "NumPy's random generator"),
        ("np.seterr(all='ignore')", "NumPy's error settings"),
    ],
)
def test_a_change_of_the_session_is_seen_and_put_back(line, what):
    with np.errstate():
        before = np.geterr()
        came = ran(
            f"import numpy as np\ndef f(x):\n    {line}\n    return x",
            Call("f", (X,), returns=("y",)),
        )
        assert np.geterr() == before
    assert came.state == [what]


def test_methods_are_called_on_what_an_earlier_call_returned():
    source = """
class Cache:
    def __init__(self, n): self.seen = [n]
    def add(self, x): self.seen.append(float(x.sum())); return self.seen
"""
    calls = [
        Call("Cache", (1.0,)),
        Call("add", (X,), on=0, returns=("seen",)),
        Call("$get", ("seen",), on=0, returns=("attribute",)),
        Call("add", (Result(3),), on=0, returns=("again",)),
    ]
    came = ran(source, *calls[:3])
    assert [v.tolist() for v in came.values] == [[1.0, 15.0], [1.0, 15.0]]


@pytest.mark.parametrize(
    "source",
    [
        "import torch.nn.functional as F\ndef f(q): return F.banned(q)",
        "from torch.nn.functional import banned as g\ndef f(q): return g(q)",
        "def f(q):\n    def inner(): return q.banned\n    return inner()",
        "import some.banned",
    ],
)
def test_a_forbidden_name_is_refused_before_anything_runs(source):
    with pytest.raises(ForbiddenError, match="banned"):
        load(source, ["banned"])


def test_a_function_may_be_called_what_is_forbidden():
    assert "banned" in load("def banned(q): return q", ["banned"])


def test_calls_cross_as_bytes_and_come_back_the_same():
    fortran = np.asfortranarray(np.arange(6).reshape(2, 3))
    calls = [
        Call("C", (3, "text", None), {"x": X, "mask": X > 2}, returns=("a",)),
        Call("m", ({"W": X}, Result(0), fortran), on=0, gradients=(0, "parameter:W")),
        Call("g", ([1, (2,)], (3, [4]))),
    ]
    back = unpack_calls(pack_calls(calls))
    assert [(c.target, c.on, c.gradients, c.returns) for c in back] == [
        (c.target, c.on, c.gradients, c.returns) for c in calls
    ]
    assert back[0].args == (3, "text", None)
    assert np.array_equal(back[0].kwargs["mask"], X > 2)
    assert back[1].args[1] == Result(0)
    assert back[1].args[2].flags.f_contiguous
    assert np.array_equal(back[1].args[2], fortran)
    assert back[2].args == ([1, (2,)], (3, [4]))
    assert pack_calls(back) == pack_calls(calls)


def test_a_list_in_two_calls_is_one_list_on_the_other_side_too():
    held = [X, [1]]
    first, second = unpack_calls(pack_calls([Call("f", (held,)), Call("f", (2, held, [1]))]))
    assert first.args[0] is second.args[1]
    assert first.args[0][1] is not second.args[2]


def test_blocks_are_made_one_at_a_time_in_one_memory():
    blocks = Blocks(((X, X + 10), (X[:1], X[:1])), np.array([1.0, 2.0, 3.0]))
    for some in (blocks, unpack_calls(pack_calls([Call("f", (blocks,))]))[0].args[0]):
        assert [len(k) for k, _ in some] == [2, 1, 2]
        assert len(some[1:]) == 2
        k, v = some[-1]
        assert (k.tolist(), v.tolist()) == ((3 * X).tolist(), (X + 10).tolist())
        assert (some[1:][0][0].tolist(), v[0].tolist()) == ((2 * X[:1]).tolist(), X[0].tolist())
        assert np.isnan(k[1]).all()


def test_an_outcome_that_is_too_large_sends_its_shapes_only():
    outcome = Outcome(["y"], [X], ["float64"])
    assert len(pack_outcome(outcome, 48)) - len(pack_outcome(outcome, 47)) > 40


def test_gradients_are_those_of_autograd():
    torch = pytest.importorskip("torch")
    source = "def f(x): return (x ** 2,)[0]"
    came = ran(source, Call("f", (X,), gradients=(0,), returns=("y",)), tensors=True)
    weights = np.cos(np.arange(6) + 1.0).reshape(2, 3)
    assert came.names == ["y", "gradient of 0"]
    assert np.allclose(came.values[1], 2 * X * weights)
    cut = ran(
        "def f(x): return (x ** 2).detach()",
        Call("f", (X,), gradients=(0,), returns=("y",)),
        tensors=True,
    )
    assert not cut.values[1].any()
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("change", ["x[0][1][:] = 0", "p['w'] *= 2", "p.clear()"])
def test_what_lies_inside_an_argument_is_watched_too(change):
    source = f"def f(x, p):\n    {change}\n    return 1.0"
    calls = Call("f", (((X, X + 1), (X, X)),), {"p": {"w": X}}, returns=("y",))
    assert ran(source.replace(change, "pass"), calls).changed == []
    assert ran(source, calls).changed == ["p" if change[0] == "p" else "0"]


def test_a_comparison_that_was_replaced_hides_nothing(monkeypatch):
    monkeypatch.setattr(np, "array_equal", lambda *a, **k: True)
    came = ran("def f(x):\n    x += 1\n    return 1.0", Call("f", (X.copy(),), returns=("y",)))
    assert came.changed == ["0"]


@pytest.mark.parametrize(
    "source",
    [
        "from numpy import *\ndef f(x): return concatenate([x, x])",
        "import numpy as np\ndef f(x):\n    match np:\n        case object(concatenate=c):\n"
        "            return c([x, x])",
    ],
)
def test_what_is_forbidden_cannot_be_fetched_without_a_dot(source):
    load(source)
    with pytest.raises(ForbiddenError, match="is not allowed"):
        load(source, ("concatenate",))


FREE_ELSEWHERE = ("np.append", "np.block", "concatenate")


@pytest.mark.parametrize(
    "source",
    [
        "import numpy as np\ndef f(x): return np.append(x, x)",
        "import numpy\njoin = numpy.append",
        "import numpy as np\nlib = np\ndef f(x): return lib.append(x, x)",
        "def f(x):\n    import numpy.ma as m\n    def g(): return m.append(x, x)\n    g()",
        "import numpy as np\ndef f(x): return (lib := np.ma).append(x, x)",
        "import numpy\nclass A:\n    lib = numpy\n    def f(self): self.lib.append(1, 2)",
        "from numpy import lib\ndef f(x): return lib.append(x, x)",
        "from numpy import append as g",
        "import numpy as np\ndef f(x):\n    match np:\n        case object(append=g): return g",
    ],
)
def test_a_name_with_its_module_is_refused_by_whatever_name_the_module_goes(source):
    with pytest.raises(ForbiddenError, match=r"np\.append is not allowed"):
        load(source, FREE_ELSEWHERE)


@pytest.mark.parametrize(
    "source",
    [
        "def f(x):\n    kept = []\n    kept.append(x)\n    return kept",
        "import numpy as np\nclass A:\n    def f(self): return np.exp(self.block.sum())",
        "import numpy as np\ndef f(x): return np.zeros(3).append, [np.inf][0].block",
    ],
)
def test_a_name_with_its_module_is_free_where_another_owns_it(source):
    load(source, FREE_ELSEWHERE)
    with pytest.raises(ForbiddenError):
        load(source, ("append", "block"))


def test_a_torch_that_keeps_its_generator_elsewhere_is_not_taken_for_this_one(monkeypatch):
    torch, empty = pytest.importorskip("torch"), ctypes.create_string_buffer(1 << 13)
    kept = np.random.get_state(), torch.get_rng_state()
    assert len(list(generators())) == 2
    other = SimpleNamespace(manual_seed=torch.manual_seed, _cdata=ctypes.addressof(empty))
    there = SimpleNamespace(default_generator=other, get_rng_state=torch.get_rng_state)
    monkeypatch.setattr(sys.modules[run.__module__], "_torch", lambda: there)
    assert len(list(generators())) == 1
    np.random.set_state(kept[0])
    torch.set_rng_state(kept[1])
