import csv
import io
import re

import pytest

from course_grader.marking.graded import BY_HAND, Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.reports.class_report import as_html, as_text, class_report
from course_grader.reports.gradebook import as_csv, grade_rows, write_gradebook
from course_grader.safe_text import cell
from course_grader.submissions.students import SAME_TIME
from course_grader.tables import write


def code(points, failed=(), verdict="", slug="steps", **more):
    verdict = verdict or ("WRONG" if failed else "OK")
    return CodeGrade(slug, "Steps", verdict, points, 5, failed=list(failed), **more)


def grade(student, item, answer="", **more):
    written = WrittenAnswer("why", "Why?", [("clear", 2), ("right", 1)], answer)
    verdict = more.pop("verdict", item.verdict if item.verdict != "ERROR" else "WRONG")
    return StudentGrade(
        student, "a", "A class", "k", verdict, code=[item], written=[written], **more
    )


def a_class():
    return [
        grade("ada", code(5), "because", late_days=1, late_percent_per_day=10.0),
        grade("bob", code(2, ["large", "mask"], misconception="no shift"), "because"),
        grade("cy", code(2, ["large"], misconception="no shift")),
        grade("=HYPERLINK(1)", code(0, ["large"]), notes=["@note", "+x\ty"]),
        grade("eve", code(0, verdict="GRADER_ERROR"), reason="lost"),
    ]


MARKS = {
    "ada": {"why": {"clear": {"mark": 2}, "right": {"mark": 0.5}}},
    "bob": {"why": {"clear": {"mark": 1}}},
}


def rows():
    text = as_csv(grade_rows(a_class(), MARKS))
    return {row["student"]: row for row in csv.DictReader(io.StringIO(text))}


def test_points_marks_and_lateness_add_up():
    ada = rows()["ada"]
    assert [
        ada[n] for n in ("steps", "why", "late_days", "late_deduction", "total", "max")
    ] == ["5", "2.5", "1", "0.75", "6.75", "8"]


def test_a_half_marked_answer_leaves_the_total_open():
    bob = rows()["bob"]
    assert (bob["why"], bob["so_far"], bob["not_yet"], bob["total"]) == ("", "3", "1", "")
    assert bob["notes"].startswith("3 of 8, and 1 not marked yet | ")


def test_what_the_grader_failed_on_has_no_points_at_all():
    eve = rows()["eve"]
    assert (eve["steps"], eve["total"], eve["not_yet"]) == ("", "", "5")
    assert (eve["verdict"], eve["notes"]) == (
        "GRADER_ERROR",
        "0 of 8, and 5 not graded yet | lost",
    )


def test_no_cell_begins_like_a_formula():
    for row in csv.reader(io.StringIO(as_csv(grade_rows(a_class(), MARKS)))):
        for value in row:
            assert not re.match(r"[=+@\t\r]|-(?![\d.])", value), value
    assert "'=HYPERLINK(1)" in rows()
    assert rows()["'=HYPERLINK(1)"]["notes"] == "'@note | +x y"


def test_items_of_an_earlier_assignment_get_a_column_too():
    old = grade("old", code(1, slug="before"))
    head, first, last = grade_rows([grade("new", code(5)), old], {})
    assert head[1:4] == ["steps", "why", "before"]
    assert (first[1], first[3]) == ("5", "")
    assert (last[1], last[3]) == ("", "1")


def test_a_mark_for_an_answer_that_changed_is_reported():
    grades = a_class()
    digest = grades[0].written[0].digest
    fresh = {"ada": {"why": {"clear": {"mark": 1, "answer": digest}}}}
    stale = {"ada": {"why": {"clear": {"mark": 1, "answer": "other"}}}}
    assert "changed since" not in as_csv(grade_rows(grades, fresh))
    assert "why: changed since it was marked" in as_csv(grade_rows(grades, stale))
    assert "why changed since it was marked" in as_text(class_report(grades, stale))


def test_the_report_counts_points_properties_and_mistakes():
    text = as_text(class_report(a_class(), MARKS))
    assert re.search(r"^steps: 5 points, mean 2.25", text, re.M)
    assert re.search(r"^2 +2 +#{12}$", text, re.M)  # 2 of 5 students, of 30 characters
    assert re.search(r"^5 +1 +#{6}$", text, re.M)
    assert text.index("steps     large     3") < text.index("steps     mask      1")
    assert re.search(r"^steps +no shift +2", text, re.M)
    assert re.search(r"^eve +GRADER_ERROR +lost", text, re.M)
    assert "5 students, 1 late, 8 points. 2 totals are not final: an answer is not" in text
    assert "Of the others the median is 2, the mean 2.92, the range 0 to 6.75" in text


def test_who_needs_a_look_first_is_who_waits_and_each_leads_to_the_file():
    ada = grade("ada", code(0, verdict="TIMEOUT"), submission="submissions/ada/1.ipynb")
    odd = "submissions/b o~1/a%#?<b>.ipynb"
    bo = grade("bo", code(0, verdict="MALFORMED"), verdict="MALFORMED", submission=odd)
    cy = grade("cy", code(0, verdict="MALFORMED"), verdict="MALFORMED")
    page = as_html(class_report([ada, bo, cy], {}))
    assert re.findall(r"<td>(?:<a [^>]*>)?(ada|bo|cy)\b", page) == ["bo", "cy", "ada", "ada"]
    assert '<a href="submissions/ada/1.ipynb" download>ada</a>' in page
    assert '<a href="submissions/b%20o~1/a%25%23%3F%3Cb%3E.ipynb" download>bo</a>' in page
    assert "<td>cy</td>" in page


def test_who_was_marked_by_hand_comes_last_with_the_mark_and_by_name():
    ada = grade("ada_7", code(0, verdict="MALFORMED"), verdict="MALFORMED")
    bo = grade("bo_8", code(0, verdict="TIMEOUT"), verdict="WRONG")
    cy = grade("cy_9", code(0, look="it stands elsewhere", unread=True))
    by_hand = [item for one in (ada, cy) for item in one.by_hand if item.id == "steps"]
    marks = {
        one.student: {"steps": {BY_HAND: {"mark": 3, "answer": item.digest}}}
        for one, item in zip((ada, cy), by_hand, strict=True)
    }
    report = class_report([ada, bo, cy], marks, {"cy_9": "Cy Young"})
    rows = next(one.rows for one in report.sections if one.title == "Who needs a look")
    assert [row[0] for row in rows] == ["bo_8", "ada_7", "Cy Young"]
    assert rows[1][2].endswith("; marked 3 of 8")
    assert rows[2][2] == "steps: it stands elsewhere; marked 3 of 5"


@pytest.mark.parametrize(("count", "who"), [(1, "s0"), (57, "57 students")])
def test_a_raised_maximum_is_one_line_however_many_had_full_marks(count, who):
    students = [grade(f"s{number}", code(5), "because") for number in range(count)]
    mark = {"mark": 1, "of": 1, "answer": students[0].written[0].digest}
    marks = {one.student: {"why": {"clear": mark, "right": mark}} for one in students}
    rows = [
        line for line in as_text(class_report(students, marks)).splitlines() if "full" in line
    ]
    assert len(rows) == 1
    assert re.match(rf"{who} +MARKS +why, clear: the mark was full", rows[0])


def test_whose_files_have_equal_times_needs_a_look():
    note = f"2 notebooks were handed in ({SAME_TIME})."
    text = as_text(class_report([grade("ada", code(5), notes=[note, "late"])], {}))
    assert re.search(r"^ada +FILES +2 notebooks were handed in", text, re.M)
    assert "FILES" not in as_text(class_report(a_class(), {}))


def test_the_report_as_a_page_is_static_and_escaped():
    grades = [grade("<b>x", code(0, ["<i>p"], misconception="<u>m"), verdict="MALFORMED")]
    page = as_html(class_report(grades, {}))
    for tag in ("b", "i", "u"):
        assert f"<{tag}>" not in page
        assert f"&lt;{tag}&gt;" in page
    assert "default-src 'none'" in page
    assert not re.search(r"(?i)<script|https?:|url\(", page)


def test_a_report_of_nobody_is_a_report():
    assert "Nobody has handed in" in as_text(class_report([], {}))
    assert "Nobody has handed in" in as_html(class_report([], {}))


def test_only_the_ten_most_frequent_properties_stand_in_the_report():
    names = [f"property {i:02}" for i in range(12)]
    grades = [grade("ada", code(0, names)), grade("bob", code(0, names[:11]))]
    text = as_text(class_report(grades, {}))
    assert "property 09  2" in text
    assert "property 10" not in text
    assert "The 10 most frequent. 2 others failed, 3 times together." in text
    text = as_text(class_report([grade("ada", code(0, names[:11]))], {}))
    assert "The 10 most frequent. 1 other failed, once." in text
    assert "\n1 student, 0 late, 8 points. Of" in text


def test_who_needs_a_look_names_odd_answers():
    named = code(0, verdict="ERROR")
    named.answer, named.error = "x", "raised NameError: the answer defines f, not g"
    spelt = code(0, verdict="ERROR")
    spelt.answer, spelt.error = "x(", "raised SyntaxError: '(' was never closed"
    fine, ended = code(5), code(0, verdict="DIED")
    fine.answer = ended.answer = "x"
    grades = [
        grade("ada", named),
        grade("bob", spelt),
        grade("cy", code(0)),
        grade("di", fine),
        grade("eve", code(0), verdict="MALFORMED", reason="no JSON"),
        grade("flo", ended),
    ]
    text = as_text(class_report(grades, {}))
    assert re.search(r"^ada +ERROR +steps: raised NameError: the answer defines", text, re.M)
    assert re.search(r"^bob +ERROR +steps: raised SyntaxError", text, re.M)
    assert re.search(r"^cy +NO ANSWER +no answer in code was found", text, re.M)
    assert re.search(r"^eve +MALFORMED +no JSON", text, re.M)
    assert re.search(r"^flo +DIED +steps: the answer ended the process it ran in", text, re.M)
    assert not re.search(r"^di ", text, re.M)
    assert len(re.findall(r"^eve ", text, re.M)) == 1


def test_grades_csv_is_written_for_spreadsheets(tmp_path):
    book = Book(tmp_path)
    write(book.grade_file("Zoë"), grade("Zoë", code(5)).to_json())
    names = [path.name for path in write_gradebook(book)]
    assert names == ["grades.csv", "class.html", "class.txt"]
    assert (tmp_path / "grades.csv").read_bytes().startswith(b'\xef\xbb\xbf"student",')
    assert '\n"Zoë",' in (tmp_path / "grades.csv").read_text("utf-8-sig")


@pytest.mark.parametrize("name", ["eve;=HYPERLINK()", "eve;48;48", "dee\t@SUM(1)"])
def test_no_name_parts_a_row_for_readers_of_semicolons_or_tabs(name):
    text = as_csv(grade_rows([grade(name, code(5))], {}))
    for mark in ";\t":
        [_, row] = csv.reader(io.StringIO(text), delimiter=mark)
        assert len(row) == 1


def test_what_stands_behind_a_semicolon_is_no_formula_either():
    assert cell("a;=1") == "a;'=1"
    assert cell("not graded: x; +1") == "not graded: x; '+1"
    assert cell("a; b") == "a; b"
