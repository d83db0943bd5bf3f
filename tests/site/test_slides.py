"""Slides take what they show from the page, and say what the page does not have."""

import pytest

from attention_course.site.slides import Chapter, slides_html

PAGE = """<html><body><article><h1>Why?<a class="headerlink" href="#why">#</a></h1>
<p class="ac-time">About 5 minutes</p><p>The question, and <a href="../why/b.html#c">b</a>.</p>
<section><h2>One</h2><p>First words here. A <b>second</b> one: it ends <i>so.</i> Third.
</p><ul><li>Point one</li><li>Point two</li></ul>
<div class="cell_output"><pre>n   12</pre></div>
<figure id="fig-a" class="ac-figure"><figcaption>A picture</figcaption></figure>
<div class="ac-widget" data-model-id="m2" data-ac-key="lab"><div>Lab</div></div>
<div class="ac-widget" data-model-id="m3" data-ac-key="predict-how"><div class="ac-fallback">
<p><b>Predict.</b> How many &lt;keys&gt;?</p><details><summary>Show the answer</summary>
<p>The answer is 3.</p></details></div></div></section></article>
<script type="application/vnd.jupyter.widget-state+json">{"state": {
"m1": {"state": {"_esm": "code"}}, "m3": {"state": {}},
"m2": {"state": {"_esm": {"same_as": "m1"}, "key": "lab", "d_k": 4, "scale": "none"}}}}</script>
</body></html>"""


@pytest.fixture
def chapter():
    return Chapter("part/a", PAGE)


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("text First words", "<p>First words here.</p>"),
        ("text A second one", "<p>A <b>second</b> one: it ends <i>so.</i></p>"),
        ("text it ends", "<p>It ends <i>so.</i></p>"),
        ("list Point", "<li>Point two</li>"),
        ("output n 12", "<pre>n   12</pre>"),
        ("fig fig-a", "A picture"),
        ("ask How many", "How many &lt;keys&gt;?"),
        ("then text Third", '<div class="later"><div class="show show-text"><p>Third.</p>'),
    ],
)
def test_a_plan_takes_what_begins_so(chapter, what, shown):
    assert shown in chapter.find(what)


@pytest.mark.parametrize(
    "what",
    [
        "text Second words",
        "fig fig-b",
        "widget other",
        "ask How much",
        "list Third",
        "picture a",
    ],
)
@pytest.mark.gate("slides", "a plan that names what the page no longer has")
def test_what_the_page_has_not_is_said(chapter, what):
    with pytest.raises(ValueError, match=what.split()[-1]):
        chapter.find(what)


def test_the_answer_of_a_prediction_comes_later(chapter):
    question, answer = chapter.find("ask How many").split('<div class="later">')
    assert "Predict." not in question
    assert "The answer is 3." in answer
    assert "Show the answer" not in answer


def test_a_widget_comes_with_its_source_and_the_plans_setting(chapter):
    chapter.find("widget lab?d_k=512&scale=half")
    state = chapter.used["m2"]["state"]
    assert (state["d_k"], state["scale"], state["_esm"]) == (512, "half", "code")
    assert "m1" not in chapter.used
    with pytest.raises(ValueError, match="no 'width'"):
        chapter.find("widget lab?width=3")


def test_links_lead_where_they_lead_on_the_page(chapter):
    assert 'href="../../book/why/b.html#c"' in chapter.opening()
    assert chapter.opening().startswith("<p>The question")


def test_a_slide_without_notes_and_a_wrong_name_are_complaints():
    shown = [{"title": "One", "show": ["text First"], "notes": "Say *this*."}]
    text, wrong = slides_html("part/a", {"notes": "Begin.", "slide": shown}, PAGE)
    assert wrong == []
    assert "<title>Slides: Why?</title>" in text
    assert "<p>Say <em>this</em>.</p>" in text
    broken = [{"title": "Two", "show": ["text Nothing"], "notes": " "}]
    _, wrong = slides_html("part/a", {"notes": "Begin.", "slide": broken}, PAGE)
    assert [line.split(": ")[0] for line in wrong] == ["slide 2, 'Two'"] * 2
