"""One widget on a bare page, which every browser test of a widget opens and none may break."""

import pytest
from frames import frames

bare_page = pytest.importorskip("bare_page")


@pytest.fixture
def show(browser, tmp_path):
    """Opens a widget (``show(widget, theme="dark", size=(360, 780))``); gives its page.

    ``state`` overrides traits without any check. At the end no error may have come.
    """
    pages = []

    def open_page(
        widget, hash_="", size=(1280, 900), theme="light", motion=None, touch=False, **state
    ):
        page = browser.new_page(
            viewport={"width": size[0], "height": size[1]},
            reduced_motion=motion,
            has_touch=touch,
        )
        page.set_default_timeout(20_000)
        said = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: line.type == "error" and said.append(line.text))
        pages.append((page, said))
        file = tmp_path / f"{len(pages)}.html"
        file.write_text(bare_page.bare_page(widget, theme, **state), "utf-8")
        page.goto(file.as_uri() + hash_)
        page.wait_for_selector(".ac-root")
        frames(page)
        return page

    yield open_page
    for page, said in pages:
        page.close()
        assert said == []
