"""The Sphinx extension that makes the book's pages: live, local and quiet.

``mathematics`` sets formulas at build time, ``renderers`` shows figures and widgets,
``captions`` numbers them, ``folds`` closes what can be skipped, ``reading`` says how long a
chapter takes, ``markdown_nodes`` and ``citations`` read what chapters write in plain Markdown,
``assets`` brings everything a page loads, ``sheet`` makes one style sheet of it, ``pages`` adds
what every page says, ``addresses`` where it is, ``redirects`` keeps old addresses,
``search`` sorts the index, ``slides`` makes a lecture of a chapter, ``tryit`` lets exercises
run in the page, ``editable`` the cells of a chapter, ``exercise_pages`` gives each exercise a
page of its own, ``in_words`` says what a good answer in words has, ``conditions`` when a
general sentence holds, ``review`` cuts out what is asked again, ``chapter_map`` says what there
is to do in each chapter, ``from_data`` writes what a page keeps as data, ``reference_pages``
writes the API reference, links the names in code to it, ``policy`` says what a page may load.
Nothing here imports torch, plotly or ipywidgets: the book builds without.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any


def setup(app: Any) -> dict[str, Any]:
    """Connect the extension (called by Sphinx)."""
    from attention_course import __version__
    from attention_course.site import (
        addresses,
        assets,
        captions,
        chapter_map,
        citations,
        conditions,
        editable,
        exercise_pages,
        folds,
        from_data,
        in_words,
        markdown_nodes,
        mathematics,
        merge_css,
        pages,
        policy,
        reading,
        redirects,
        reference_pages,
        review,
        search,
        slides,
        tryit,
    )  # fmt: skip

    visits = (mathematics.visit_inline, None), (mathematics.visit_display, None)
    app.add_html_math_renderer("attention_course", *visits)
    app.add_node(captions.Caption, html=(captions.visit_caption, captions.depart_caption))
    marks = markdown_nodes
    for transform in (
        *(captions.NumberFigures, folds.FoldDeeper, marks.Anchors, marks.MarginNotes),
        *(marks.LongNames, marks.Closings, marks.Terms),
    ):
        app.add_transform(transform)
    app.add_post_transform(citations.Citations)
    handlers: dict[str, tuple[Any, ...]] = {
        "config-inited": (_add_templates,),
        "builder-inited": (assets.gather, _replace_toggles),
        "source-read": (from_data.fill,),
        "doctree-read": (
            *(reading.say_time, slides.tag_cells, tryit.mark, folds.show_results),
            *(editable.mark, pages.move_state, pages.name_chapter, marks.share_anchors),
        ),
        "doctree-resolved": (captions.check_references, conditions.mark, reading.fill_times),
        "html-page-context": (
            *(chapter_map.mark, assets.load_what_is_needed, tryit.load, editable.load),
            *(pages.add_page_context, redirects.follow_anchors, addresses.add_context),
            slides.link,
        ),
        "html-collect-pages": (addresses.collect,),
    }
    for event, all_of_it in handlers.items():
        for handler in all_of_it:
            app.connect(event, handler)
    for handler in (pages.adjust_options, pages.silence_thebe):
        app.connect("config-inited", handler, priority=100)
    app.connect("html-page-context", in_words.add, priority=400)
    for handler in (pages.lighten, merge_css.drop_merged):
        app.connect("html-page-context", handler, priority=900)
    last: dict[Any, int] = {addresses: 800, merge_css: 900, policy: 950}
    for module in (slides, in_words, redirects, review, chapter_map, search, *last):
        app.connect("build-finished", _whole(module.write), priority=last.get(module, 500))
    reference_pages.setup(app)
    exercise_pages.setup(app)
    app.connect("build-finished", mathematics.close_engine)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _whole(write: Callable[[Any], None]) -> Callable[[Any, Exception | None], None]:
    """Let a build end by writing something, if it ended well and is one of HTML."""

    def finished(app: Any, error: Exception | None) -> None:
        if error is None and app.builder.name == "html":
            write(app)

    return finished


def _add_templates(app: Any, config: Any) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def _replace_toggles(app: Any) -> None:
    from myst_nb.sphinx_ import HideCodeCellNode  # by now its extension has set it up

    from attention_course.site import folds

    visitors = (folds.visit_toggle, folds.depart_toggle)
    app.add_node(HideCodeCellNode, override=True, html=visitors)
