"""Which device there is, in which number format it is measured, and what it cannot do."""

import importlib.util
import os
import platform
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FEATURES = ("math", "flash", "efficient", "cudnn", "triton", "bf16", "flex", "compile")


@dataclass(frozen=True)
class Device:
    """A device that something is measured on.

    Attributes:
        kind: "cuda" or "cpu".
        name: as its maker calls it.
        capability: of a GPU, CUDA's compute capability, such as (7, 5).
        memory: of a GPU, bytes.
    """

    kind: str
    name: str
    capability: tuple[int, int] = (0, 0)
    memory: int = 0

    @property
    def torch(self) -> Any:
        """The ``torch.device``."""
        import torch

        return torch.device(self.kind)

    @property
    def dtype(self) -> Any:
        """The number format to measure: bfloat16, float16 on a T4, float32 on a CPU.

        ``torch.cuda.is_bf16_supported()`` is not asked: on a T4 it says True of what torch only
        emulates.
        """
        import torch

        if self.kind != "cuda":
            return torch.float32
        return torch.bfloat16 if self.capability >= (8, 0) else torch.float16

    def why_not(self, feature: str) -> str | None:
        """Say as a clause why the device cannot do something; None where it can.

        A feature is a backend of SDPA ("math", "flash", "efficient", "cudnn"), "triton",
        "bf16", "flex" (FlexAttention, compiled) or "compile" (``torch.compile``).
        """
        if feature not in FEATURES:
            raise ValueError(f"why_not: expected one of {FEATURES}, got {feature!r}")
        return self._cpu(feature) if self.kind == "cpu" else self._gpu(feature)

    def _cpu(self, feature: str) -> str | None:
        if feature in ("math", "flash", "bf16"):
            return None
        if feature == "compile":
            return None if compiler() else "torch.compile needs a C++ compiler (g++) here"
        return {
            "efficient": "the memory-efficient kernels are written for NVIDIA's GPUs",
            "cudnn": "cuDNN runs on NVIDIA's GPUs only",
            "triton": "Triton compiles for GPUs; a CPU can only interpret it, slowly",
            "flex": "the course compiles FlexAttention on a GPU only",
        }[feature]

    def _gpu(self, feature: str) -> str | None:
        number = ".".join(map(str, self.capability))
        least = "7.0" if feature == "compile" else "8.0"
        old = f"compute capability {least} is needed, and this {self.name} has {number}"
        if feature in ("math", "efficient"):
            return None
        if feature == "compile" and self.capability < (7, 0):
            return f"torch.compile uses Triton: {old}"
        if feature != "compile" and self.capability < (8, 0):
            return {
                "flash": f"FlashAttention-2: {old}",
                "cudnn": f"cuDNN's attention: {old}",
                "triton": f"products in Triton (tl.dot), from 3.3 on: {old}",
                "bf16": f"bfloat16 would be emulated: {old}",
                "flex": f"FlexAttention is compiled by Triton: {old}",
            }[feature]
        if feature in ("triton", "flex", "compile") and not _there("triton"):
            return "Triton is not installed (pip install triton)"
        if feature == "cudnn" and not _has_cudnn():
            return "this torch was built without cuDNN"
        return None


def this_device(kind: str | None = None) -> Device:
    """Say what this machine measures on: its GPU where torch finds one, else its CPU.

    ``kind``, "cuda" or "cpu", insists; a ValueError says if there is none.

    >>> this_device("cpu").kind == "cpu", this_device("cpu").why_not("flash") is None
    (True, True)
    """
    import torch

    if kind not in (None, "cuda", "cpu"):
        raise ValueError(f'this_device: expected "cuda" or "cpu", got {kind!r}')
    there = torch.cuda.is_available() and torch.version.cuda is not None
    if kind == "cuda" and not there:
        raise ValueError("this_device: expected a GPU that torch can use, got none")
    if kind == "cpu" or not there:
        return Device("cpu", f"{_processor()}, one thread")
    about = torch.cuda.get_device_properties(0)
    return Device("cuda", about.name, (about.major, about.minor), about.total_memory)


def compiler() -> str | None:
    """Return the path of the C++ compiler that ``torch.compile`` would call, or None."""
    names = (os.environ.get("CXX"), "g++")  # as torch._inductor.config.cpp.cxx
    return next((path for name in names if name and (path := shutil.which(name))), None)


def _there(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def _has_cudnn() -> bool:
    import torch

    return torch.backends.cudnn.is_available()


def _processor() -> str:
    """Return the processor's name as its maker writes it, or its architecture."""
    file = Path("/proc/cpuinfo")
    lines = file.read_text(encoding="utf-8").splitlines() if file.is_file() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
