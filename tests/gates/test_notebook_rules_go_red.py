"""Each rule about stored notebooks complains of a notebook that breaks it, and of no other."""

import nbformat
import pytest
from normalise import STATE, VIEW
from rules.notebooks import RULES

from attention_course.site.main_path import COLLAPSED

# A rule, and the code that breaks it in the notebook ``nb``, of whose cells four have names.
DIAL, MEASURED, SHOWN = 6, 8, 10
STEPPER = "attention_course.widgets.stepper.Stepper"
SEEDS = [
    ("executed_in_order", "nb.cells[3].execution_count = None"),
    ("no_error", "show(output('error', ename='ValueError', evalue='bad', traceback=[]))"),
    ("no_warning", "show(output('stream', name='stderr', text='oh\\n'))"),
    ("tags_are_known", "cell.metadata.tags = ['hide_input']"),
    ("what_is_not_compared_says_why", "cell.metadata.tags = ['nbval-ignore-output']"),
    ("measured_numbers_are_there", "nb.cells[MEASURED].metadata.measured['# of them'] = 3"),
    ("plus_minus_is_a_spread", "cell.outputs[0].text += 'accuracy 0.41 ± 0.05, of ±3\\n'"),
    ("plus_minus_is_a_spread", r"prose.source += '\n\nRight in $0.41 \\pm 0.05$ of the rows.'"),
    ("outputs_can_be_compared", "show(output('display_data', data={'image/png': 'AAAA'}))"),
    ("cells_are_short", "cell.source = '\\n'.join(f'a{i} = {i}' for i in range(26))"),
    ("setup_comes_first", "nb.cells[1].source += '\\ndef f(): ...'"),
    (
        "chapter_has_its_parts",
        "nb.cells[-1].source = nb.cells[-1].source[8:]",
    ),
    ("folds_hide_what_they_should", "prose.metadata = {COLLAPSED: True, 'tags': ['deeper']}"),
    ("folds_hide_what_they_should", "cell.metadata.tags = ['answer']"),
    ("nothing_is_raw", "prose.source += '\\n\\nAs {cite:t}`vaswani2017attention` say.'"),
    ("taught_code_is_the_packages", "cell.source = 'def entropy(p):\\n    return 0.0'"),
    (
        "widgets_carry_their_state",
        "del states[dial]",
    ),
    (
        "widgets_are_the_packages",
        "script['_anywidget_id'] = STEPPER",
    ),
    (
        "widgets_are_the_packages",
        "nb.cells[SHOWN].outputs[0].data['text/plain'] += '# old'",
    ),
    ("installs_only_this_course", "cell.source = '%pip install attention-course'"),
    ("installs_only_this_course", "cell.source = '!uv add attention-course'"),
    ("stored_by_the_tool", "cell.metadata['scrolled'] = True"),
    ("stored_by_the_tool", "cell.source += '\\n# edited by hand'"),
]


def test_the_sound_notebook_breaks_no_rule(notebook):
    found = {rule: list(apply(notebook, "sound")) for rule, apply in RULES.items()}
    assert {rule: lines for rule, lines in found.items() if lines} == {}


@pytest.mark.parametrize(("rule", "break_it"), SEEDS)
def test_the_rule_complains(notebook, rule, break_it):
    states = notebook.metadata.widgets[STATE]["state"]
    names = {"nb": notebook, "cell": notebook.cells[4], "prose": notebook.cells[2]}
    names |= {"states": states, "output": nbformat.v4.new_output, "COLLAPSED": COLLAPSED}
    names |= {"dial": notebook.cells[DIAL].outputs[0].data[VIEW]["model_id"]}
    names |= {"script": next(m["state"] for m in states.values() if "_esm" in m["state"])}
    exec(break_it, globals() | names | {"show": notebook.cells[4].outputs.append})
    assert len(list(RULES[rule](notebook, "sound"))) == 1


def test_every_rule_has_a_seeded_defect():
    assert list(dict.fromkeys(rule for rule, _ in SEEDS)) == list(RULES)
