"""What is said of the grader's speed was measured by its script, on points that agree."""

import json

import grading as script
import pytest

from attention_course.exercises import examine_source
from course_grader.submissions.assignment import load_assignment

RECORD = json.loads((script.RESULTS / "grading.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def assignment():
    return load_assignment(script.SAMPLE)


@pytest.fixture(scope="module")
def result():
    return RECORD["result"]


def test_the_record_is_of_thirty_students_of_every_kind(result):
    assert [group["students"] for group in result["groups"]] == [10, 10, 10]
    kinds = [kind for group in result["groups"] for kind in group["kinds"]]
    assert kinds == [script.kind_of(number) for number in range(30)]
    assert set(kinds) == {"right", "odd", "wrong", "partial"}
    assert RECORD["provenance"]["beside"].startswith("nbgrader==")


def test_the_recorded_points_come_again_from_the_answers(assignment, result):
    came, known = [], {}
    exercises = assignment.exercises()
    for number in range(30):
        answers, points = script.answers_of(assignment, number), 0
        for item in assignment.code:
            source = answers.get(item.slug, exercises[item.slug].stub)
            if source not in known:
                known[source] = examine_source(exercises[item.slug], source).points
            points += item.scale * known[source]
        came.append(points)
    assert came == [points for group in result["groups"] for points in group["points"]]


def test_the_summary_follows_from_the_groups(result):
    assert script.summary(result["groups"]) == result["summary"]


def test_every_time_is_possible(result):
    for group in result["groups"]:
        each = group["ours"]["each_s"]
        assert len(each) == group["students"]
        assert 0 < sum(each) < group["ours"]["wall_s"]
        assert group["nbgrader"]["wall_s"] > 0


def test_the_grader_is_ten_times_as_fast_and_needs_less_than_a_second(result):
    assert result["summary"]["times_as_many"] >= 10
    assert result["summary"]["median_submission_s"] < 1


def test_the_summary_is_of_medians_over_pairs():
    def group(ours, theirs):
        times = {"wall_s": ours, "each_s": [ours / 2] * 2}
        return {"students": 2, "ours": times, "nbgrader": {"wall_s": theirs}}

    came = script.summary([group(2, 20), group(2, 30), group(1, 100)])
    assert came["times_as_many"] == 15
    assert came["ours_per_minute"] == 60
    assert came["nbgrader_per_minute"] == 4
    assert (came["median_submission_s"], came["slowest_submission_s"]) == (1, 1)


def test_points_that_differ_stop_the_benchmark(assignment, monkeypatch, tmp_path):
    times = {"wall_s": 1, "each_s": [1]}
    scores = {("student-00", "kv-cache-part-1"): 3}
    monkeypatch.setattr(script, "by_us", lambda *a: (times, scores))
    monkeypatch.setattr(script, "by_nbgrader", lambda *a: (times, dict(scores)))
    assert script.compare(assignment, [0], tmp_path)["points"] == [3]
    other = {("student-00", "kv-cache-part-1"): 2}
    monkeypatch.setattr(script, "by_nbgrader", lambda *a: (times, other))
    with pytest.raises(RuntimeError, match=r"kv-cache-part-1'\): \(3, 2\)"):
        script.compare(assignment, [0], tmp_path)


def test_a_wrong_answer_of_the_class_loses_exactly_one_part(assignment):
    exercise = next(iter(assignment.exercises().values()))
    parts = examine_source(exercise, script.one_part_wrong(exercise)).parts
    assert list(parts.values()).count(False) == 1
