"""One widget on a bare page, which every browser test of a widget opens and none may break."""

import pytest
from frames import frames

bare_page = pytest.importorskip("bare_page")


@pytest.fixture
def show(browser, tmp_path):
    """Opens a widget (``show(widget, theme="dark", size=(360, 780))``); gives its page.

    ``within`` is another browser, ``script`` runs before the page, ``changes`` are made to the
    page, and ``state`` overrides traits without any check. At the end no error may have come.
    """
    pages = []

    def open_page(
        widget,
        hash_="",
        size=(1280, 900),
        theme="light",
        motion=None,
        touch=False,
        within=None,
        script="",
        changes=(),
        **state,
    ):
        page = (within or browser).new_page(
            viewport={"width": size[0], "height": size[1]},
            reduced_motion=motion,
            has_touch=touch,
            permissions=["clipboard-read", "clipboard-write"],
        )
        if script:
            page.add_init_script(script)
        page.set_default_timeout(60_000)
        said = []
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("console", lambda line: line.type == "error" and said.append(line.text))
        pages.append((page, said))
        file = tmp_path / f"{len(pages)}.html"
        text = bare_page.bare_page(widget, theme, **state)
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        file.write_text(text, "utf-8")
        page.goto(file.as_uri() + hash_)
        page.wait_for_selector(".ac-root")
        frames(page)
        return page

    yield open_page
    for page, said in pages:
        page.close()
        assert said == []
