"""The frame of every page that grading writes: static, standing alone, quiet."""

from string import Template

from course_grader.safe_text import escaped

POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def framed(title: str, body: str) -> str:
    """Return a whole page.

    Args:
        title: plain text; it is escaped here.
        body: what stands in it, escaped already.
    """
    return _PAGE.substitute(
        title=escaped(title, 400), policy=escaped(POLICY), style=STYLE, body=body
    )


def heading(title: str, aside: str = "") -> str:
    """Return a heading; ``title`` is escaped here, what stands at its right is not."""
    right = f' <span class="points">{aside}</span>' if aside else ""
    return f"<h2>{escaped(title, 400)}{right}</h2>"


def table(names: tuple[str, ...], rows: list[str], kind: str = "") -> str:
    """Return a table with these column heads and rows, all escaped already.

    Args:
        names: the heads.
        rows: the rows, as HTML.
        kind: "words" for a table of texts, which break; otherwise the last column is numbers.
    """
    said = f' class="{kind}"' if kind else ""
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    return f"<table{said}><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


_PAGE = Template("""\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="$policy">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>$title</title>
<style>
$style</style>
</head>
<body>
<main>
$body
</main>
</body>
</html>
""")

# The colours are those of the course's palette.
STYLE = """\
:root { --paper: #ffffff; --raised: #f5f4f1; --ink: #1d1d1b; --soft: #5c5a55; \
--line: #d9d6cf; --edge: #8a867d; --yes: #1e7261; --no: #b25c40; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14181e; --raised: #1f252d; --ink: #e9e7e2; --soft: #a9a69e; \
--line: #353c46; --edge: #7a818c; --yes: #72e0a5; --no: #f58345; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1.125rem/1.6 \
"Source Serif 4", "Source Serif Pro", Charter, "Iowan Old Style", "Palatino Linotype", \
Georgia, serif; text-rendering: optimizeLegibility; }
main { max-width: 42rem; margin: 0 auto; padding: 3rem 1.25rem 5rem; overflow-wrap: anywhere; }
h1, h2, h3 { font-weight: 600; line-height: 1.2; letter-spacing: -0.012em; text-wrap: balance; }
h1 { margin: 0 0 1.2rem; font-size: clamp(1.8rem, 1.4rem + 2vw, 2.6rem); }
h2 { display: flex; justify-content: space-between; align-items: baseline; gap: 0.1em 1.5em; \
margin: 3.2rem 0 0.8rem; font-size: 1.4rem; }
h3 { margin: 1.6rem 0 0.5rem; font-size: 1.1rem; }
p { margin: 0 0 0.9em; }
.kicker, .points, summary, thead th { color: var(--soft); font-family: system-ui, \
-apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
.kicker { margin: 0 0 0.6rem; font-size: 0.95rem; }
.points { flex: none; margin-left: auto; font-size: 1rem; font-weight: 400; \
white-space: nowrap; }
.total { margin: 0 0 1.2rem; font-size: 1.25rem; }
.total strong { font-size: 2rem; }
.total, .points, table { font-variant-numeric: lining-nums tabular-nums; }
table { width: 100%; margin: 1.1rem 0; border-collapse: collapse; font-size: 0.95em; \
line-height: 1.4; border-top: 1.5px solid var(--ink); border-bottom: 1.5px solid var(--ink); }
th, td { padding: 0.42em 0.9em 0.42em 0; text-align: left; vertical-align: baseline; \
font-weight: 400; }
thead { border-bottom: 1px solid var(--ink); }
thead th { font-size: 0.85rem; overflow-wrap: normal; }
tbody tr + tr { border-top: 1px solid var(--line); }
:is(th, td):last-child { padding-right: 0; text-align: right; white-space: nowrap; }
td { white-space: nowrap; }
td:not(:last-child) { width: 7em; }
.words td, .words :is(th, td):last-child { width: auto; text-align: left; white-space: normal; }
.words :is(th, td):nth-child(2) { white-space: nowrap; overflow-wrap: normal; }
.words td:nth-child(1) { min-width: 5em; }
.words td:nth-child(3) { min-width: 9em; }
.box { overflow-x: auto; }
.box:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
.bars td { width: auto; white-space: normal; overflow-wrap: break-word; }
.bars :is(th, td):last-child { min-width: 7em; text-align: left; white-space: nowrap; }
.bar { display: inline-block; height: 0.6em; background: var(--edge); }
.yes { color: var(--yes); }
.no { color: var(--no); }
pre { margin: 1rem 0; padding: 0.85rem 1.1rem; background: var(--raised); border-radius: 3px; \
font: 0.84rem/1.55 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", \
"Liberation Mono", monospace; white-space: pre-wrap; tab-size: 4; overflow: hidden; }
code { font: inherit; }
pre.prose { font: inherit; font-size: 1rem; }
pre.said { background: none; padding: 0.1rem 0 0.1rem 1.1rem; border-left: \
2px solid var(--line); border-radius: 0; }
.aside { margin: 1.2rem 0; padding-left: 1.1rem; border-left: 2px solid var(--line); \
white-space: pre-line; }
summary { width: max-content; max-width: 100%; font-size: 0.9rem; cursor: pointer; }
summary:focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; }
ul { margin: 0 0 1em; padding-left: 1.2em; }
@media (max-width: 30rem) { body { font-size: 1.05rem; } main { padding-top: 1.8rem; } \
h2 { flex-wrap: wrap; } \
td, :is(th, td):last-child { white-space: normal; } th, td { padding-right: 0.6em; } \
.words { font-size: 0.8em; } }
@media print { details::details-content { display: block; } main { padding: 0; } }
"""
