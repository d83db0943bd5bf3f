"""What the status page says is counted in the tree."""

import nbformat
import status
from rules.source import ROOT


def test_outputs_are_there_to_be_compared():
    found = status.page()[1]
    assert found["output"] >= 660
    assert found["compared"] + found["live"] >= 0.95 * found["output"]
    assert found["compared"] >= 640
    assert found["live"] >= 13


def _notebook(tmp_path, monkeypatch, cells):
    path = tmp_path / "one.ipynb"
    title = nbformat.v4.new_markdown_cell("# One")
    nbformat.write(nbformat.v4.new_notebook(cells=[title, *cells]), path)
    monkeypatch.setattr(status, "book_notebooks", lambda: [path])
    monkeypatch.setattr(status, "PAGE", tmp_path / "status.md")


def _cell(source, **metadata):
    output = nbformat.v4.new_output("stream", text="1")
    return nbformat.v4.new_code_cell(source, outputs=[output], metadata=metadata)


def test_the_share_counts_cells_with_output(tmp_path, monkeypatch):
    silent = nbformat.v4.new_code_cell("a = 1")
    loose = _cell("time()", tags=["nbval-ignore-output"], reason="a time never repeats")
    compared = [_cell(f"print({i})") for i in range(3)]
    live = _cell("clock()")
    live.outputs[0].text = "≈ 3.2 ms"
    _notebook(tmp_path, monkeypatch, [silent, loose, live, *compared])
    text = status.page()[0]
    assert "| [One](one.ipynb) | 6 | 5 | 3 | 1 | 60\N{NO-BREAK SPACE}% |" in text
    assert "| 2 | a time never repeats |" in text


def test_readme_names_every_chapter_with_its_question():
    readme = (ROOT / "README.md").read_text("utf-8")
    others = [line for line in readme.splitlines() if not line.startswith("| [")]
    emptied = "\n".join(others) + "\n"
    assert emptied.count("book/") < readme.count("book/") - 25
    assert status.with_chapters(emptied) == status.with_chapters(readme) == readme
