"""Notebooks read well in JupyterLab, Colab and VS Code: no syntax of Sphinx is left in them."""

import nbformat
import pytest
from execute_notebooks import ROOT, book_notebooks
from rules.notebooks import raw_parts
from rules.plain_markdown import raw

RAW = {
    "directive": ":::{admonition} Solution\n:::",
    "directive of backticks": "```{margin}\nx\n```",
    "option of a directive": ":class: dropdown",
    "role": "see {term}`dead <dead query>`",
    "citation": "as {cite:p}`vaswani2017attention` has it",
    "target": "(exercise-four-steps)=\n**1. Four steps**",
    "break between blocks": "one\n\n+++ {}\n\ntwo",
    "comment": "% not for readers",
    "definition": "query\n: what asks",
    "substitution": "version {{ version }}",
    "attribute": "a [link](x.ipynb){.wide}",
    "footnote": "as is known[^1]",
    "label of a formula": "$$ a = 1 $$ (eq-one)",
    "link that only Sphinx follows": "[scaling](../transformer/scaling#why)",
    "summary that is not plain text": "<details>\n<summary>$d_k$</summary>\n\nx\n\n</details>",
    "fold without an empty line": "<details>\n<summary>Why</summary>\n*Because.*\n\n</details>",
    "heading in a fold": "<details>\n<summary>Why</summary>\n\n### Because\n\n</details>",
    "fold that is not closed": "<details>\n<summary>Why</summary>\n\nBecause.",
}
PLAIN = {
    "code in a line": "`{cite:t}`, `(target)=` and `:::{note}` are for Sphinx",
    "code in a fence": "```python\n:::{note}\n(x)=\nf'{a}`b`'\n% 3\n+++\n[a](b)\n```",
    "a formula": r"$\text{a}_{term}$ and $$\mathbf{q}_{\{1\}} : (x)= \frac{1}{2}$$",
    "equations": "\\begin{align}\n(a)= \\\\\n+++ &= {b}\n\\end{align}",
    "a fold": "<details>\n<summary>Why</summary>\n\n- $a_{ij}$\n\n```\nx\n```\n\n</details>",
    "an exercise": '<!-- exercise four-steps -->\n<a id="four-steps"></a>\n**1. Four**',
    "links": "[a](b.ipynb), [c](../notation.md#masks), [d](#here), [e](https://x.org/y)",
    "a table": "| a | b |\n|---|:---:|\n| c: d | $\\{.x\\}$ |",
    "prose": "A set {a, b}; (x) = 3; 5 % of it: so.",
}


@pytest.mark.parametrize("kind", RAW)
def test_what_a_notebook_would_show_raw_is_named(kind):
    found = raw(f"Before.\n\n{RAW[kind]}")
    assert found
    named = {"directive of backticks": "directive", "citation": "role"}.get(kind, kind)
    assert found[0].startswith(f"{named}: ")


@pytest.mark.parametrize("kind", PLAIN)
def test_what_every_front_end_shows_is_no_false_alarm(kind):
    assert raw(f"Before.\n\n{PLAIN[kind]}") == []


def test_every_notebook_is_plain():
    notebooks = {path.stem: nbformat.read(path, as_version=4) for path in book_notebooks()}
    assert {name: found for name, n in notebooks.items() if (found := list(raw_parts(n)))} == {}
    texts = [c for n in notebooks.values() for c in n.cells if c.cell_type == "markdown"]
    assert len(texts) >= 1070


def test_the_other_pages_read_well_too():
    """All but two lists that the build makes: of the sources, and of the package's modules."""
    pages = [*ROOT.glob("book/*.md"), *ROOT.glob("book/appendix/*.md")]
    found = {path.name: raw(path.read_text("utf-8")) for path in pages}
    assert len(found) >= 6
    kinds = {page: {part.split("}")[0] for part in parts} for page, parts in found.items()}
    assert {page: kind for page, kind in kinds.items() if kind} == {
        "references.md": {"directive: {bibliography"},
        "api.md": {"directive: {course-reference"},
    }
