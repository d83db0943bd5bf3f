"""A device that pretends: its tensors say that they lie there, and the CPU computes with them.

As a real one does, it refuses tensors of two devices in one operation and hands nothing to
NumPy. Its clock counts the bytes that operations give, so that a time is the same anywhere.
"""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from importlib import import_module
from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.backends import cuda as sdp
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode
from torch.utils._pytree import tree_leaves, tree_map

T4 = SimpleNamespace(name="Tesla T4", major=7, minor=5, total_memory=15 * 2**30)
H100 = SimpleNamespace(name="NVIDIA H100 80GB HBM3", major=9, minor=0, total_memory=80 * 2**30)
DEVICES = ("cpu", "cuda", "mps", "meta")
CARRIES = {
    *(Tensor.to, Tensor.copy_, Tensor.__setitem__, Tensor.__getitem__),
    torch._has_compatible_shallow_copy_type,  # by which a module asks
}
HOST = {Tensor.numpy, Tensor.__array__}


class There(Tensor):
    """A tensor on the device that pretends."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            return Pretended.now.compute(func, args, kwargs or {})

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return torch.device(Pretended.now.kind, 0)


class Pretended(TorchFunctionMode):
    """Makes and moves tensors, and looks at what each operation is given.

    Args:
        kind: of the device, "cuda" or "mps".
        refuses: number formats that it does not know.
        about: of a GPU, what its driver says of it.
    """

    now: "Pretended"

    def __init__(self, kind: str, refuses: tuple[torch.dtype, ...] = (), about: Any = None):
        super().__init__()
        self.kind, self.refuses, self.about, self.written = kind, refuses, about, 0
        Pretended.now = self

    def __enter__(self):
        torch.__future__.set_overwrite_module_params_on_conversion(True)
        return super().__enter__()

    def __exit__(self, *error):
        torch.__future__.set_overwrite_module_params_on_conversion(False)
        return super().__exit__(*error)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return There.__torch_function__(func, types, args, kwargs)

    def compute(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        """Do what torch does, and say of the result that it lies where it would lie."""
        given = [x for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)]
        there = any(isinstance(x, There) for x in given)
        if there and func in HOST:
            raise TypeError(f"can't convert {self.kind}:0 device type tensor to numpy")
        if len({isinstance(x, There) for x in given if x.ndim}) == 2 and func not in CARRIES:
            places = f"{self.kind}:0 and cpu"
            raise RuntimeError(
                f"Expected all tensors to be on the same device, but {func} got {places}"
            )
        asked = kwargs.get("device") or (
            func is Tensor.to and next(filter(is_device, args), None)
        )
        if asked:
            there = torch.device(asked).type == self.kind
            kwargs = {**kwargs, **({"device": "cpu"} if "device" in kwargs else {})}
            args = ["cpu" if is_device(x) else x for x in args]
        there = there and func is not Tensor.cpu
        attends = func is scaled_dot_product_attention and there and self.about
        with sdpa_kernel(self.backends(*args[:2])) if attends else nullcontext():
            found = func(*args, **kwargs)
        made = not any(x is found for x in given)
        return tree_map(lambda x: self.placed(x, there, made), found)

    def placed(self, x: Any, there: bool, made: bool) -> Any:
        """Return a tensor as one that lies there, or does not; a new leaf stays one."""
        if not isinstance(x, Tensor) or isinstance(x, There) == there:
            return x
        if there and x.dtype in self.refuses:
            raise TypeError(f"Cannot convert a {self.kind} Tensor to {x.dtype}")
        self.written += x.nbytes * there
        if made and x.is_leaf and x.requires_grad:
            return x.detach().as_subclass(There if there else Tensor).requires_grad_()
        return x.as_subclass(There if there else Tensor)

    def backends(self, q: Tensor, k: Tensor) -> list[SDPBackend]:
        """Return what the CPU computes SDPA with; refuse what the GPU has no kernel for."""
        new, grouped = self.about.major >= 8, q.shape[1] != k.shape[1]
        half = q.dtype in (torch.float16, torch.bfloat16)
        can = (
            sdp.math_sdp_enabled(),
            sdp.flash_sdp_enabled() and new and half,
            sdp.cudnn_sdp_enabled() and new and half,
            sdp.mem_efficient_sdp_enabled() and not grouped,
        )
        if not any(can):
            raise RuntimeError("No available kernel. Aborting execution.")
        return [SDPBackend.MATH]


def is_device(x: Any) -> bool:
    """Say whether an argument names a device."""
    return isinstance(x, torch.device) or (
        isinstance(x, str) and x.partition(":")[0] in DEVICES
    )


class Generator(torch.Generator):
    """Draws on the CPU, whatever device is asked for."""

    def __new__(cls, device: Any = "cpu"):
        return super().__new__(cls, "cpu")


def by_tiles(q, k, v, causal, scale, variant) -> tuple[Tensor, Tensor]:
    """Stand in for the Triton kernels: contexts and log-sum-exps, from float32."""
    keys, values = (x.float().repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = scale * q.float() @ keys.mT
    if causal:
        n_q, n_k = scores.shape[-2:]
        ahead = torch.ones(n_q, n_k, dtype=torch.bool, device=q.device).triu(1 + n_k - n_q)
        scores = scores.masked_fill(ahead, -torch.inf)
    return (scores.softmax(-1) @ values).to(q.dtype), scores.logsumexp(-1)


@contextmanager
def pretended_gpu(about: Any) -> Iterator[Pretended]:
    """Let torch find such a GPU; compilers and Triton's kernels have stand-ins in torch.

    Args:
        about: ``T4``, ``H100`` or the like.

    Returns:
        A context manager.
    """
    from attention_course.benchmarks import base
    from attention_course.measure import device, limits, profiling, timing

    tiled = import_module("attention_course.kernels.tiled")
    door = import_module("attention_course.kernels.triton_attention")
    tick = count()
    driver = {
        "is_available": lambda: True,
        "get_device_properties": lambda *which: about,
        "get_device_capability": lambda *which: (about.major, about.minor),
        "memory_allocated": lambda: 0,
        "max_memory_allocated": lambda: 2**20,
        **dict.fromkeys(
            ("synchronize", "reset_peak_memory_stats", "empty_cache"),
            lambda *x: None,
        ),
    }
    # A call takes longer than a block is to last, so that a block is one call.
    clock = SimpleNamespace(perf_counter=lambda: next(tick) + Pretended.now.written / 1e3)
    softmax = SimpleNamespace(triton_softmax=lambda x: x.softmax(-1))
    with ExitStack() as stack:
        set_ = lambda *what: stack.enter_context(patch.object(*what))  # noqa: E731
        for name, way in driver.items():
            set_(torch.cuda, name, way)
        set_(torch.version, "cuda", "12.8")
        set_(torch, "Generator", Generator)
        set_(torch, "compile", lambda call, **how: call)
        set_(torch.cuda, "make_graphed_callables", lambda call, args: call)
        set_(device, "_there", lambda package: True)
        set_(device, "_has_cudnn", lambda: True)
        set_(door, "_interpreted", lambda: False)
        set_(door, "_Attention", SimpleNamespace(apply=by_tiles))
        set_(limits, "_GPU_SHAPES", ((64, 64, 64),))
        set_(limits, "_BYTES", {"cuda": 2**12, "cpu": 2**12})
        watch, again = profiling.profile, tiled.checkpoint
        set_(profiling, "profile", lambda activities: watch(activities=activities[:1]))
        # torch asks whether what is computed again lies where it lay, and sees the CPU.
        set_(tiled, "checkpoint", partial(again, determinism_check="none"))
        set_(timing, "time", clock)
        set_(base, "LONGEST_CHECKED", 48)
        where = "attention_course.kernels.triton_softmax"
        stack.callback(sys.modules.pop, where)
        sys.modules[where] = softmax
        yield stack.enter_context(Pretended("cuda", about=about))
