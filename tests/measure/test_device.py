"""What a device cannot do is said in words, for devices that are not here as well."""

import pytest
import torch

from attention_course.measure import Device, this_device
from attention_course.measure import device as module
from attention_course.measure.device import FEATURES

T4 = Device("cuda", "Tesla T4", (7, 5), 15 * 2**30)
H200 = Device("cuda", "NVIDIA H200", (9, 0), 141 * 2**30)
CPU = this_device("cpu")


def test_a_t4_is_measured_in_float16_whatever_torch_says_of_bfloat16(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda *a, **k: True)
    found = [device.dtype for device in (T4, H200, CPU)]
    assert found == [torch.float16, torch.bfloat16, torch.float32]


def test_a_t4_says_why_not_and_never_raises(monkeypatch):
    monkeypatch.setattr(module, "_there", lambda package: True)
    can = [feature for feature in FEATURES if T4.why_not(feature) is None]
    assert can == ["math", "efficient", "compile"]
    for feature in set(FEATURES) - set(can):
        said = T4.why_not(feature)
        assert "compute capability 8.0 is needed, and this Tesla T4 has 7.5" in said


def test_torch_compiles_from_7_0_on_and_where_triton_is(monkeypatch):
    there = []
    monkeypatch.setattr(module, "_there", there.__contains__)
    assert T4.why_not("compile") == "Triton is not installed (pip install triton)"
    there.append("triton")
    assert T4.why_not("compile") is None
    pascal = Device("cuda", "Tesla P100", (6, 0), T4.memory)
    assert "capability 7.0 is needed, and this Tesla P100 has 6.0" in pascal.why_not("compile")


def test_a_gpu_that_can_all_lacks_only_what_is_not_installed(monkeypatch):
    monkeypatch.setattr(module, "_has_cudnn", lambda: True)
    monkeypatch.setattr(module, "_there", lambda package: True)
    assert {H200.why_not(feature) for feature in FEATURES} == {None}
    monkeypatch.setattr(module, "_there", lambda package: False)
    assert "pip install triton" in H200.why_not("triton")
    monkeypatch.setattr(module, "_has_cudnn", lambda: False)
    assert "without cuDNN" in H200.why_not("cudnn")


def test_a_cpu_compiles_where_there_is_a_compiler(monkeypatch):
    monkeypatch.setattr(module.shutil, "which", lambda name: None)
    assert "C++ compiler" in CPU.why_not("compile")
    monkeypatch.setenv("CXX", "my-compiler")
    monkeypatch.setattr(module.shutil, "which", lambda name: name)
    assert module.compiler() == "my-compiler"
    assert CPU.why_not("compile") is None
    for feature in ("efficient", "cudnn", "triton", "flex"):
        assert "GPU" in CPU.why_not(feature)


def test_without_a_gpu_the_cpu_is_the_device(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert this_device().kind == "cpu"
    assert this_device().torch == torch.device("cpu")
    with pytest.raises(ValueError, match=r"this_device: expected a GPU .* got none"):
        this_device("cuda")


def test_with_a_gpu_it_is_what_the_driver_calls_it(monkeypatch):
    class About:
        name, major, minor, total_memory = "Tesla T4", 7, 5, T4.memory

    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.version, "cuda", "13.0")
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda i: About)
    assert this_device() == T4
    assert this_device("cpu").kind == "cpu"


def test_unknown_words_are_refused():
    with pytest.raises(ValueError, match=r"why_not: expected one of .* got 'tpu'"):
        CPU.why_not("tpu")
    with pytest.raises(ValueError, match='this_device: expected "cuda" or "cpu", got \'mps\''):
        this_device("mps")
