"""Exercises in Triton, where no Triton is: what is said of them."""

import contextlib
import io
import sys

import pytest
import torch

from attention_course.exercises import (
    all_exercises,
    check,
    exercise_named,
    hint,
    kernel_exercises,
    triton_answer,
)

ITS = exercise_named("triton-softmax-row")


def said(call, *args):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        call(*args)
    return out.getvalue()


def answer(source):
    return triton_answer.load(source)["softmax_row"]


@pytest.fixture
def no_triton(monkeypatch):
    monkeypatch.setitem(sys.modules, "triton", None)
    monkeypatch.setattr(triton_answer, "find_spec", lambda name: None)


def test_a_stub_is_a_stub_with_triton_and_without(no_triton):
    expected = (
        "triton-softmax-row: not written yet.\nReplace NotImplementedError in softmax_row"
    )
    assert said(check, answer(ITS.stub)).startswith(expected)


def test_without_triton_check_says_how_to_get_it(no_triton):
    found = said(check, answer(ITS.solution))
    assert found.startswith("triton-softmax-row: this exercise is checked by running")
    assert "`pip install triton`" in " ".join(found.split())
    assert max(map(len, found.splitlines())) <= 72


def test_hints_need_no_triton(no_triton):
    assert said(hint, "triton-softmax-row").startswith("Hint 1 of 3")


@pytest.mark.parametrize(
    ("capability", "device"),
    [(None, "cpu"), ((7, 5), "cpu"), ((8, 0), "cuda"), ((9, 0), "cuda")],
)
def test_a_gpu_that_triton_does_not_compile_for_is_left_alone(capability, device, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: capability is not None)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda: capability)
    assert triton_answer._device() == device


def test_it_is_in_the_bank_and_not_among_those_that_are_graded():
    assert [*kernel_exercises()] == ["triton-softmax-row", "triton-tiled-forward"]
    assert not {*kernel_exercises()} & {*all_exercises()}
