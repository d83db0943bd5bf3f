"""Each exercise in code has a page of its own; lists say how hard it is and what is done."""

import re

import pytest
from built_site import SITE
from editing import Editor
from page_gates import Visit, grave_violations, none, sideways_scrolling
from test_site_tryit import FORBIDDEN, FULL

from attention_course.exercises import all_exercises, kernel_exercises

ALL = all_exercises() | kernel_exercises()


def text_of(name):
    return (SITE / name).read_text(encoding="utf-8")


def ticked(page):
    """What has a tick: its link, and what the tick says."""
    said = "(all) => all.map((e) => e.querySelector('a').textContent + e.lastChild.textContent)"
    return page.locator("li > p:has(> .ac-ticked)").evaluate_all(said)


def body_of(name):
    return text_of(name).split('class="ac-alone"')[1].split("</section>")[0]


@pytest.mark.site
def test_each_exercise_in_code_has_a_page_and_the_list_names_it_once():
    rows = re.findall(
        r'<li><p><a href="exercises/(.*?)\.html">', text_of("book/exercises.html")
    )
    assert sorted(rows[5:]) == sorted(ALL)
    assert rows[:5] == re.findall(r"#exercise-([a-z0-9-]+)", text_of("book/index.html"))
    assert {path.stem for path in (SITE / "book/exercises").iterdir()} == {*ALL}


@pytest.mark.site
def test_a_page_says_what_its_chapter_says():
    for slug in ALL:
        page = f"book/exercises/{slug}.html"
        chapter = re.search(r'From the chapter <a href="\.\./(.*?)#', body_of(page))[1]
        shown = text_of(f"book/{chapter}")
        content = body_of(page).split("</a>.</p>\n", 1)[1]
        lines = [line for line in content.splitlines() if 'href="' not in line]
        new = [line for line in lines if line and line not in shown]
        assert new == [f'<p id="exercise-{slug}"></p>']
        assert ("It runs in this page" in body_of(page)) == (ALL[slug].uses == "numpy")


@pytest.mark.browser
def test_from_the_landing_page_to_an_answer_and_its_solution(new_context, home):
    context = new_context(width=360, scheme="dark")
    page = context.new_page()
    visit = Visit(page, home)
    page.goto(f"{home}book/index.html")
    page.locator("article").get_by_role("link", name="exercises", exact=True).click()
    page.get_by_role("link", name="Attention by hand: four steps").first.click()
    place = page.locator(".ac-try-here")
    assert not [name for name in visit.own_files() if "pyodide" in name]
    none(sideways_scrolling(page))
    none(grave_violations(page))
    show = place.get_by_role("button", name="Show the solution")
    assert show.is_disabled()
    answer = f"# EXERCISE four-steps\n{ALL['four-steps'].solution}".rstrip()
    one = Editor(place)
    for typed, ticks in ((answer.replace("exps.sum()", "2"), 0), (answer, 2)):
        one.keys(typed)
        one.press("Check")
        one.says("Checked in")
        assert ("right. All" in one.output()) == bool(ticks)
        page.get_by_role("link", name="All exercises").last.click()
        assert ticked(page) == ["Attention by hand: four steps for one query ✓ solved"] * ticks
        page.go_back()
    show.click()
    assert page.locator("details[open] >> text=scores.max").is_visible()
    page.get_by_role("link", name="Attention by hand", exact=True).last.click()
    page.wait_for_url("**/why/attention-by-hand.html#exercise-four-steps")
    page.get_by_role("button", name="Go on with your answer").click()
    assert Editor(page.locator(".ac-try-here")).typed() == answer
    page.get_by_role("link", name="On a page of its own").first.click()
    page.wait_for_url("**/exercises/stable-softmax.html")
    none(visit.console)
    none(visit.foreign_requests())


@pytest.mark.browser
@pytest.mark.parametrize("slug", ["four-steps", "multi-head-attention"])
def test_without_scripts_a_page_says_what_is_asked_and_where_to_run_it(new_context, home, slug):
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"{home}book/exercises/{slug}.html")
    said = page.locator(".ac-alone").inner_text()
    assert "contract" in said
    assert f"EXERCISE {slug}" in said
    assert ("but not without scripts" in said) == (slug == "four-steps")
    assert page.get_by_role("link", name="the chapter's notebook").get_attribute("href")
    assert page.locator(".ac-try-here, .ac-try-open").count() == 0


@pytest.mark.browser
@pytest.mark.parametrize("storage", ["0", FORBIDDEN, FULL])
def test_a_page_is_ticked_when_its_recap_was_reached_and_the_browser_can_remember(
    new_context, home, storage
):
    context = new_context()
    context.add_init_script(storage)
    page = context.new_page()
    errors = []  # where storage is forbidden, Sphinx and the theme have some of their own
    page.on("pageerror", lambda error: errors.append(error.stack or ""))
    page.goto(f"{home}book/index.html")
    page.get_by_role("link", name="its four steps").click()  # below the recap
    here = page.locator(".ac-sections [aria-current]")
    here.filter(has_text="Exercises").wait_for(state="attached")
    page.go_back()
    assert ticked(page) == []
    page.locator(".ac-ticks").get_by_role("link", name="Attention by hand").first.click()
    page.locator("#what-we-showed h2").wait_for()
    page.keyboard.press("Tab")
    for _ in range(100):
        page.keyboard.press("PageDown")
        page.wait_for_timeout(50)
        if reached := here.filter(has_text="What we showed").count():
            break
    assert reached
    page.go_back()
    page.wait_for_function("document.readyState === 'complete'")
    assert ticked(page) == (["Attention by hand ✓ read"] * 2 if storage == "0" else [])
    assert not re.search(r"(storage|place|ticks)\.js", "".join(errors))
