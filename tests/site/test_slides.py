"""Slides show what the page has tagged, and say what it does not have."""

import pytest

from attention_course.site.slides import Chapter, slides_html

PAGE = """<html><body><article><h1>Why?<a class="headerlink" href="#why">#</a></h1>
<p class="ac-time">About 5 minutes</p><p>The question, and <a href="../why/b.html#c">b</a>.</p>
<section><h2>One</h2><p>First words.<!-- slide first --> A <b>second</b> one:
<!-- slide begins --> it ends <i>so.</i> Third.<!-- slide end -->
<strong>Bold<!-- slide bold --></strong>.</p>
<ul><li><p>Point one.<!-- slide points --></p></li><li>Point two</li></ul>
<p>Hence:<!-- slide hence --></p><div class="math">a = b</div>
<!-- slide c --><div class="math">c</div>
<div class="cell slide-sum"><div class="cell_input"><div class="highlight">sum(n)</div></div>
<div class="cell_output"><div class="output"><pre>n   12</pre></div></div></div>
<div class="cell slide-shown"><details><div class="cell_input"><div class="highlight">show
</div></div></details><div class="cell_output">
<div class="highlight-python"><div class="highlight">one</div></div>
<div class="highlight-python"><div class="highlight">two</div></div></div></div>
<figure id="fig-a" class="ac-figure"><figcaption>A picture</figcaption></figure>
<div class="ac-widget" data-model-id="m2" data-ac-key="lab"><div>Lab</div></div>
<div class="cell slide-how"><div class="ac-widget" data-model-id="m3" data-ac-key="predict-how">
<div class="ac-fallback"><p><b>Predict.</b> How many &lt;keys&gt;?</p>
<details><summary>Show the answer</summary><p>The answer is 3.</p></details></div></div></div>
</section></article>
<script type="application/vnd.jupyter.widget-state+json">{"state": {
"m3": {"state": {}},
"m2": {"state": {"_source": "code", "key": "lab", "d_k": 4, "scale": "none"}}}}</script>
</body></html>"""
TAKEN = {
    "text first": "<p>First words.</p>",
    "text end": "<p>It ends <i>so.</i> Third.</p>",
    "text bold": "<p>Bold</p>",
    "list points": "<ul><li><p>Point one.</p></li><li>Point two</li></ul>",
    "list first": "<li>Point two</li></ul>",
    "formula hence": '<div class="math">a = b</div>',
    "then formula c": '<div class="later"><div class="show show-formula"><div class="math">c',
    "output sum": "<pre>n   12</pre>",
    "code sum": '<div class="highlight">sum(n)</div>',
    "code shown": '<div class="highlight">one</div>',
    "code shown 2": '<div class="highlight">two</div>',
    "ask how": "How many &lt;keys&gt;?",
    "fig fig-a": "A picture",
}


@pytest.fixture
def chapter():
    return Chapter("part/a", PAGE)


@pytest.mark.parametrize("what", TAKEN)
def test_a_plan_takes_what_is_tagged(chapter, what):
    found = chapter.find(what)
    assert TAKEN[what] in found
    assert "<!--" not in found


@pytest.mark.parametrize(
    "what",
    [
        *("text second", "text sum", "list hence", "table first", "formula points"),
        *("code sum 2", "output shown", "ask sum", "fig fig-b", "widget other", "picture a"),
    ],
)
@pytest.mark.gate("slides", "a plan that names what the page no longer has")
def test_what_the_page_has_not_is_said(chapter, what):
    with pytest.raises(ValueError, match=what):
        chapter.find(what)


@pytest.mark.gate("slides", "a tag that no slide shows, and one that two places have")
def test_a_tag_that_is_left_over_or_taken_twice_is_said():
    shown = {"show": [*TAKEN], "notes": "Say *this*."}
    text, wrong = slides_html("part/a", {"notes": "Begin.", "One": shown}, PAGE)
    assert wrong == []
    assert "<title>Slides: Why?</title>" in text
    assert "<p>Say <em>this</em>.</p>" in text
    more = PAGE.replace("Point two", "Point two.<!-- slide left -->")
    _, wrong = slides_html("part/a", {"notes": "Begin.", "One": shown}, more)
    assert wrong == ["no slide shows what is tagged 'left'"]
    more = PAGE.replace("Point two", "Point two.<!-- slide sum -->")
    _, wrong = slides_html("part/a", {"notes": "Begin.", "One": shown}, more)
    assert wrong == ["'One': the page has 2 places tagged 'sum'"] * 2


def test_a_slide_without_notes_is_said():
    slide = {"show": [*TAKEN], "notes": " "}
    _, wrong = slides_html("part/a", {"notes": "Begin.", "Two": slide}, PAGE)
    assert wrong == ["'Two': it has no notes"]


def test_a_widget_comes_with_its_source_and_the_plans_setting(chapter):
    chapter.find("widget lab?d_k=512&scale=half")
    state = chapter.used["m2"]["state"]
    assert (state["d_k"], state["scale"], state["_source"]) == (512, "half", "code")
    assert "m1" not in chapter.used
    with pytest.raises(ValueError, match="no 'width'"):
        chapter.find("widget lab?width=3")


def test_links_lead_where_they_lead_on_the_page(chapter):
    assert 'href="../../book/why/b.html#c"' in chapter.opening()
    assert chapter.opening().startswith("<p>The question")
