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
    )

    app.add_html_math_renderer(
        "attention_course",
        (mathematics.visit_inline, None),
        (mathematics.visit_display, None),
    )
    app.add_node(captions.Caption, html=(captions.visit_caption, captions.depart_caption))
    app.add_transform(captions.NumberFigures)
    app.add_transform(folds.FoldDeeper)
    app.connect("doctree-resolved", captions.check_references)
    app.connect("doctree-resolved", conditions.mark)
    app.connect("doctree-read", reading.say_time)
    app.connect("doctree-resolved", reading.fill_times)
    app.connect("config-inited", pages.adjust_options, priority=100)
    app.connect("config-inited", pages.silence_thebe, priority=100)
    app.connect("builder-inited", assets.gather)
    app.connect("source-read", from_data.fill)
    app.connect("doctree-read", slides.tag_cells)
    app.connect("doctree-read", tryit.mark)
    app.connect("doctree-read", folds.show_results)
    app.connect("doctree-read", editable.mark)
    app.connect("doctree-read", pages.move_state)
    app.connect("doctree-read", pages.name_chapter)
    app.connect("doctree-read", markdown_nodes.share_anchors)
    app.add_transform(markdown_nodes.Anchors)
    app.add_transform(markdown_nodes.MarginNotes)
    app.add_transform(markdown_nodes.LongNames)
    app.add_transform(markdown_nodes.Closings)
    app.add_transform(markdown_nodes.Terms)
    app.add_post_transform(citations.Citations)
    app.connect("html-page-context", in_words.add, priority=400)
    app.connect("html-page-context", chapter_map.mark)
    app.connect("html-page-context", assets.load_what_is_needed)
    app.connect("html-page-context", tryit.load)
    app.connect("html-page-context", editable.load)
    app.connect("html-page-context", pages.add_page_context)
    app.connect("html-page-context", redirects.follow_anchors)
    app.connect("html-page-context", addresses.add_context)
    app.connect("html-collect-pages", addresses.collect)
    app.connect("html-page-context", slides.link)
    app.connect("html-page-context", pages.lighten, priority=900)
    app.connect("html-page-context", merge_css.drop_merged, priority=900)
    app.connect("build-finished", slides.write)
    app.connect("build-finished", in_words.write)
    app.connect("build-finished", redirects.write)
    app.connect("build-finished", review.write)
    app.connect("build-finished", addresses.write, priority=800)
    app.connect("build-finished", search.write)
    app.connect("build-finished", merge_css.write, priority=900)
    app.connect("build-finished", policy.write, priority=950)
    app.connect("config-inited", _add_templates)
    app.connect("builder-inited", _replace_toggles)
    reference_pages.setup(app)
    exercise_pages.setup(app)
    app.connect("build-finished", mathematics.close_engine)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _add_templates(app: Any, config: Any) -> None:
    config.templates_path.insert(0, str(Path(__file__).parent / "templates"))


def _replace_toggles(app: Any) -> None:
    from myst_nb.sphinx_ import HideCodeCellNode  # by now its extension has set it up

    from attention_course.site import folds

    visitors = (folds.visit_toggle, folds.depart_toggle)
    app.add_node(HideCodeCellNode, override=True, html=visitors)
