import json
import re

import pytest

from attention_course.site.widget_state import (
    compact,
    place_html,
    sources,
    state_script,
    write_sources,
)


def model(**state):
    return {"model_name": "AnyModel", "state": state}


@pytest.mark.parametrize(
    ("stored", "missing"),
    [({}, "code"), ({"m": model(_esm="x")}, "fallback"), ({"m": model(fallback="f")}, "code")],
)
def test_a_widget_that_would_leave_nothing_is_refused(stored, missing):
    with pytest.raises(ValueError, match=f"must hold the {missing} of widget m"):
        place_html("m", stored)


def test_the_state_cannot_end_its_own_script():
    made = state_script(compact({"a": model(_esm="x", title="'</script>'")}))
    body = re.fullmatch(r"<script type=[^>]*>(.*)</script>", made).group(1)

    assert "</script>" not in body
    assert json.loads(body)["state"]["a"]["state"]["title"] == "'</script>'"


def test_widgets_share_a_source_only_if_module_and_style_are_the_same(tmp_path):
    stored = {"a": model(_esm="x", _css="y"), "b": model(_esm="x", _css="y"), "layout": model()}
    stored |= {"c": model(_esm="x", _css="z"), "d": model(_esm="w", _css="y")}
    names = [one["state"]["_source"] for one in compact(stored).values()]

    assert len({*names}) == 3
    assert names[0] == names[1]
    assert {*sources(stored)} == {*names}
    write_sources(tmp_path, sources(stored))
    assert f'"{names[2]}"' in (tmp_path / f"{names[2]}.js").read_text("utf-8")
