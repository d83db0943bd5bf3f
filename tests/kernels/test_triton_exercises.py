"""Exercises whose answers are Triton kernels: what test_bank asks of all the others."""

import contextlib
import io
from importlib import import_module
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from attention_course.exercises import (
    check,
    examine_source,
    exercise_named,
    kernel_exercises,
    recognise,
    triton_answer,
)
from attention_course.exercises.examine import distance, public_calls, public_right
from attention_course.exercises.stopping import EndlessError, stopped_after
from attention_course.reference import partial_attention, softmax

pytestmark = [
    pytest.mark.interpreted,
    # Triton 3.6 reads its loops' bounds so.
    pytest.mark.filterwarnings(
        "ignore:Conversion of an array with ndim > 0:DeprecationWarning"
    ),
]
EXERCISES = kernel_exercises()
WRONG = [(slug, wrong.name) for slug, each in EXERCISES.items() for wrong in each.wrong]
ODD = [(slug, odd.name) for slug, each in EXERCISES.items() for odd in each.right]


def said(answer):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        check(answer)
    return out.getvalue()


@pytest.mark.parametrize("slug", EXERCISES)
def test_the_solution_holds_every_property(slug):
    exercise = EXERCISES[slug]
    report = examine_source(exercise, exercise.solution)
    assert [(finding.probe.name, finding.complaint) for finding in report.failed] == []
    assert examine_source(exercise, exercise.stub).points == 0
    assert {probe.part for probe in exercise.probes} == set(exercise.points)
    assert len(exercise.wrong) >= 10
    assert not {line for line in exercise.solution.splitlines() if len(line) > 76}


def test_the_solution_is_the_softmax_of_the_reference():
    exercise = exercise_named("triton-softmax-row")
    for probe in exercise.probes:
        (call,) = public_calls(exercise, probe)
        x, n = call.args
        weights, around = public_right(exercise, probe).values
        np.testing.assert_allclose(weights, softmax(x[:, :n].astype(float)), atol=1e-6)
        assert set(np.unique(around)) <= {-7.0, 0.0}


def test_the_solution_in_tiles_is_the_attention_of_the_reference():
    exercise = exercise_named("triton-tiled-forward")
    formats, causal_too, blind = set(), set(), 0
    for probe in exercise.probes:
        (call,) = public_calls(exercise, probe)
        q, k, v, scale, causal, *_ = call.args
        seen = np.tri(len(q), len(k), len(k) - len(q), dtype=bool) if causal else None
        right = partial_attention(*(x.astype(float) for x in (q, k, v)), scale, seen)
        *ours, around = public_right(exercise, probe).values
        for found, expected in zip(ours, right, strict=True):
            assert distance(exercise, expected, found).max() <= 1, probe.name
        assert set(np.unique(around)) == {-7.0}
        formats.add(q.dtype)
        causal_too.add(causal)
        blind += int(np.isneginf(right[1]).sum())
    assert formats == {np.dtype("float16"), np.dtype("float32")}
    assert causal_too == {False, True}
    assert blind > 0


@pytest.mark.parametrize(("slug", "name"), WRONG)
def test_a_wrong_answer_is_caught_and_called_by_its_name(slug, name):
    exercise = EXERCISES[slug]
    wrong = next(wrong for wrong in exercise.wrong if wrong.name == name)
    report = examine_source(exercise, exercise.source_of(wrong))
    assert report.failed
    assert {finding.outcome.error for finding in report.findings} & {""}, "it breaks down"
    found = recognise(report)
    assert found is not None
    assert found.name == name
    for finding in report.failed:
        pairs = zip(
            public_right(exercise, finding.probe).values, finding.outcome.values, strict=False
        )
        off = max(np.nan_to_num(distance(exercise, a, b), nan=np.inf).max() for a, b in pairs)
        assert off > 10, finding.probe.name


@pytest.mark.parametrize(("slug", "name"), ODD)
def test_a_right_answer_that_looks_odd_passes(slug, name):
    exercise = EXERCISES[slug]
    odd = next(odd for odd in exercise.right if odd.name == name)
    report = examine_source(exercise, exercise.source_of(odd))
    assert [(finding.probe.name, finding.complaint) for finding in report.failed] == []


def test_check_examines_a_function_that_a_notebook_defines(tmp_path, monkeypatch):
    solution = exercise_named("triton-softmax-row").solution
    (tmp_path / "right_in_a_cell.py").write_text(solution)
    (tmp_path / "wrong_in_a_cell.py").write_text(solution.replace("<", "<="))
    monkeypatch.syspath_prepend(tmp_path)
    import right_in_a_cell
    import wrong_in_a_cell

    found = said(right_in_a_cell.softmax_row)
    assert found == "triton-softmax-row: right. All 10 properties hold.\n"
    found = said(wrong_in_a_cell.softmax_row)
    assert "This is what comes if one score too many is read." in found


def test_a_kernel_with_its_decorator_is_examined_as_well(tmp_path, monkeypatch):
    path = tmp_path / "decorated_in_a_cell.py"
    solution = exercise_named("triton-softmax-row").solution.replace(
        '"tl.constexpr"', "tl.constexpr"
    )
    path.write_text(f"import triton\nimport triton.language as tl\n\n\n@triton.jit\n{solution}")
    monkeypatch.syspath_prepend(tmp_path)
    import decorated_in_a_cell as cell

    assert "All 10 properties hold" in said(cell.softmax_row)


def test_a_mistake_in_python_is_told_as_what_it_is():
    exercise = exercise_named("triton-softmax-row")
    source = exercise.solution.replace("tl.arange(0, SIZE)", "tl.arange(0, LENGTH)")
    found = examine_source(exercise, source).failed[0]
    assert found.complaint.startswith("raised NameError (line 3 of your cell)")
    assert "LENGTH" in found.complaint


def test_triton_s_own_softmax_is_refused():
    exercise = exercise_named("triton-softmax-row")
    source = exercise.solution.replace(
        "tl.exp(scores - tl.max(scores, 0))", "tl.softmax(scores)"
    )
    assert "softmax is not allowed" in examine_source(exercise, source).failed[0].complaint


def test_an_answer_takes_its_helpers_and_constants_along(tmp_path, monkeypatch):
    solution = exercise_named("triton-softmax-row").solution
    inner = "scores - tl.max(scores, 0)"
    helper = f"FLOOR = 0.0\n\n\n@triton.jit\ndef lowered(scores):\n    return {inner} + FLOOR\n"
    answer = solution.replace(inner, "lowered(scores)")
    path = tmp_path / "helped_in_a_cell.py"
    path.write_text(f"import triton\nimport triton.language as tl\n\n\n{helper}\n\n{answer}")
    monkeypatch.syspath_prepend(tmp_path)
    import helped_in_a_cell as cell

    assert "All 10 properties hold" in said(cell.softmax_row)


def test_an_endless_kernel_is_stopped_and_the_next_one_runs(monkeypatch):
    exercise = exercise_named("triton-softmax-row")
    assert not examine_source(exercise, exercise.solution).failed
    monkeypatch.setattr(import_module(examine_source.__module__), "LONGEST_S", 1.0)
    endless = exercise.solution.replace(
        "    there =", "    while True:\n        pass\n    there ="
    )
    assert "endless loop" in examine_source(exercise, endless).failed[0].complaint
    monkeypatch.undo()
    assert not examine_source(exercise, exercise.solution).failed


def test_a_start_that_the_clock_stops_goes_on_and_leaves_nothing_behind():
    triton_answer._apart(triton_answer._end)
    with pytest.raises(EndlessError), stopped_after(0.05):
        triton_answer._child()
    exercise = exercise_named("triton-softmax-row")
    assert not examine_source(exercise, exercise.solution).failed
    (child,) = triton_answer._children
    triton_answer._apart(triton_answer._end)
    assert (child.returncode, child.stdin.closed, child.stdout.closed) == (-9, True, True)


def test_the_page_checks_its_exercises_whatever_has_imported_triton(monkeypatch):
    """Run the chapter from top to bottom without a GPU, with the solutions in their places."""
    monkeypatch.delenv("TRITON_INTERPRET", raising=False)
    path = Path(__file__).parents[2] / "book" / "scale" / "triton-kernel.ipynb"
    notebook = nbformat.read(path, as_version=4)
    seen = nbformat.v4.new_code_cell("import sys\nprint('triton' in sys.modules)")
    checks = {}
    for at, cell in enumerate(notebook.cells):
        for slug, exercise in EXERCISES.items():
            if cell.source.startswith(exercise.marker):
                cell.source = exercise.solution
                checks[slug] = at + 1
    notebook.cells[max(checks.values()) + 1 :] = [seen]
    NotebookClient(notebook, kernel_name="python3", timeout=300).execute()
    assert notebook.cells[-1].outputs[0].text == "True\n"
    assert [*checks] == [*EXERCISES]
    for slug, at in checks.items():
        all_hold = f"{slug}: right. All {len(EXERCISES[slug].probes)} properties hold."
        assert all_hold in notebook.cells[at].outputs[0].text
