"""A gate that looks at nothing, or at less than before, is red; and each one is still asked."""

import ast

import looked_at as plugin
import pytest
import without_torch
from dependencies import ROOT

GATE = pytest.mark.gate
TESTS = """
def test_a_gate(looked_at):
    looked_at("pages", {count})

def test_another(looked_at):
    looked_at("words", 0, may_be_zero=True)
"""


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs a test of a gate that looked at so much, where 3 are recorded."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # they take seconds to load
    record = pytester.path / "record.json"
    record.write_text('{"pages": 3, "words": 0}')
    monkeypatch.setattr(plugin, "RECORD", record)
    pytester.makeconftest('pytest_plugins = ["looked_at"]')

    def run_it(count, *options):
        pytester.makepyfile(TESTS.replace("{count}", str(count)))
        return pytester.runpytest_inprocess("-q", *options)

    return run_it


@pytest.mark.parametrize(
    ("count", "said"),
    [
        pytest.param(0, "pages: looked at nothing", marks=GATE(
            "gates look at something", "a gate that looked at nothing")),
        pytest.param(2, "pages: looked at 2, at least 3 before", marks=GATE(
            "gates look at no less than before", "one page fewer")),
    ],
)  # fmt: skip
def test_a_gate_that_looks_at_less_is_red(run, count, said):
    result = run(count)
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines([f"*{said}*"])


def test_words_may_become_a_few_fewer():
    assert plugin.complaint("words", 37_416, {"words": 37_431}) is None
    assert plugin.complaint("words", 35_000, {"words": 37_431})
    assert plugin.complaint("chapters", 998, {"chapters": 999})


def test_what_it_looked_at_is_printed_and_what_grew_is_taken_over_on_request(run):
    result = run(4)
    result.stdout.fnmatch_lines(["looked at: pages 4, words 0", "grown: pages *"])
    assert plugin.recorded() == {"pages": 3, "words": 0}
    run(4, "--take-counts")
    assert plugin.recorded() == {"pages": 4, "words": 0}
    run(1, "--take-counts")
    assert plugin.recorded() == {"pages": 4, "words": 0}


def test_nothing_is_recorded_of_a_gate_that_looked_at_nothing(run):
    result = run(0, "--take-counts")
    result.assert_outcomes(failed=1, passed=1)
    assert plugin.recorded() == {"pages": 3, "words": 0}


def test_a_gate_of_which_nothing_is_recorded_is_red():
    assert "none is recorded" in plugin.complaint("pages", 5, {})


def test_every_recorded_gate_is_asked_and_every_asked_one_recorded():
    asked, recorded = {without_torch.GATE}, plugin.recorded().keys()
    for path in (ROOT / "tests").rglob("test_*.py"):
        if path.name != "test_looked_at.py":
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "looked_at":
                    asked |= names_of(node.args[0], recorded)
    assert asked == recorded


def names_of(node, recorded):
    """Return the gate that is asked, or those recorded that begin as an f-string does."""
    if isinstance(node, ast.Constant):
        return {node.value}
    begins = node.values[0].value
    return {name for name in recorded if name.startswith(begins)}
