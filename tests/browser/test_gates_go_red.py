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
<link rel="icon" href="data:,"><style>body { font: 16px sans-serif; }
pre, .ac-display { width: 300px; overflow: auto; }</style></head>
<body><main><h1>Sound</h1><p>Nothing is wrong here.</p>{defect}</main></body></html>"""
GATES = {
    "asked elsewhere": Visit.foreign_requests,
    "console": lambda visit: visit.console,
    "missing": lambda visit: visit.missing,
    **{
        gate.__name__: lambda visit, gate=gate: gate(visit.page)
        for gate in (
            *(sideways_scrolling, wide_formulas, grave_violations, faint_text),
            *(not_alive, errors_shown, clipped),
        )
    },
}
FOLD = "<details><summary>More</summary>{}</details>"
DEFECTS = [
    ("asked elsewhere", '<script src="http://cdn.invalid/lib.js"></script>', "cdn.invalid"),
    ("asked elsewhere", "<script>fetch('http://cdn.invalid/x').catch(() => 0)</script>", "/x"),
    (
        "asked elsewhere",
        "<style>@font-face { font-family: x; src: url(http://cdn.invalid/x.woff2); }"
        " p { font-family: x; }</style>",
        "x.woff2",
    ),
    ("console", "<script>console.warn('nearly broken')</script>", "nearly broken"),
    ("console", "<script>Promise.reject(new Error('rejected'))</script>", "rejected"),
    ("console", "<script>const a = 1; const a = 2;</script>", "already been declared"),
    ("missing", '<img alt="" src="no.png">', "404"),
    ("sideways_scrolling", '<div class="slab" style="width: 400px">wide</div>', "div.slab"),
    (
        "wide_formulas",
        FOLD.format(
            '<div class="ac-display"><div style="width: 900px"><annotation>x = y</annotation>'
            "</div></div>"
        ),
        "x = y",
    ),
    ("grave_violations", '<input type="range">', "label"),
    ("grave_violations", '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', "image-alt"),
    ("grave_violations", '<p style="color: #999">faint</p>', "color-contrast"),
    ("faint_text", '<pre><span style="color: #8889">x</span></pre>', "x"),
    (
        "faint_text",
        '<div class="katex-html"><i><span style="color: #8889">y</span></i></div>',
        "y",
    ),
    ("not_alive", '<div class="ac-widget" data-model-id="1">Still.</div>', "undefined"),
    ("not_alive", '<figure class="ac-figure" data-ac-state="failed"></figure>', "failed"),
    ("errors_shown", '<p class="ac-error">No d_k.</p>', "No d_k."),
    ("clipped", FOLD.format(f"<pre>{'x' * 100}</pre>"), "x"),
]


@pytest.fixture
def visit(new_context, tmp_path):
    """Opens a page on a phone that is sound but for what one puts into it."""
    with served(tmp_path) as home:

        def go(defect: str = "") -> Visit:
            page = SOUND.replace("{defect}", defect)
            (tmp_path / "page.html").write_text(page, encoding="utf-8")
            seen = Visit(new_context(360).new_page(), home)
            seen.page.goto(f"{home}page.html", wait_until="load")
            seen.page.wait_for_timeout(100)
            return seen

        yield go


def test_a_sound_page_is_sound(visit):
    seen = visit(FOLD.format("<pre>x</pre>"))
    assert {name: found for name, gate in GATES.items() if (found := gate(seen))} == {}


@pytest.mark.parametrize(("gate", "defect", "words"), DEFECTS)
def test_a_defect_is_noticed(visit, gate, defect, words):
    assert any(words in complaint for complaint in GATES[gate](visit(defect)))


def test_screens_are_counted_up_to_the_exercises_without_folds(page):
    fold = "<details open><p style='height: 999px'></p></details>"
    main = f"<div style='height: {16 * SCREEN}px'></div>{fold}<section id='exercises'>Why?"
    page.set_content(f"<body style='margin: 0'><main>{main}<p style='height: 9000px'>")
    assert screens(page) == pytest.approx(16, abs=0.05)
