"""What the chapter on self-attention says of its readers, and runs that turn it False."""

import pytest

from attention_course.claims import pronoun_verdicts

GOOD = {"sees all": 0.97, "causal, at it": 0.45, "causal, at the end": 0.98}


@pytest.mark.parametrize(
    ("setting", "share"),
    [("sees all", 0.6), ("causal, at it", 0.7), ("causal, at the end", 0.55)],
)
def test_each_statement_can_be_false(setting, share):
    assert all(pronoun_verdicts(GOOD).values())
    assert list(pronoun_verdicts(GOOD | {setting: share}).values()).count(False) == 1


def test_a_missing_setting_is_refused():
    with pytest.raises(ValueError, match="pronoun_verdicts: accuracy must hold"):
        pronoun_verdicts({"sees all": 1.0})
