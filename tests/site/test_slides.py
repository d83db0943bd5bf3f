"""Slides are made of what stands on the page, in its order."""

import re

import pytest

from attention_course.site.slides import Chapter, slides_html

PAGE = """<html><body><article><section><h1>Why: oh?<a class="headerlink" href="#why">#</a></h1>
<p class="ac-time">About 5 minutes</p><p>The question, and <a href="../why/b.html#c">b</a>.</p>
<p>By the end you can</p><ol><li>count</li></ol>
<section id="one"><h2>One</h2><p>Far words.</p><p>Hence:</p>
<div class="math ac-display">a = b</div>
<div class="cell slide-1"><div class="cell_input"><div class="highlight">sum(n)</div></div>
<div class="cell_output"><div class="output"><pre>n   12</pre></div>
<figure id="fig-a" class="ac-figure"><figcaption>A picture</figcaption></figure></div></div>
<div class="cell"><div class="ac-widget" data-model-id="m2" data-ac-key="lab"><p>Lab</p>
<figure id="fig-in"></figure></div></div>
<div class="cell slide-2"><div class="ac-widget" data-model-id="m3" data-ac-key="predict-how">
<div class="ac-fallback"><p><b>Predict.</b> How many &lt;keys&gt;?</p>
<details><summary>Show the answer</summary><p>The answer is 3.</p></details></div></div></div>
<div class="ac-fold"><section id="deep"><details class="ac-deeper">
<figure id="fig-deep"></figure>
<div class="cell slide-3"><figure id="fig-added"></figure></div></details></section></div>
</section>
<section id="two"><h2>Two</h2><p>No picture here.</p></section>
<section id="what-we-showed"><h2>What we showed</h2><ul><li>That.</li></ul></section>
<section id="exercises"><h2>Exercises</h2><figure id="fig-task"></figure></section>
</section></article>
<script type="application/vnd.jupyter.widget-state+json">{"state": {
"m3": {"state": {}}, "m2": {"state": {"_source": "code", "key": "lab"}}}}</script>
</body></html>"""
CELLS = [
    {"cell_type": "code", "metadata": {"slide": {"notes": "Begin."}}},
    {"cell_type": "code", "metadata": {"slide": {"show": ["code", "output"], "notes": "x"}}},
    {"cell_type": "code", "metadata": {"slide": {"notes": "Say *this*.\n\nThen that."}}},
    {"cell_type": "code", "metadata": {"slide": {}}},
]


@pytest.fixture
def slides():
    return [*Chapter("part/a", PAGE, CELLS).slides()]


def test_each_thing_of_the_main_path_has_a_slide_in_its_order(slides):
    found = [(slide["title"], slide["kinds"]) for slide in slides]
    kinds = ["formula", "added", "fig", "widget", "ask", "fig"]
    assert found == [
        ("Why: oh?", "opening"),
        ("By the end you can", "list"),
        *(("One", kind) for kind in kinds),
        ("Two", "text"),
        ("What we showed", "list"),
    ]


def test_what_is_folded_comes_only_where_a_lecturer_asks(slides):
    shown = "".join(slide["content"] for slide in slides)
    assert {*re.findall(r'figure[^>]* id="(fig-[\w-]+)"', shown)} == {
        "fig-a",
        "fig-added",
        "fig-in",
    }
    assert [slide["content"].count("fig-in") for slide in slides].count(1) == 1


def test_notes_stand_once_under_the_slide_of_their_cell(slides):
    assert [slide["notes"] for slide in slides if slide["notes"]] == [
        "<p>Begin.</p>",
        "<p>x</p>",
        "<p>Say <em>this</em>.</p><p>Then that.</p>",
    ]
    assert slides[6]["notes"].startswith("<p>Say")


def test_only_widgets_on_slides_bring_their_state():
    text = slides_html("part/a", PAGE, CELLS)
    assert "<title>Slides: Why: oh?</title>" in text
    assert '"_source":"code"' in text
    assert "m3" not in text.partition("widget-state+json")[2]


def test_links_lead_where_they_lead_on_the_page(slides):
    assert 'href="../../book/why/b.html#c"' in slides[0]["content"]
