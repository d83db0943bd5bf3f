"""The growing model's stages are those that were trained."""

import pytest

from attention_course.widgets.grow.widget import STAGES


def test_the_stages_are_those_that_the_models_have():
    models = pytest.importorskip("attention_course.models.experiments.growing").STAGES
    assert [stage["name"] for stage in STAGES] == list(models)
    for stage in STAGES:
        trained = vars(models[stage["name"]])
        drawn = {key: value for key, value in stage.items() if key not in ("name", "act")}
        assert drawn == trained | {"positions": trained["positions"] == "learned"}
