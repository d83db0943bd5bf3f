"""An answer is run once, and again as soon as anything that decides about it changes."""

import mutants
import pytest
from dependencies import ROOT, Repository

from attention_course.exercises import exercise_named

HOME = "src/attention_course/exercises"
DECIDING = {
    "tools/mutants.py": "from attention_course.exercises import examine",
    f"{HOME}/__init__.py": "from attention_course.exercises.examine import examine",
    f"{HOME}/runner.py": "",
    f"{HOME}/examine.py": "from attention_course.reference.softmax import softmax",
    f"{HOME}/bank/common.toml": "",
    f"{HOME}/bank/four-steps/statement.md": "Do it.",
    f"{HOME}/bank/four-steps/probes.py": "from attention_course.reference.scores import dot",
    "src/attention_course/reference/softmax.py": "def softmax(x): ...",
    "src/attention_course/reference/scores.py": "def dot(q, k): ...",
}
IDLE = {
    "README.md": "",
    f"{HOME}/bank/kv-cache/probes.py": "from attention_course.reference.masks import causal",
    "src/attention_course/reference/masks.py": "def causal(n): ...",
}


@pytest.fixture
def fresh(tmp_path, monkeypatch):
    """A store with nothing in it, and a process that remembers nothing."""
    monkeypatch.setattr(mutants, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(mutants, "_REPORTS", {})
    return tmp_path / "kept"


def test_what_is_found_of_an_answer_is_the_same_from_the_store(fresh, monkeypatch):
    exercise = exercise_named("four-steps")
    sources = [exercise.solution, *map(exercise.source_of, exercise.wrong)]
    first = [mutants.report_on(exercise, source) for source in sources]
    monkeypatch.setattr(mutants, "_REPORTS", {})
    monkeypatch.setattr(mutants, "examine_source", None)  # it cannot be run again
    again = [mutants.report_on(exercise, source) for source in sources]
    assert [r.points for r in first] == [r.points for r in again]
    assert [[f.complaint for f in r.failed] for r in first] == [
        [f.complaint for f in r.failed] for r in again
    ]
    assert first[0].right
    assert not any(report.right for report in again[1:])


def test_where_torch_is_not_nothing_is_said_of_an_exercise_that_uses_it(fresh, monkeypatch):
    exercise = exercise_named("multi-head-attention")
    monkeypatch.setattr(mutants, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="No module named 'torch'"):
        mutants.report_on(exercise, exercise.solution)
    assert mutants.report_on(exercise_named("four-steps"), "four_steps = 7\n").points == 0


@pytest.mark.gate("answers are run again when they must", "an older verdict in the store")
def test_a_verdict_of_older_files_is_not_believed(fresh, monkeypatch):
    exercise = exercise_named("four-steps")
    monkeypatch.setattr(mutants, "run_by", lambda slug: "old")
    mutants.report_on(exercise, exercise.stub)
    monkeypatch.setattr(mutants, "_REPORTS", {})
    monkeypatch.setattr(mutants, "run_by", lambda slug: "new")
    monkeypatch.setattr(mutants, "examine_source", None)
    with pytest.raises(TypeError, match="not callable"):
        mutants.report_on(exercise, exercise.stub)


@pytest.fixture
def tree(tmp_path):
    """The files that decide, in small: the examiner imports the reference."""
    for name, text in (DECIDING | IDLE).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Repository(tmp_path, [*DECIDING, *IDLE])


def changed(tree, name):
    before = mutants._hash(tree, "four-steps")
    path = tree.root / name
    path.write_text(path.read_text() + "\n# changed\n")
    return mutants._hash(tree, "four-steps") != before


def test_the_files_that_decide_change_the_hash_and_those_of_other_exercises_do_not(tree):
    assert [name for name in (*DECIDING, *IDLE) if changed(tree, name)] == [*DECIDING]


def test_here_the_hash_takes_in_the_exercise_and_what_all_share():
    assert mutants.KEPT.parent == ROOT / ".make"
    hashes = {slug: mutants.run_by(slug) for slug in ("four-steps", "kv-cache")}
    assert [len(found) for found in hashes.values()] == [16, 16]
    assert hashes["four-steps"] != hashes["kv-cache"]
