"""A teacher's own exercise is tried before students get it; whatever is wrong is one line."""

import re
from pathlib import Path

import pytest

from course_grader.cli.command import main
from course_grader.cli.exercise import EXAMPLE
from course_grader.cli.new import new
from course_grader.marking import rehearsal
from course_grader.marking.rehearsal import rehearsed
from course_grader.submissions import teacher_exercise
from course_grader.submissions.teacher_exercise import TeacherExercise

TEXT = EXAMPLE.read_text(encoding="utf-8")
BEGINS, ENDS = '        Probe(\n            "scores thousands', "    ),\n    hints="
APART = TEXT[TEXT.index(BEGINS) : TEXT.index(ENDS)]
TOP_LINE = "top = np.maximum(scores.max(-1, keepdims=True), sink)"
SMALL = "    return [ask(scores, 0.5, values)]\n"
STUB = '''    """Return weights (n_queries, n_keys) and contexts (n_queries, d_v)."""
    raise NotImplementedError
'''


def tried(text):
    """Try a file in this process; what could end Python is tried by the command."""
    return rehearsal._tried(TeacherExercise("mine.py", text), lambda doing: None, False)


def written(home, text):
    path = home / "mine.py"
    path.write_text(text, encoding="utf-8")
    return path


# ---- the command ----------------------------------------------------------------------------


def test_the_example_is_printed_and_its_probes_catch_what_is_a_mistake(tmp_path, capsys):
    assert main(["exercise", "--example"]) == 0
    printed = capsys.readouterr().out
    assert printed == TEXT
    assert main(["exercise", str(written(tmp_path, printed))]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    assert "attention-with-a-sink: 6 points, 5 properties, of which students see 2" in out
    assert re.search(r"your solution +6 of 6\n", out)
    assert re.search(r"your stub +0 of 6  two queries", out)
    assert re.search(r"wrong: nothing is subtracted .* 4 of 6  scores near 1000\n", out)
    assert re.search(r"right: in loops +6 of 6\n", out)
    caught, made = re.search(r"\n(\d+) of (\d+) are caught\.\n", out).groups()
    assert int(made) > 20
    assert int(caught) == int(made) - 1
    same = "    top = np.maximum(sink, scores.max(-1, keepdims=True))\n"
    assert out.endswith(f"two arguments change places:\n    {TOP_LINE}\n{same}")
    line = TEXT.split("\n").index("    exps = np.exp(scores - top)") + 1
    assert re.search(rf"\n{line} +exps = np.exp\(scores \+ top\) ", out)
    assert "scores thousands apart (hidden)" in out
    assert "two queries, three keys\n" in out


def test_without_a_probe_what_it_caught_is_listed_to_be_looked_at(tmp_path, capsys):
    assert TEXT.count(APART) == 1
    assert main(["exercise", str(written(tmp_path, TEXT.replace(APART, "")))]) == 0
    out = capsys.readouterr().out
    missed = out.split("Not caught, or no mistake: look at\n")[1]
    assert "top = np.minimum(scores.max(-1, keepdims=True), sink)" in missed
    assert out.count("NOT CAUGHT") == missed.count("  line ") == 3
    assert re.search(r"\n(\d+) of (\d+) are caught\.", out)


def test_a_wrong_answer_that_nothing_catches_is_a_problem(tmp_path, capsys):
    same = '(("weights @ values", "weights @ (values + 0)"),)'
    text = TEXT.replace('(("np.exp(sink - top)", "sink"),)', same)
    path = written(tmp_path, text)
    assert main(["exercise", str(path)]) == 1
    out, err = capsys.readouterr()
    assert "'wrong: the sink is added without its exponential' earns everything" in err
    assert re.search(r"wrong: the sink is added .* 6 of 6\n", out)
    with pytest.raises(ValueError, match=r"mine.py: 'wrong: .* earns everything"):
        new(tmp_path, "sinks", [str(path)])
    assert list(tmp_path.iterdir()) == [path]


RETURNS = "    return weights, weights @ values\n"
TOP, DEFINES = "    top = np.m", "def with_a_sink(scores, sink, values):\n    top"
BROKEN = [
    ((SMALL, SMALL.replace("0.5", "np.random.random()")), "draws other inputs each time"),
    (("APART = ", "APART = np.random.rand() * "), "draws other inputs each time"),
    ((SMALL, "    return oops\n"),
     "line 5.: the probe 'two queries, three keys' raises NameErr"),
    ((SMALL, "    return []\n"), "it must return Calls in a list"),
    ((SMALL, "    return [ask(scores, slice(3), values)]\n"), "slice is not JSON"),
    ((', returns=("weights", "contexts")', ""), "must name what it returns"),
    ((SMALL, SMALL.replace("scores,", "np.zeros((600, 600)),")), "draws 2 MiB of inputs"),
    ((SMALL, "    return [ask(np.zeros(1 << 45), 0.5, values)]\n"), "raises .*MemoryError"),
    ((SMALL, "    while True: pass\n"), "line 5.: the probe .* takes more than 2 s"),
    ((TOP, f"    scores -= 1\n{TOP}"),
     "the solution fails .*: the call overwrote its argument scores"),
    ((TOP, f"    oops\n{TOP}"), "line 26: the solution fails .*: raised NameError"),
    ((TOP, f"    scores = scores + np.random.rand()\n{TOP}"),
     "changes NumPy's random generator"),
    ((TOP, f"    for _ in range(10**7): pass\n{TOP}"),
     "the solution fails .*: it computes for"),
    ((RETURNS, "    return weights\n"), "the solution fails .*: expected 2 results"),
    ((DEFINES, f"import scipy\n{DEFINES}"), "line 25: the solution raised ModuleNotFoundError"),
    ((DEFINES, DEFINES.replace("with_a", "without_a")), "the solution must define with_a_sink"),
    ((f"with_a_sink(scores, sink, values):\n{STUB}", f"sinking(a):\n{STUB}"),
     "line 16: the stub"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "words"), BROKEN, ids=map(str, range(len(BROKEN))))
def test_what_would_not_work_is_said_with_its_line(monkeypatch, change, words):
    monkeypatch.setattr(teacher_exercise, "SECONDS", 2.0)
    monkeypatch.setattr(rehearsal, "MOST_INPUT", 1 << 20)
    monkeypatch.setattr(rehearsal, "SOLUTION_S", 0.02)
    assert TEXT.count(change[0]) == 1
    text = TEXT.replace(*change)
    with pytest.raises(ValueError, match=words) as caught:
        tried(text)
    assert str(caught.value).startswith("mine.py")
    assert "\n" not in str(caught.value)


def test_a_second_solution_that_disagrees_is_a_problem():
    text = TEXT.replace("1 / (np.exp(sink - one)", "1 / (np.exp(sink)")
    (problem,) = tried(text).problems
    assert "'right: in loops' must earn everything" in problem
    assert problem.endswith("which of the two is right?")
    body = TEXT[TEXT.index(TOP) : TEXT.index(RETURNS) + len(RETURNS)]
    same = TEXT.replace("    raise NotImplementedError\n", f"    import numpy as np\n{body}")
    assert "'your stub' earns everything" in tried(same).problems[0]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import os; os._exit(0)", "Python itself ended while it is read"),
        ("import signal, os; os.kill(os.getpid(), signal.SIGSEGV)", "Python itself ended"),
        ("sum(iter(int, 1))", "nothing was heard for 4 s while it is read"),
    ],
)
def test_a_file_that_ends_python_or_never_ends_costs_one_line(
    tmp_path, capsys, monkeypatch, line, words
):
    monkeypatch.setattr(teacher_exercise, "SILENCE_S", 4.0)
    path = written(tmp_path, TEXT.replace("EXERCISE = ", f"{line}\nEXERCISE = "))
    assert main(["exercise", str(path)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("attention-course exercise: mine.py: ")
    assert words in err
    assert err.count("\n") == 1


def test_what_ends_python_later_is_said_by_its_name(tmp_path):
    text = TEXT.replace(
        "    weights = np.zeros(scores.shape)\n", "    import os; os._exit(0)\n"
    )
    with pytest.raises(ValueError, match="ended while it tries 'right: in loops'"):
        rehearsed(TeacherExercise("mine.py", text))


def test_a_file_that_could_be_published_is_noted(tmp_path, capsys):
    (tmp_path / "_toc.yml").write_text("")
    (tmp_path / "src/attention_course").mkdir(parents=True)
    path = written(tmp_path / "src", TEXT)
    assert main(["exercise", str(path)]) == 0
    assert "careful: " in capsys.readouterr().err
    assert Path(path).is_file()
