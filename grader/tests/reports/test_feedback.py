import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from jinja2 import ChoiceLoader, DictLoader, FileSystemLoader, UndefinedError
from script_vectors import VECTORS

from attention_course.drawing import palette
from attention_course.exercises import exercise_named
from course_grader.marking.graded import (
    BY_HAND,
    Book,
    CodeGrade,
    StudentGrade,
    WrittenAnswer,
    digest_of,
)
from course_grader.marking.store import ITEM
from course_grader.reports import class_report, marking_page, pages
from course_grader.reports.feedback import ONLY, page, write_feedback
from course_grader.submissions.assignment import Assignment, WrittenItem
from course_grader.tables import write
from course_grader.verdicts import Verdict


def a_grade(text="plain", **changed):
    code = CodeGrade(
        slug="four-steps",
        title=text,
        verdict="WRONG",
        points=3,
        max_points=5,
        variant=text,
        parts={
            text: {"points": 3, "max": 3, "holds": True},
            "large " + text: {"points": 0, "max": 2, "holds": False},
        },
        failed=[text],
        message=text,
        misconception=text,
        hint=text,
        answer=text,
    )
    written = WrittenAnswer("why", text, [(text, 2), ("clear", 1.5)], text)
    values = {
        "student": text,
        "assignment": text,
        "title": text,
        "key": "k",
        "verdict": "MALFORMED",
        "reason": text,
        "code": [code],
        "written": [written],
        "late_days": 2,
        "late_percent_per_day": 10.0,
        "notes": [text],
    }
    return StudentGrade(**values | changed)


def marks_of(text):
    lines = {"answer": digest_of(text), "lines": {str(len(text.split())): text}}
    return {"why": {text: {"mark": 1.5, "comment": text} | lines}}


class Seen(HTMLParser):
    """Collects every tag and attribute of a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text = [], set(), ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes |= {(tag, name) for name, _ in attrs}

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.tags.append("comment")


TEXT_TAGS = {"header", "section", "p", "h1", "h2", "h3", "strong", "span", "ul", "li", "pre"}
TABLE_TAGS = {"table", "thead", "tbody", "tr", "th", "td"}
PAGE_TAGS = {"html", "head", "meta", "title", "style", "body", "main"}
ASK_TAGS = {"code", "details", "summary", "label", "textarea", "button", "a", "script"}
TAGS = PAGE_TAGS | TEXT_TAGS | TABLE_TAGS | ASK_TAGS
ATTRIBUTES = {"class", "scope", "lang", "charset", "http-equiv", "content", "name", "rows"}
ATTRIBUTES |= {"type", "href", "maxlength", "data-heading", "data-file"}


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS)
def test_no_vector_adds_a_tag_or_an_attribute_to_a_page(vector):
    quiet = Seen(page(a_grade("plain"), marks_of("plain")))
    seen = Seen(page(a_grade(vector), marks_of(vector)))
    assert seen.tags == quiet.tags
    assert seen.attributes == quiet.attributes
    assert set(seen.tags) <= TAGS
    assert {name for _, name in seen.attributes} <= ATTRIBUTES


# What a template writes: every place where a text of somebody's could come in.
PLACES = [
    (path.name, found.span())
    for path in sorted(pages.TEMPLATES.glob("*.html"))
    for found in re.finditer(
        r"\{\{ (?!heading|look\(|title\(|answer\(|objection\().*? \}\}", path.read_text()
    )
]
# What is not somebody's text: numbers, and words of ours.
OURS = re.compile(
    r"^points$|\|number|removeprefix|ONLY|late_days|No answer could|What may be|%.2f|bars"
    r"|urlencode|super|length|and a model answer|The mark|Two marks|packed|^more.safe"
    r"|^(kind|q|g|i|id|what|which|script"
    r"|fingerprint|one\.digest|loop\.index|mark|before or mark)$"
)


@pytest.mark.gate("escaping in feedback", "a place of a template that is called safe")
@pytest.mark.parametrize(("name", "place"), PLACES)
def test_a_place_that_a_template_calls_safe_is_noticed(name, place, monkeypatch):
    whole = (pages.TEMPLATES / name).read_text()
    start, end = place
    said = whole[start + 3 : end - 3]
    made = pages.templates().overlay(
        loader=ChoiceLoader(
            [
                DictLoader({name: f"{whole[:start]}{{{{ ({said})|safe }}}}{whole[end:]}"}),
                FileSystemLoader(pages.TEMPLATES),
            ]
        ),
        cache_size=0,
    )
    quiet, vector = (all_pages(text) for text in ("plain", "</title><b>&lt;"))
    monkeypatch.setattr(pages, "templates", lambda: made)
    assert all_pages("plain") == quiet
    assert (all_pages("</title><b>&lt;") != vector) != bool(OURS.search(said))


def all_pages(text):
    """Every page, with the text wherever one can stand."""
    code = CodeGrade("s", text, "WRONG", 1, 2, failed=[text], parts=a_grade(text).code[0].parts)
    unread = CodeGrade("hand", text, text, 0, 2, look=text, answer=text, unread=True)
    part = {"points": 1, "max": 1, "holds": True, "asked": text}
    asked = CodeGrade("s", text, "OK", 1, 1, parts={text: part})
    found = a_grade(text, code=[*a_grade(text).code, code, unread, asked], reading=[text])
    found.written[0].look = text
    found.verdict = text
    by_hand = marks_of(text) | {"hand": {BY_HAND: {"mark": 1, "comment": text}}}
    section = class_report.Section(text, text, (text,), ((text, text),))
    bars = class_report.Section(text, text, (text, text), ((text, text),), (1,))
    linked = class_report.Section(text, text, (text,), ((text,),), files=(text,))
    report = class_report.Report(text, 1, (section, bars, linked))
    asked = {"comment": text, "reply": text, "before": {}, "after": {}}
    told = page(found, by_hand, "", {"s": asked, "why": {"comment": text}})
    return told + page(found, by_hand) + class_report.as_html(report) + page_to_mark(text)


def page_to_mark(text):
    """The page for marking, with the text wherever one can stand."""
    item = WrittenAnswer(text, text, [(text, 2)], text, look=text)
    members = [marking_page.Member(text, item.digest, text)]
    mark = {"mark": 1, "comment": text, "answer": item.digest, "lines": {"1": text}}
    grade = StudentGrade(text, text, text, "k", "OK", written=[item])
    question = WrittenItem(text, text, text, 2, ((text, 2),), text)
    asked = Assignment(text, text, Path(), (question,))
    found = [
        marking_page.Group(text, 0, unread, [item], members, text) for unread in ("", text)
    ]
    shown = [[group] for group in found]
    kept = {(ITEM, "a", text, text): {"mark": 1, "comment": text}}
    return marking_page.page(grade, shown, {text: {text: {text: mark}}}, "", asked, "", kept)


def test_a_name_that_a_template_misspells_is_an_error():
    with pytest.raises(UndefinedError):
        pages.templates().from_string("{{ stduent }}").render(student="ada")


def test_without_jinja2_the_message_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match="pip install jinja2"):
        pages.templates.__wrapped__()


def test_every_text_of_a_student_stands_on_the_page():
    text = page(a_grade("seen-<b>"), marks_of("seen-<b>"))
    assert text.count("seen-&lt;b&gt;") >= 14


def test_a_page_has_the_policy_first_and_fetches_nothing():
    text = page(a_grade(), marks_of("plain"))
    head = text[: text.index("<style>")]
    assert (
        "content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"
    ) in head
    assert head.index("Content-Security-Policy") < head.index("<title>")
    body = text.partition("<script>")[0]
    assert not re.search(r"(?i)https?:|url\(|@import|<link|src=|href=.(?!mailto:.>)", body)
    assert not re.search("fetch|XMLHttp|import|src|WebSocket|beacon", text[len(body) :])


def test_lateness_takes_its_share_of_the_points_reached():
    text = Seen(page(a_grade(), marks_of("plain"))).text
    assert "3.6 of 8.5, and 1.5 not marked yet" in text  # (3 + 1.5) less 20 %
    assert "Handed in 2 days late: 20 % of the points reached are taken off, 0.9 points" in text
    assert "1.5 points of the written answers are not marked yet" in text


def test_an_answer_the_grader_failed_on_is_not_called_wrong():
    code = CodeGrade("s", "S", "GRADER_ERROR", 0, 5)
    text = Seen(page(a_grade(verdict="OK", code=[code], written=[], late_days=0))).text
    assert "5 points of the code are not graded yet" in text
    assert "not your fault" in text


def test_a_long_answer_is_cut_and_the_page_stays_small():
    text = page(a_grade("x" * 5_000_000), marks_of("plain"))
    assert len(text) < 250_000
    assert "[cut here" in text


def test_every_verdict_has_a_sentence():
    for verdict in Verdict:
        code = CodeGrade("s", "S", verdict, 0, 5)
        assert verdict.meaning[1:] + "." in Seen(page(a_grade(code=[code]))).text


def test_the_pages_of_a_class_stay_in_their_folder_and_differ(tmp_path):
    book = Book(tmp_path)
    for student in ["ada", "../../ada", "Ada", "/etc/passwd", ""]:
        grade = a_grade(student=student)
        write(book.grade_file(student), grade.to_json())
    paths = write_feedback(book)
    assert len(set(paths)) == 5
    assert {path.parent for path in paths} == {tmp_path / "feedback"}
    assert all(path.is_file() for path in paths)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="must hold grades"):
        write_feedback(Book(tmp_path))


def test_parts_stand_in_the_order_of_the_exercise_and_no_hint_is_offered():
    names = list(exercise_named("four-steps").points)
    assert names != sorted(names)
    parts = {name: {"points": 0, "max": 1, "holds": False} for name in names}
    said = "four-steps: 0 of 2.\nThis is what comes if x. y\n"
    said += 'ac.failing_case("a:b") shows an input.\nhint("four-steps") opens a hint.'
    code = CodeGrade("four-steps", "S", "WRONG", 0, 5, parts=parts, message=said)
    kept = StudentGrade.from_json(a_grade(code=[code]).to_json())
    text = Seen(page(kept)).text
    places = [text.index(f"{name}×") for name in names]
    assert places == sorted(places)
    assert "four-steps: 0 of 2" in text
    assert "This is what comes if x. y" in text
    assert "opens a hint" not in text
    assert "failing_case" not in text


@pytest.mark.parametrize("error", ["NameError", "ValueError"])
def test_where_a_name_is_missing_the_page_says_what_is_taken_along(error):
    said = f"raised {error} (line 3 of your cell): name 'turned' is not defined"
    code = CodeGrade("s", "S", "ERROR", 0, 5, message=f"a: 0 of 2.\n  {said}", error=said)
    text = Seen(page(a_grade(code=[code]))).text
    assert (ONLY in text) == (error == "NameError")
