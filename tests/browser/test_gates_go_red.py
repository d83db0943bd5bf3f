"""Each gate of the browser tests is itself tested: a page with one defect turns it red."""

import pytest
from built_site import served
from page_gates import (
    SCREEN,
    Visit,
    clipped,
    errors_shown,
    faint_text,
    grave_violations,
    not_alive,
    screens,
    sideways_scrolling,
    wide_formulas,
)

pytestmark = pytest.mark.browser

SOUND = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Sound</title>
<link rel="icon" href="data:,"><style>body { font: 16px sans-serif; }</style></head>
<body><main><h1>Sound</h1><p>Nothing is wrong here.</p>{defect}</main></body></html>"""


@pytest.fixture
def visit(new_context, tmp_path):
    """Opens a page that is sound but for what one puts into it."""
    with served(tmp_path) as home:

        def go(defect: str = "", width: int = 1280) -> Visit:
            (tmp_path / "page.html").write_text(
                SOUND.replace("{defect}", defect), encoding="utf-8"
            )
            seen = Visit(new_context(width).new_page(), home)
            seen.page.goto(f"{home}page.html", wait_until="load")
            return seen

        yield go


@pytest.mark.gate(
    "browser: every request is local", "a script, picture, style, font or fetch from elsewhere"
)
@pytest.mark.parametrize(
    "defect",
    [
        '<script src="http://cdn.invalid/lib.js"></script>',
        '<img alt="" src="http://cdn.invalid/pixel.png">',
        '<link rel="stylesheet" href="http://cdn.invalid/a.css">',
        '<script>fetch("http://cdn.invalid/count").catch(() => 0)</script>',
        "<style>@font-face { font-family: x; src: url(http://cdn.invalid/x.woff2); }"
        " p { font-family: x; }</style>",
    ],
)
def test_a_request_to_elsewhere_is_noticed(visit, defect):
    seen = visit(defect)
    seen.page.wait_for_timeout(100)
    assert any(url.startswith("http://cdn.invalid/") for url in seen.foreign_requests())


@pytest.mark.gate(
    "browser: nothing in the console",
    "an error, a warning, a throw, a rejection, a syntax error",
)
@pytest.mark.parametrize(
    ("defect", "words"),
    [
        ("<script>console.error('broken')</script>", "broken"),
        ("<script>console.warn('nearly broken')</script>", "nearly broken"),
        ("<script>throw new Error('thrown')</script>", "thrown"),
        ("<script>Promise.reject(new Error('rejected'))</script>", "rejected"),
        ("<script>const a = 1; const a = 2;</script>", "already been declared"),
    ],
)
def test_an_error_in_the_console_is_noticed(visit, defect, words):
    seen = visit(defect)
    seen.page.wait_for_timeout(100)
    assert any(words in complaint for complaint in seen.console)


@pytest.mark.gate("browser: every file is there", "a picture that is not")
def test_a_file_that_is_not_there_is_noticed(visit):
    assert any("404" in missing for missing in visit('<img alt="" src="no.png">').missing)


@pytest.mark.gate("browser: no sideways scrolling at 360 pixels", "a box of 400 pixels")
def test_a_page_that_is_too_wide_is_noticed(visit):
    defect = '<div class="slab" style="width: 400px">wide</div>'
    complaints = sideways_scrolling(visit(defect, width=360).page)
    assert any("div.slab" in complaint for complaint in complaints)
    assert sideways_scrolling(visit(defect, width=1280).page) == []


@pytest.mark.gate("browser: no formula is wider than a phone", "one of 900 pixels in a fold")
def test_a_formula_that_is_too_wide_is_noticed(visit):
    formula = '<div style="width: {}px"><annotation>x = y</annotation></div>'
    fold = '<details><div class="ac-display" style="overflow: auto">{}</div></details>'
    for width, expected in ((200, 0), (900, 1)):
        defect = fold.format(formula.format(width))
        assert len(wide_formulas(visit(defect, width=360).page)) == expected


@pytest.mark.gate(
    "browser: axe finds nothing serious",
    "an unlabelled slider, a picture without words, faint text",
)
@pytest.mark.parametrize(
    ("defect", "rule"),
    [
        ('<input type="range">', "label"),
        ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
        ('<p style="color: #999; background: #fff">faint</p>', "color-contrast"),
        ("<button></button>", "button-name"),
        ('<a href="page.html"></a>', "link-name"),
    ],
)
def test_what_a_screen_reader_cannot_use_is_noticed(visit, defect, rule):
    page = visit(defect).page
    of_colours = rule == "color-contrast"
    for parts in ({}, {"form": False}, {"colours": False}):
        found = any(rule in complaint for complaint in grave_violations(page, **parts))
        assert found == parts.get("colours" if of_colours else "form", True)


@pytest.mark.gate(
    "browser: widgets and figures come alive", "one that stays still, one that failed"
)
@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('<pre><span style="color: ', '">x</span></pre>'),
        ('<div class="katex-html"><span><span style="color: ', '">x</span></span></div>'),
        ('<pre style="background: #ccc8"><span style="color: ', '">x</span></pre>'),
    ],
)
def test_faint_code_and_formulas_are_noticed(visit, before, after):
    assert faint_text(visit(f"{before}#8889{after}").page)
    assert faint_text(visit(f"{before}#111{after}").page) == []


@pytest.mark.parametrize(
    ("defect", "words"),
    [
        (
            '<div class="ac-widget" data-model-id="1" data-ac-key="lab">Still.</div>',
            "undefined",
        ),
        ('<div class="ac-widget" data-model-id="1" data-ac-state="failed"></div>', "failed"),
        ('<figure class="ac-figure" data-ac-state="failed"></figure>', "failed"),
    ],
)
def test_a_widget_or_figure_that_stays_dead_is_noticed(visit, defect, words):
    assert any(words in complaint for complaint in not_alive(visit(defect).page))


@pytest.mark.gate("browser: no error is shown to the reader", "an error in a widget's place")
def test_an_error_shown_to_the_reader_is_noticed(visit):
    assert errors_shown(visit('<p class="ac-error">No d_k.</p>').page) == ["No d_k."]


LONG = """<!doctype html><html lang="en"><head><title>x</title><style>
body {{ margin: 0; }} pre {{ width: 300px; overflow: auto; }}</style></head><body><main>
<div style="height: {main}px"></div>{code}<section id="exercises"><h2>Exercises</h2>
<div style="height: 9000px"></div></section></main></body></html>"""


@pytest.mark.gate("page: main path of 15 screens", "16 screens of words before the exercises")
@pytest.mark.parametrize("count", [2, 16])
@pytest.mark.parametrize("code", ["", "<details open><p style='height: 999px'></details>"])
def test_screens_are_counted_up_to_the_exercises_without_folds(page, count, code):
    page.set_content(LONG.format(main=count * SCREEN, code=code))
    page.evaluate("scrollTo(0, 2000)")
    assert screens(page) == pytest.approx(count, abs=0.05)


@pytest.mark.gate("page: nothing cut off", "a line too long for its box, open or in a fold")
@pytest.mark.parametrize("where", ["{}", "<details><summary>More</summary>{}</details>"])
def test_a_line_that_is_cut_off_is_noticed(page, where):
    for line, expected in (("x" * 10, 0), ("x" * 100, 1)):
        page.set_content(LONG.format(main=10, code=where.format(f"<pre>{line}</pre>")))
        assert len(clipped(page)) == expected
