"""A recorded result says which script made it, when and on what machine."""

import re

import pytest

from attention_course.measure import recorded
from attention_course.page import recorded_by
from attention_course.page.origin import SUMMARY


def test_each_record_has_a_line_with_script_date_and_machine(capsys):
    recorded_by("long_recall", "deep_norm")
    head, *lines = capsys.readouterr().out.strip().splitlines()
    assert head == SUMMARY
    for name, line in zip(("long_recall", "deep_norm"), lines, strict=True):
        made = recorded(name)[1]
        assert line.split(" | ") == [f"  {made['script']}", made["date"], made["machine"]]


def test_the_page_folds_them_closed(monkeypatch):
    shown = []
    monkeypatch.setattr("attention_course.page.origin.display", shown.append)
    recorded_by("deep_norm", "long_recall")
    markup = shown[0]._repr_html_()
    assert markup.startswith(f'<details class="ac-hold"><summary>{SUMMARY}</summary><p>')
    scripts = re.findall("<p>(.*?) ", markup)
    assert scripts == ["benchmarks/deep_norm.py", "benchmarks/long_recall.py"]


def test_no_name_and_an_unknown_one_are_refused():
    with pytest.raises(ValueError, match="names must be one record or more, got none"):
        recorded_by()
    with pytest.raises(ValueError, match=r"name must be one of .*, got 'nothing'"):
        recorded_by("nothing")
