"""A class is marked on the page, by keyboard, in a real browser."""

import json
import re
import tempfile
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from saved_marks import merge
from script_vectors import VECTORS

from course_grader.cli import rubric as command
from course_grader.cli.command import main
from course_grader.marking.graded import Book, CodeGrade, StudentGrade, WrittenAnswer
from course_grader.marking.totals import outdated, total
from course_grader.reports.feedback import write_feedback
from course_grader.reports.marking_page import write_pages
from course_grader.safe_text import printable
from course_grader.tables import write

pytestmark = pytest.mark.browser
expect.set_options(timeout=30_000)
CRITERIA = [("clear", 2), ("- right", 1.5)]
HEAD = "student,item,criterion,max,mark,comment,answer\n"
HERE = "document.activeElement.closest('article').querySelector('pre').textContent"


def class_of(tmp_path, answers, items=("why",), **fields):
    """A book in which each student gave this answer to each item."""
    book = Book(tmp_path / "out")
    for student, answer in answers.items():
        written = [WrittenAnswer(i, f"Why {i}?", CRITERIA, f"{answer} {i}") for i in items]
        grade = StudentGrade(student, "a", "A class", "k", "OK", written=written, **fields)
        write(book.grade_file(student), grade.to_json())
    return book


@pytest.fixture
def context(browser):
    context = browser.new_context(accept_downloads=True)
    yield context
    context.close()


@contextmanager
def opened_plain(context, path):
    tab = context.new_page()
    tab.goto(path.as_uri())
    yield tab
    tab.close()


@contextmanager
def opened(context, path):
    """The page in a tab of its own; nothing may be asked for, thrown or complained of."""
    tab, amiss = context.new_page(), []
    tab.on("pageerror", lambda error: amiss.append(str(error)))
    tab.on("console", lambda said: amiss.append(said.text))
    tab.on("request", lambda asked: amiss.append(asked.url))
    tab.goto(path.as_uri())
    tab.wait_for_function("!document.body.inert")
    assert amiss.pop(0) == path.as_uri()
    yield tab
    wait_until_stored(context, tab)
    tab.close()
    assert [one for one in amiss if not one.startswith("blob:")] == []


def saved(tab, press):
    """The table that is saved when this is done, and what the page then says."""
    with tab.expect_download() as waiting:
        press()
    return waiting.value.path().read_text(encoding="utf-8"), tab.inner_text("#said")


STORED = "() => { try { return { ...localStorage } } catch { return null } }"


def wait_until(tab, true):
    """What takes longer is a stall, so the test is tried again."""
    for _ in range(200):
        if true():
            return
        tab.wait_for_timeout(50)
    raise TimeoutError("what one tab stored has not reached the other")


def wait_until_stored(context, tab):
    """What a tab stores is handed to another process, on a busy machine after a while."""
    with tempfile.NamedTemporaryFile(suffix=".html") as nothing:
        other, kept = context.new_page(), tab.evaluate(STORED)
        other.goto(Path(nothing.name).as_uri())
        wait_until(other, lambda: other.evaluate(STORED) == kept)
        other.close()


def mark_all(tab, mark_of, most=10_000):
    """Mark what is open, by keyboard; the mark is made of the answer that is seen."""
    tab.click("#next")
    for _ in range(most):
        if tab.evaluate("document.activeElement.tagName") != "INPUT":
            break
        if tab.evaluate("document.activeElement.value"):
            break
        tab.keyboard.type(mark_of(tab.evaluate(HERE)))
        tab.keyboard.press("Enter")


def digit(answer):
    return re.search(r"[01](\.5)?", answer)[0]


@pytest.mark.parametrize("students", [40, pytest.param(200, marks=pytest.mark.thorough)])
def test_five_people_mark_a_class_and_nothing_is_lost(tmp_path, context, students):
    words = {
        f"student {i}": f"{'0' if i % 3 else '1.5'} is mine, {'as always' if i % 4 else i}"
        for i in range(students)
    }
    book = class_of(tmp_path, words, ("why", "how", "when"))
    assert main(["rubric", str(book.folder), "--parts", "5"]) == 0
    tables, marked = [], 0
    for part in range(1, 6):
        page, begun = book.folder / f"marking-{part}-of-5.html", 0
        if part == 3:  # the tab is closed in the middle, and opened again
            with opened(context, page) as tab:
                mark_all(tab, digit, tab.locator("article").count())
                begun = int(tab.inner_text("#progress").split()[0])
                assert begun > 0
        with opened(context, page) as tab:
            groups = tab.locator("article").count()
            assert tab.inner_text("#progress").startswith(f"{begun} of ")
            assert begun < groups
            mark_all(tab, digit)
            assert tab.inner_text("#progress") == f"{groups} of {groups} answers marked."
            assert "Every answer here is marked" in tab.inner_text("#said")
            text, _ = saved(tab, lambda tab=tab: tab.click("#save"))
            tables.append(tmp_path / f"{part}.json")
            tables[-1].write_text(text, encoding="utf-8")
            marked += groups
    assert marked < students, "equal answers are marked once"
    for table in tables:
        assert main(["rubric", str(book.folder), "--merge", str(table)]) == 0
    marks = book.marks()
    for grade in book.grades():
        for item in grade.written:
            given = marks[grade.student][item.id]
            assert {m["mark"] for m in given.values()} == {float(digit(item.answer))}
            assert given.keys() == {"clear", "- right"}
        assert outdated(grade, marks[grade.student]) == []


def test_all_that_is_needed_is_done_by_keyboard(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so", "bo": " so", "cy": "other"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        tab.keyboard.press("Enter")
        press, here = tab.keyboard.press, "unpacked(document.activeElement.dataset.place)[1]"
        press("ArrowDown")
        assert tab.evaluate(here) == "- right"
        press("f")
        assert tab.evaluate(here) == "clear"
        assert tab.evaluate(HERE) == "other why"
        press("ArrowUp")
        assert tab.evaluate("document.activeElement.value") == "1.5"
        press("Tab")
        tab.keyboard.type("no, fine")
        press("Enter")
        assert tab.evaluate(HERE) == "other why"
        assert not tab.is_visible("text=ada")
        press("n")
        assert tab.is_visible("text=ada")
        assert tab.get_attribute("#names", "aria-pressed") == "true"
        tab.keyboard.type("1,5")
        text, said = saved(tab, lambda: press("s"))
    assert said == "saved-marks.json: 3 marks."
    digests = {g.student: g.written[0].digest for g in book.grades()}
    plain = {"as": "", "items": {}, "lines": {}, "item": "why", "mark": 1.5}
    fine = {"criterion": "- right", "comment": "no, fine"}
    other = {"criterion": "clear", "comment": ""}
    assert json.loads(text) == [
        plain | more | {"student": student, "answer": digests[student]}
        for student, more in {"ada": fine, "bo": fine, "cy": other}.items()
    ]
    assert command.merge(book, text).changed == 3


@pytest.mark.parametrize("typed", ["9", "-1", "good", "1e0", "1.5.", "٣"])
def test_what_is_no_mark_is_shown_kept_and_never_saved(tmp_path, context, typed):
    book = class_of(tmp_path, {"ada": "so"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        tab.click("#next")
        tab.keyboard.insert_text(typed)
        tab.keyboard.press("Tab")
        tab.keyboard.type("a comment")
        assert tab.inner_text("#said") == "The mark must be a number from 0 to 2."
        assert tab.get_attribute(".mark", "aria-invalid") == "true"
        text, said = saved(tab, lambda: tab.click("#save"))
        assert json.loads(text) == []
        assert "Left out: 1 where a comment has no mark, or the mark is not possible." in said
        assert tab.inner_text("#progress") == "0 of 1 answers marked."
    with opened(context, path) as tab:
        assert tab.input_value(".mark") == typed
        assert tab.input_value(".comment") == "a comment"


def test_what_has_been_merged_is_not_put_over_what_came_later(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        mark_all(tab, lambda _: "1,0")
        text, _ = saved(tab, lambda: tab.click("#save"))
    assert command.merge(book, text).changed == 2
    write_pages(book, book.grades())
    with opened(context, path) as tab:
        assert tab.inner_text("#progress") == "1 of 1 answers marked."
        assert json.loads(saved(tab, lambda: tab.click("#save"))[0]) == []
    merge(book, "student,item,criterion,mark\nada,why,clear,2\n")  # somebody else's
    write_pages(book, book.grades())
    with opened(context, path) as tab:
        assert [box.input_value() for box in tab.locator(".mark").all()] == ["2", "1"]
        assert not tab.is_visible("text=Given before: 2")
        tab.locator(".mark").first.fill("0")
        tab.keyboard.press("Tab")
        assert tab.is_visible("text=Given before: 2")


def test_of_a_file_that_cannot_be_read_each_item_is_marked_in_one_place(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so"})
    for student in ("eve", "flo"):
        code = [CodeGrade(slug, slug.title(), "MALFORMED", 0, 4) for slug in ("one", "two")]
        lost = [WrittenAnswer("why", "Why?", CRITERIA, unread=True)]
        grade = StudentGrade(
            student, "a", "A class", "k", "MALFORMED", "broken", f"{student}.ipynb", code, lost
        )
        write(book.grade_file(student), grade.to_json())
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        assert tab.locator("article").count() == 3
        eve = tab.locator("article", has_text="eve.ipynb")
        for typed, box in zip(["2", "1", "4", "3"], eve.locator(".mark").all(), strict=True):
            box.fill(typed)
        assert Axe().run(tab).response["violations"] == []
    with opened(context, path) as tab:  # what was typed was kept, each in its place
        eve = tab.locator("article", has_text="eve.ipynb")
        assert [box.input_value() for box in eve.locator(".mark").all()] == ["2", "1", "4", "3"]
        text, _ = saved(tab, lambda: tab.click("#save"))
    assert not command.merge(book, text).problems
    marks = {
        item: [one["mark"] for one in given.values()]
        for item, given in book.marks()["eve"].items()
    }
    assert marks == {"one": [4], "two": [3], "why": [1, 2]}
    assert total(book.grade("eve"), book.marks()["eve"]).final
    assert not total(book.grade("flo"), {}).final


def test_two_tabs_of_one_page_lose_nothing(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as one, opened(context, path) as two:
        for tab, other, item, mark in [(one, two, 0, "2"), (two, one, 1, "1")]:
            tab.locator(".mark").nth(item).fill(mark)
            heard = other.locator(".mark").nth(item)
            wait_until(other, lambda heard=heard, mark=mark: heard.input_value() == mark)
        for tab in (one, two):
            text, _ = saved(tab, lambda tab=tab: tab.click("#save"))
            assert [row["mark"] for row in json.loads(text)] == [2, 1]


TEXTS = ["=1+1", "'quoted'", "a\tb", "\u202eabc", "\ue000", "\udcff", "a\\u0041", "é"]


def test_a_comment_comes_as_it_was_typed(tmp_path, context):
    [path] = write_pages(book := class_of(tmp_path, {"ada": "so"}), book.grades())
    with opened(context, path) as tab:
        for text in TEXTS:
            tab.locator(".mark").first.fill("1")
            tab.locator(".comment").first.fill(text)
            words, _ = saved(tab, lambda: tab.click("#save"))
            assert not command.merge(book, words).problems
            comment = book.marks()["ada"]["why"]["clear"]["comment"]
            assert comment == printable(text.strip()), repr(text)


def test_no_answer_name_or_comment_comes_alive(tmp_path, context):
    book = Book(tmp_path / "out")
    texts = [*VECTORS.values(), *TEXTS, "x" * 100_000, "\u202e\u2066" * 9, "</pre></article>"]
    for i, text in enumerate(texts):
        student = f"{i} {text[:300]}".replace("\0", "")
        written = [WrittenAnswer(text, text, [(text, 2)], f"{i} {text}", look=text)]
        code = [CodeGrade("s", text, "MISSING", 0, 3, answer=text, look=text, unread=True)]
        grade = StudentGrade(
            student, text, text, "k", "OK", written=written, code=code, submission=text
        )
        write(book.grade_file(student), grade.to_json())
    entries = [
        {"student": g.student, "item": i.id, "criterion": c, "mark": 1, "comment": text[:4000]}
        for g, text in zip(book.grades(), texts, strict=True)
        for i in g.by_hand
        for c, _ in i.criteria
    ]
    assert not command.merge(book, json.dumps(entries)).problems
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        tab.click("#names")
        for field in tab.locator(".mark").all()[::40]:
            field.press("f")
        assert tab.locator("article").count() == 2 * len(texts)
        text, said = saved(tab, lambda: tab.click("#save"))
        assert tab.evaluate("[...document.querySelectorAll('script')].length") == 1
        assert not tab.evaluate("'hit' in window")
        assert len(context.pages) == 1
        assert "[cut here" in tab.locator("pre", has_text="xxxxxxxxxx").first.text_content()
    assert f"{len(json.loads(text))} marks" in said
    assert not command.merge(book, text).problems


@pytest.mark.gate("scripts on the marking page", "an answer not escaped, without the policy")
def test_no_script_but_its_own_runs_even_if_an_answer_were_not_escaped(tmp_path, browser):
    book = class_of(tmp_path, {"ada": "the place of the text"})
    [path] = write_pages(book, book.grades())
    live = "<img src=x: onerror='window.hit = 1'><script>window.hit = 2</script>"
    raw = path.read_text().replace("the place of the text", live)
    alive = []
    for page in (re.sub(r"<meta http-equiv.*?>", "", raw), raw):
        path.write_text(page)
        tab = browser.new_page()
        tab.goto(path.as_uri())
        for _ in range(5 if page == raw else 100):
            tab.wait_for_timeout(50)
            if tab.evaluate("'hit' in window"):
                break
        alive.append(tab.evaluate("'hit' in window"))
        assert tab.inner_text("#progress") == "0 of 1 answers marked."
        tab.close()
    assert alive == [True, False]


def test_a_mark_for_an_earlier_answer_is_given_anew(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so"})
    merge(book, "student,item,criterion,mark\nada,why,clear,2\n")
    book = class_of(tmp_path, {"ada": "changed"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        assert "Given before: 2 of 2, for an earlier answer" in tab.inner_text("article")
        mark_all(tab, lambda _: "1")
        text, _ = saved(tab, lambda: tab.click("#save"))
    assert outdated(book.grade("ada"), book.marks()["ada"]) == ["why"]
    command.merge(book, text)
    assert outdated(book.grade("ada"), book.marks()["ada"]) == []


def test_a_browser_that_keeps_nothing_is_named(tmp_path, context):
    book = class_of(tmp_path, {"ada": "so"})
    [path] = write_pages(book, book.grades())
    context.add_init_script("Storage.prototype.setItem = () => { throw new Error('full') }")
    with opened(context, path) as tab:
        tab.click("#next")
        tab.keyboard.type("1")
        assert (
            tab.inner_text("#said") == "This browser keeps nothing more: save now, and often."
        )
        assert len(json.loads(saved(tab, lambda: tab.click("#save"))[0])) == 1


@pytest.mark.parametrize(
    "kept", ["{", "7", '[["clear"]]', '[[7, {"mark": {}, "comment": []}]]']
)
def test_what_another_page_left_in_the_browser_does_no_harm(tmp_path, context, kept):
    book = class_of(tmp_path, {"ada": "so"})
    [path] = write_pages(book, book.grades())
    context.add_init_script(f"Storage.prototype.getItem = () => {kept!r}")
    with opened(context, path) as tab:
        assert tab.inner_text("#progress") == "0 of 1 answers marked."
        mark_all(tab, lambda _: "1")
        assert len(json.loads(saved(tab, lambda: tab.click("#save"))[0])) == 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_it_can_be_read_by_all(tmp_path, browser, width, scheme):
    words = {"ada": "so", "bo": "long " * 600, "cy": "wide" * 100, "dee": "e=mc²\n  x = 1"}
    book = class_of(tmp_path, words)
    merge(book, "student,item,criterion,mark\nada,why,clear,2\n")
    book = class_of(tmp_path, words | {"ada": "changed"})
    [path] = write_pages(book, book.grades())
    tab = browser.new_page(viewport={"width": width, "height": 740}, color_scheme=scheme)
    try:
        tab.goto(path.as_uri())
        tab.click("#names")
        tab.click("#next")
        tab.keyboard.type("9")
        tab.keyboard.press("Enter")
        found = Axe().run(tab, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
        assert tab.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        for field in tab.locator(".mark").all():
            field.focus()
            box, bar = field.bounding_box(), tab.locator(".tools").bounding_box()
            assert bar["y"] + bar["height"] <= box["y"] <= 740 - box["height"]
    finally:
        tab.close()


def rubric(book, *words):
    return main(["rubric", str(book.folder), *map(str, words)])


def merged(book, text, who):
    table = book.folder / f"{who}.json"
    table.write_text(text, encoding="utf-8")
    return rubric(book, "--merge", table, "--by", who)


def item(tab, points, words):
    """Change the rubric item of the first criterion, or make it."""
    boxes = tab.locator(".kit").first.locator("input")
    if not boxes.first.is_visible():
        tab.click("text=Rubric items")
    boxes.nth(0).fill(points)
    boxes.nth(1).fill(words)
    boxes.nth(1).press("Tab")


def test_an_item_is_changed_for_all_answers_and_never_by_two_without_a_word(
    tmp_path, browser, context, capsys
):
    book = class_of(tmp_path, {"ada": "one", "bo": "two\n\nlines of it", "cy": "three"})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        item(tab, "-", "nothing")
        assert "A rubric item needs points" in tab.inner_text("#said")
        item(tab, "1", "says why")
        for box in tab.get_by_label("+1 says why").all()[:2]:
            box.check()
        tab.locator("article", has_text="lines of").locator(".mark").first.focus()
        for key in ("c", "ArrowDown", "ArrowDown", "Enter"):
            tab.keyboard.press(key)
        tab.keyboard.type("<b>which?")
        item(tab, "1,5", "says why <it>")
        tab.locator("article", has_text="lines of").locator(".mark").first.fill("2")
    with opened(context, path) as tab:  # the browser has kept all of it
        marks = [box.input_value() for box in tab.locator(".mark").all()[::2]]
        assert sorted(marks) in (["", "1.5", "2"], ["1.5", "1.5", "2"])
        assert tab.input_value(".at") == "<b>which?"
        assert merged(book, saved(tab, lambda: tab.click("#save"))[0], "Ada") == 0
    had = book.marks()
    assert {m["why"]["clear"]["mark"] for m in had.values()} == {1.5, 2}
    write_feedback(book)
    page = (book.folder / "feedback" / "bo.html").read_text()
    assert 'lines of it why<span class="line">&lt;b&gt;which?</span>' in page
    write_pages(book, book.grades())
    texts = []
    for points in ("0.5", "0"):
        other = browser.new_context(accept_downloads=True)
        with opened(other, path) as tab:
            assert tab.input_value(".at") == "<b>which?"
            item(tab, points, "says why")
            tab.locator("article", has_text="three").locator(".mark").nth(1).fill(points)
            texts.append(saved(tab, lambda tab=tab: tab.click("#save"))[0])
        other.close()
    capsys.readouterr()
    assert [merged(book, text, who) for text, who in zip(texts, ["Bo", "Cy"], strict=True)] == [
        0,
        2,
    ]
    assert "0, says why, was changed by somebody else: it is 0.5, says why, by Bo" in (
        capsys.readouterr().err
    )
    write_pages(book, book.grades())
    with opened(context, path) as tab:
        tab.locator("article", has_text="three").locator(".mark").nth(1).fill("0")
        assert merged(book, saved(tab, lambda: tab.click("#save"))[0], "Cy") == 0
    marks = book.marks()
    assert marks["cy"]["why"]["- right"]["mark"] == 0
    changed = [s for s, m in had.items() if "items" in m["why"]["clear"]]
    assert changed
    assert all(marks[s]["why"]["clear"]["mark"] == 0.5 for s in changed)
    assert rubric(book, "--undo", "--by", "Bo") == 0
    assert book.marks()[changed[0]]["why"]["clear"]["mark"] == 1.5


def test_a_second_marker_sees_no_mark_and_what_differs_is_decided(tmp_path, context, capsys):
    book = class_of(tmp_path, {f"s{n}": f"{n} so" for n in range(6)})
    [path] = write_pages(book, book.grades())
    with opened(context, path) as tab:
        mark_all(tab, lambda text: "1")
        assert merged(book, saved(tab, lambda: tab.click("#save"))[0], "Ada") == 0
    assert rubric(book, "--second", "9") == 2
    assert "--second must be from 1 to 6, all marked, got 9" in capsys.readouterr().err
    assert rubric(book, "--second", "4") == 0
    first = (book.folder / "marking-second.html").read_text()
    assert rubric(book, "--second", "4", "--seed", "3") == 0
    assert (book.folder / "marking-second.html").read_text() != first
    with opened(context, book.folder / "marking-second.html") as tab:
        assert {box.input_value() for box in tab.locator(".mark").all()} == {""}
        assert "Given before" not in tab.content()
        mark_all(tab, lambda text: "1" if "1" in text or "2" in text else "0.5")
        assert merged(book, saved(tab, lambda: tab.click("#save"))[0], "Bo") == 0
    assert {m["mark"] for by in book.marks().values() for m in by["why"].values()} == {1}
    capsys.readouterr()
    assert rubric(book, "--agreement") == 0
    said = capsys.readouterr().out
    assert re.match(r"why: 4 marked twice, \d\d% equal, the second -\d.\d\d on average", said)
    with opened(context, book.folder / "marking-decided.html") as tab:
        assert tab.locator("article").count() == said.count("clear: 1 and 0.5") > 0
        assert tab.is_visible("text=clear: 1 and 0.5")
        mark_all(tab, lambda text: "0")
        assert merged(book, saved(tab, lambda: tab.click("#save"))[0], "Eve") == 0
    assert rubric(book, "--agreement") == 0
    after = capsys.readouterr().out
    assert [line for line in after.splitlines() if line.endswith(": decided")] == [
        line.removesuffix("open") + "decided"
        for line in said.splitlines()
        if line.endswith(": open")
    ]
    assert {m["mark"] for by in book.marks().values() for m in by["why"].values()} == {0, 1}
    assert {one["who"] for one in book.store.record()} == {"Ada", "Bo", "Eve"}


def test_an_objection_goes_from_page_to_page_and_is_decided_once(tmp_path, context, capsys):
    book = class_of(tmp_path, {"ada": "so", "bo": "so"})
    grade = book.grade("ada")
    grade.code.append(CodeGrade("steps", "Steps", "WRONG", 1, 4, answer="def f(): ..."))
    write(book.grade_file("ada"), grade.to_json())
    write_feedback(book)
    assert "Ask about" not in (book.folder / "feedback" / "bo.html").read_text()
    rows = "".join(f"{s},why,{c},2,1,,\n" for s in ("ada", "bo") for c in ("clear", "- right"))
    assert merge(book, HEAD + rows, "Ada").changed == 4
    write_feedback(book)
    page = book.folder / "feedback" / "ada.html"
    with opened_plain(context, page) as tab:
        for number, words in enumerate(("But 1 + 1 = 2.", "The <b>loop</b>\nis right.")):
            box = tab.locator(".ask").nth(number)
            box.locator("summary").click()
            box.locator("button").click()  # nothing is asked yet
            assert box.locator("textarea").get_attribute("aria-invalid") == "true"
            box.locator("textarea").fill(words)
            with tab.expect_download() as waiting:
                box.locator("button").click()
            waiting.value.save_as(book.folder / "objections" / waiting.value.suggested_filename)
            box.locator("a").evaluate(
                "one => one.addEventListener('click', e => e.preventDefault())"
            )
            box.locator("a").click()
            body = unquote(box.locator("a").get_attribute("href").partition("body=")[2])
            assert body == waiting.value.path().read_text()
    assert rubric(book) == 0
    with opened(context, book.folder / "marking.html") as tab:
        asked = tab.locator("article", has_text="Objection.")
        assert asked.count() == 2
        assert "the grader gave 1 of 4" in asked.nth(1).inner_text()
        assert asked.first.locator(".who li").count() == 1
        asked.nth(1).locator(".mark").fill("3")
        asked.nth(1).locator(".reply").fill("You are right.")
        asked.first.locator(".reply").fill("No: it is not.")
        text, _ = saved(tab, lambda: tab.click("#save"))
    assert merged(book, text, "Bo") == 0
    assert merged(book, text, "Bo") == 0
    assert merged(book, text.replace("You are", "You were"), "Cy") == 2
    assert "is decided, and that is once" in capsys.readouterr().err
    write_feedback(book)
    told = page.read_text()
    assert "The mark is changed, from 1 to 3.</strong> You are right." in told
    assert "The mark stays.</strong> No: it is not." in told
    assert "Ask about this mark" not in told
    again = book.folder / "objections" / "again.txt"
    again.write_text(next((book.folder / "objections").glob("*.txt")).read_text() + "more")
    assert rubric(book) == 0
    assert "again.txt: an earlier one of ada to " in capsys.readouterr().err
