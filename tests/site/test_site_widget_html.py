import json
import re

import pytest

from attention_course.site.widget_state import compact, place_html, state_script


def model(**state):
    return {"model_name": "AnyModel", "state": state}


def test_the_fallback_stands_in_the_place_of_the_widget():
    made = place_html("m1", {"m1": model(_esm="x", fallback="<p>Two keys.</p>", key="lab")})

    assert 'data-model-id="m1"' in made
    assert 'data-ac-key="lab"' in made
    assert '<div class="ac-fallback"><p>Two keys.</p></div>' in made


def test_what_a_fallback_prints_is_not_translated():
    made = place_html("m1", {"m1": model(_esm="x", fallback="<pre>loss 2.1</pre>", key="lab")})

    assert '<pre translate="no">loss 2.1</pre>' in made


@pytest.mark.parametrize(
    ("stored", "missing"),
    [({}, "code"), ({"m": model(_esm="x")}, "fallback"), ({"m": model(fallback="f")}, "code")],
)
def test_a_widget_that_would_leave_nothing_is_refused(stored, missing):
    with pytest.raises(ValueError, match=f"must hold the {missing} of widget m"):
        place_html("m", stored)


def test_two_widgets_of_a_kind_carry_their_source_once():
    kept = compact({"a": model(_esm="code", _css="look", n=1), "b": model(_esm="code", n=2)})

    assert kept["a"]["state"] == {"_esm": "code", "_css": "look", "n": 1}
    assert kept["b"]["state"] == {"_esm": {"same_as": "a"}, "n": 2}


def test_layouts_and_fallbacks_stay_out_of_the_state():
    kept = compact(
        {"l": model(width=1), "a": model(_esm="c", fallback="f", _dom_classes=[], n=0)}
    )

    assert kept == {"a": {"state": {"_esm": "c", "n": 0}}}


def test_binary_traits_are_kept():
    stored = {"a": model(_esm="c") | {"buffers": [{"path": ["x"], "data": "AA=="}]}}

    assert compact(stored)["a"]["buffers"] == [{"path": ["x"], "data": "AA=="}]


def test_the_state_cannot_end_its_own_script():
    made = state_script({"a": model(_esm="'</script>'")})
    body = re.fullmatch(r"<script type=[^>]*>(.*)</script>", made).group(1)

    assert "</script>" not in body
    assert json.loads(body)["state"]["a"]["state"]["_esm"] == "'</script>'"
