import json

from attention_course.reference import saturation
from attention_course.widgets import SaturationLab


def test_the_readouts_are_the_references_numbers():
    lab = SaturationLab(
        d_k=300, n_keys=5, scale="custom", scale_value=0.2, number_format="float16"
    )
    lab.offsets = [1, 2]

    there = saturation(
        d_k=300,
        n_keys=5,
        scale="custom",
        scale_value=0.2,
        number_format="float16",
        offsets=[1, 2],
    )
    assert lab.readouts()["batch"] == there["batch"]
    assert lab.readouts()["shown"]["entropy"] == there["shown"]["entropy"]


def test_the_state_is_plain_json():
    lab = SaturationLab(offsets=(1, 2.5))
    state = {name: getattr(lab, name) for name in lab._state}

    assert json.loads(json.dumps(state)) == state
