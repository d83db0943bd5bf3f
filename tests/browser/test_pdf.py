"""The book as a PDF: contents, links inside it, figures and widgets as stills."""

import pdf
import pytest

pytestmark = pytest.mark.site
PAGES = ["book/notation", "book/why/attention-by-hand", "book/scale/complexity"]
TITLES = ["Notation", "Attention by hand", "The cost of"]


@pytest.fixture(scope="module")
def reader(browser, tmp_path_factory):
    return pdf.printed(browser, PAGES, tmp_path_factory.mktemp("printed") / "some.pdf")


def links(reader):
    for sheet in reader.pages:
        for one in sheet.get("/Annots", ()):
            yield one.get_object()


def test_the_contents_name_the_sheet_on_which_each_chapter_begins(reader):
    contents = reader.pages[0].extract_text()
    for page, title in zip(PAGES, TITLES, strict=True):
        sheet = pdf.begins(reader, page)
        assert title in reader.pages[sheet - 1].extract_text()[:200]
        assert str(sheet) in contents[contents.index(title) :].split("\n")[0][-4:]


def test_links_stay_inside_and_lead_somewhere(reader):
    inside = [str(one["/Dest"]) for one in links(reader) if "/Dest" in one]
    assert len(set(inside)) > 10
    assert {"/notation", "/why-attention-by-hand"} <= set(inside)
    assert set(inside) <= set(reader.named_destinations)
    addresses = [str(one["/A"].get("/URI", "")) for one in links(reader) if "/A" in one]
    assert not [one for one in addresses if one.startswith("file:")]


def test_figures_and_widgets_are_drawn(reader):
    words = " ".join(sheet.extract_text() for sheet in reader.pages)
    assert "log scale" in words  # an axis
    assert "Drawing" not in words
    assert not (pdf.SITE / "whole.html").exists()
