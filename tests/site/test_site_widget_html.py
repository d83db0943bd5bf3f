import json
import re

import pytest

from attention_course.site.widget_state import place_html, state_script


def model(**state):
    return {"model_name": "AnyModel", "state": state}


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


def test_the_state_cannot_end_its_own_script():
    made = state_script({"a": model(_esm="'</script>'")})
    body = re.fullmatch(r"<script type=[^>]*>(.*)</script>", made).group(1)

    assert "</script>" not in body
    assert json.loads(body)["state"]["a"]["state"]["_esm"] == "'</script>'"
