"""Each rule about stored notebooks complains of a notebook that breaks it, and of no other."""

import nbformat
import pytest
from normalise import STATE, VIEW
from rules.notebooks import RULES

DIAL, MEASURED, SHOWN = 6, 8, 10


def _drop_count(nb):
    nb.cells[3].execution_count = None


def _store_error(nb):
    output = nbformat.v4.new_output("error", ename="ValueError", evalue="bad", traceback=[])
    nb.cells[4].outputs.append(output)


def _warn(nb):
    nb.cells[4].outputs.append(nbformat.v4.new_output("stream", name="stderr", text="oh\n"))


def _mistype(nb):
    nb.cells[4].metadata.tags = ["hide_input"]


def _editor(nb):
    nb.cells[4].metadata["scrolled"] = True


def _no_reason(nb):
    nb.cells[4].metadata.tags = ["nbval-ignore-output"]


def _nothing_measured(nb):
    nb.cells[MEASURED].metadata.measured["# of them"] = 3


def _tolerance(nb):
    nb.cells[4].outputs[0].text += "accuracy 0.41 ± 0.05, of ±3\n"


def _tolerance_in_latex(nb):
    nb.cells[2].source += "\n\nIt is right in $0.41 \\pm 0.05$ of the rows."


def _picture(nb):
    output = nbformat.v4.new_output("display_data", data={"image/png": "AAAA"})
    nb.cells[4].outputs.append(output)


def _long(nb):
    nb.cells[4].source = "\n".join(f"a{i} = {i}" for i in range(26))


def _defining_setup(nb):
    nb.cells[1].source += "\ndef f(): ..."


def _no_ending(nb):
    nb.cells[-1].source = nb.cells[-1].source.replace("What we showed", "So long")


def _half_a_fold(nb):
    nb.cells[2].metadata = {"jp-MarkdownHeadingCollapsed": True, "tags": ["deeper"]}


def _answers_nothing(nb):
    nb.cells[4].metadata.tags = ["answer"]


def _raw_role(nb):
    nb.cells[2].source += "\n\nAs {cite:t}`vaswani2017attention` say."


def _other_softmax(nb):
    nb.cells[4].source = "def entropy(p):\n    return 0.0"


def _stateless(nb):
    shown = nb.cells[DIAL].outputs[0].data[VIEW]["model_id"]
    del nb.metadata.widgets[STATE]["state"][shown]


def _old_module(nb):
    for model in nb.metadata.widgets[STATE]["state"].values():
        if "_esm" in model["state"]:
            model["state"]["_anywidget_id"] = "attention_course.widgets.stepper.Stepper"


def _old_source(nb):
    nb.cells[SHOWN].outputs[0].data["text/plain"] += "\n    # as it was"


def _stranger(nb):
    nb.cells[4].source = "%pip install attention-course"


def _stranger_by_uv(nb):
    nb.cells[4].source = "!uv add attention-course"


def _by_hand(nb):
    nb.cells[4].source += "\n# edited by hand"


SEEDS = [
    ("executed_in_order", _drop_count),
    ("no_error", _store_error),
    ("no_warning", _warn),
    ("tags_are_known", _mistype),
    ("what_is_not_compared_says_why", _no_reason),
    ("measured_numbers_are_there", _nothing_measured),
    ("plus_minus_is_a_spread", _tolerance),
    ("plus_minus_is_a_spread", _tolerance_in_latex),
    ("outputs_can_be_compared", _picture),
    ("cells_are_short", _long),
    ("setup_comes_first", _defining_setup),
    ("chapter_has_its_parts", _no_ending),
    ("folds_hide_what_they_should", _half_a_fold),
    ("folds_hide_what_they_should", _answers_nothing),
    ("nothing_is_raw", _raw_role),
    ("taught_code_is_the_packages", _other_softmax),
    ("widgets_carry_their_state", _stateless),
    ("widgets_are_the_packages", _old_module),
    ("widgets_are_the_packages", _old_source),
    ("installs_only_this_course", _stranger),
    ("installs_only_this_course", _stranger_by_uv),
    ("stored_by_the_tool", _editor),
    ("stored_by_the_tool", _by_hand),
]


def test_the_sound_notebook_breaks_no_rule(notebook):
    found = {rule: list(apply(notebook, "sound")) for rule, apply in RULES.items()}
    assert {rule: lines for rule, lines in found.items() if lines} == {}


@pytest.mark.parametrize(("rule", "break_it"), SEEDS)
def test_the_rule_complains(notebook, rule, break_it):
    break_it(notebook)
    assert len(list(RULES[rule](notebook, "sound"))) == 1


def test_every_rule_has_a_seeded_defect():
    assert list(dict.fromkeys(rule for rule, _ in SEEDS)) == list(RULES)
