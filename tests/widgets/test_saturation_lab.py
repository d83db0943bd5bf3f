import gzip
import json
import re

import pytest

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


def test_the_fallback_states_the_setting_and_its_numbers():
    lab = SaturationLab(d_k=256)
    text = re.sub(r"<[^>]+>", " ", lab.fallback)
    batch = lab.readouts()["batch"]

    assert "At d_k = 256, without scaling," in text
    assert f"{batch['top_weight_median']:.3f} of its weight" in text
    assert f"{batch['dead']:.0%} of the queries are dead" in text
    assert re.findall(r'<th scope="row">(\d+)</th>', lab.fallback) == [
        "4",
        "16",
        "64",
        "256",
        "1024",
        "4096",
    ]


def test_only_an_exact_one_is_written_as_one():
    text = SaturationLab(d_k=1024).fallback

    assert "more than 0.999" in text
    assert not re.search(r"\b1\.0", text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"d_k": "abc"}, "SaturationLab: d_k must be a whole number from 1 to 4096, got 'abc'"),
        ({"d_k": 0}, "SaturationLab: d_k must be"),
        ({"n_keys": 1}, "SaturationLab: n_keys must be a whole number from 2 to 32, got 1"),
        ({"scale": "sqrt"}, "SaturationLab: scale must be one of 'none', 'sqrt_d_k'"),
        ({"spread": 0}, "SaturationLab: spread must be a number from 0.001 to 1000, got 0"),
        ({"number_format": "int8"}, "SaturationLab: number_format must be one of"),
        ({"offsets": ["x"]}, "SaturationLab: offsets must be a list"),
        ({"width": 3}, "SaturationLab: arguments must be among"),
    ],
)
def test_a_bad_argument_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        SaturationLab(**arguments)


def test_the_state_is_plain_json():
    lab = SaturationLab(offsets=(1, 2.5))
    state = {name: getattr(lab, name) for name in lab._state}

    assert json.loads(json.dumps(state)) == state


def test_the_module_is_light():
    assert len(gzip.compress(SaturationLab()._esm.encode())) < 35_000
