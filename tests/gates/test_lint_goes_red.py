"""Lint and types look at everything; examples, warnings and shapes go red."""

import shutil
import sys
from types import ModuleType

import pytest
from examples import failures
from gate_tools import run, tool
from mypy.main import process_options
from rules.notebooks import ROOT

TEST = "def test_one():\n    assert 1 == 1.0\n"


@pytest.fixture
def project(tmp_path):
    """A folder with the project's own configuration and one sound test."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_one.py").write_text(TEST)
    return tmp_path


def test_lint_looks_at_every_file_of_code():
    shown = run(tool("ruff"), "check", "--show-files", ".", cwd=ROOT).stdout.splitlines()
    assert len(shown) >= 680
    assert sum(name.endswith(".ipynb") for name in shown) >= 19


def test_types_are_checked_in_every_module():
    sources, _ = process_options([])  # as the project's configuration says
    assert len(sources) >= 250


def _pytest(project, *options):
    command = [sys.executable, "-m", "pytest", "-q", "--color=no", "-p", "no:xdist", *options]
    return run(*command, "tests", cwd=project)


@pytest.mark.gate("examples in docstrings", "an example with a wrong result")
def test_a_wrong_example_is_noticed():
    module = ModuleType("one")
    module.__doc__ = ">>> 1 + 1\n3\n"
    assert "Expected:\n    3\nGot:\n    2" in failures(module)
    module.__doc__ = ">>> 1 + 1\n2\n"
    assert failures(module) == ""


@pytest.mark.gate("warnings are errors", "a warning inside a test")
def test_a_warning_is_an_error(project):
    body = "import warnings\n\n\ndef test_one():\n    warnings.warn('old', UserWarning)\n"
    (project / "tests/test_one.py").write_text(body)
    done = _pytest(project)
    assert done.returncode == 1
    assert "UserWarning: old" in done.stdout


@pytest.mark.gate("pytest's markers", "a mistyped marker")
def test_an_unknown_marker_is_an_error(project):
    body = "import pytest\n\n\n@pytest.mark.brwoser\ndef test_one():\n    pass\n"
    (project / "tests/test_one.py").write_text(body)
    assert _pytest(project).returncode != 0


@pytest.mark.gate("shapes in signatures", "keys with another d_k than the queries")
def test_a_wrong_shape_is_noticed():
    import numpy as np
    from jaxtyping import TypeCheckError

    from attention_course.reference import dot_scores

    with pytest.raises(TypeCheckError, match="parameter 'k'"):
        dot_scores.__wrapped__(np.zeros((2, 3)), np.zeros((5, 4)))
