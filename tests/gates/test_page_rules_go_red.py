"""Each rule about a page that has turned complains of a page that breaks it, several ways."""

import ast

import nbformat
import page_rules
import pytest
from normalise import STATE, VIEW
from page_rules import RULES, complaints, definition
from rules.page_text import PLOTLY, Page

NAME, TAUGHT = "sound/page", "attention_course.reference.softmax.softmax_jacobian"
PREDICTION = {
    "kind": "number",
    "question": "How far do they spread?",
    "answer": [8.0623],
    "choices": [],
}
# The places of the cells that seeds change.
OPENING, SET_UP, FIGURE, WRITTEN, PRINTED, ASKED, PREDICTED, AFTER, EXERCISES = range(9)


def code(source, *outputs, tags=()):
    cell = nbformat.v4.new_code_cell(source, metadata={"tags": [*tags]}, execution_count=1)
    cell.outputs = list(outputs)
    return cell


def said(text, name="stdout"):
    return nbformat.v4.new_output("stream", name=name, text=text)


def shown(**data):
    return nbformat.v4.new_output(
        "display_data", data={k.replace("_", "/", 1): v for k, v in data.items()}
    )


def figure(title):
    data = {PLOTLY: {"data": [], "layout": {"title": {"text": title}}}}
    return nbformat.v4.new_output("display_data", data=data)


def prose(text, **metadata):
    return nbformat.v4.new_markdown_cell(text, metadata=metadata)


def source_of(dotted):
    node = definition(dotted)
    node.body, node.returns = node.body[1:], None
    for argument in node.args.args:
        argument.annotation = None
    return ast.unparse(node)


@pytest.fixture
def page(monkeypatch) -> Page:
    """A page that every rule likes; what it is for is one function, which it writes."""
    node = definition(TAUGHT)
    monkeypatch.setattr(
        page_rules, "definition", lambda dotted: node if dotted == TAUGHT else None
    )
    cells = [
        prose("# Sound\n\nIs it?\n\n**By the end you can**\n\n1. derive it;\n2. measure it."),
        code("import attention_course as ac", said("Ready.\n"), tags=["setup"]),
        code(
            "import numpy as np\nfrom attention_course.drawing.plots import lines\nlines(w, s)",
            figure("Wider vectors, wider scores"),
            tags=["hide-input"],
        ),
        code(source_of(TAUGHT)),
        code(
            'print(f"attention {a:.2f}, fixed vector {f:.2f}")\nmask = m > 0\nmask',
            said("attention 0.99, fixed vector 0.41\n"),
            shown(text_plain="[[ True False]\n [ True  True]]"),
        ),
        prose("## How far do they spread?\n\nThe terms are independent. Predict first."),
        code(
            "spread = (q * k).sum(axis=1).std()\n"
            'ac.predict("How far do they spread?", spread, tolerance=0.5, reveal="8.06")',
            nbformat.v4.new_output(
                "display_data", data={VIEW: {"model_id": "one"}, "text/plain": "Predict: 8.06"}
            ),
        ),
        prose("The law of the sum holds; <details>\n\nIt was 8.06.\n\n</details>"),
        prose("## Exercises\n\n**1. Why** (explain, objectives 1 and 2)\n\nWhy 8.06?"),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells)
    notebook.metadata.shown_in_full = [TAUGHT]
    notebook.metadata.widgets = {STATE: {"state": {"one": {"state": dict(PREDICTION)}}}}
    return Page(nbformat.from_dict(notebook), NAME)


def test_the_sound_page_breaks_no_rule(page):
    assert complaints(page) == []


def test_a_door_teaches_nothing_and_need_not(page):
    door = Page(page.notebook, "index")
    door.notebook.cells = door.cells[:2]
    door.shown_in_full.clear()
    assert complaints(door) == []


def prints(text, source="print(say(x))"):
    """Replace a cell by one that prints a text."""

    def change(page):
        page.cells[PRINTED] = code(source, said(text))

    return change


def computes(source, *tags, place=PRINTED):
    def change(page):
        page.cells[place] = code(source, tags=tags)

    return change


def writes(text, place=AFTER, **metadata):
    def change(page):
        page.cells[place] = prose(text, **metadata)

    return change


def inserts(place, cell):
    return lambda page: page.cells.insert(place, cell)


def both(*changes):
    def change(page):
        for one in changes:
            one(page)

    return change


def answers(question, **state):
    """Let the prediction be another one, and print no number in its own cell."""

    def change(page):
        page.notebook.metadata.widgets[STATE]["state"]["one"]["state"].update(state)
        page.cells[PREDICTED].source = question

    return change


FOUND = "found = count(x)\nac.predict('How many?', found)"
CHOICE = answers(
    'dead = name(x)\nac.predict("Which?", dead, choices=names)',
    kind="choice",
    answer=[1.0],
    choices=["the key", "the query", "the value"],
)
ORDER = answers(
    'found = order(x)\nac.predict("In which order?", found, order=names)',
    kind="order",
    answer=[1.0, 0.0],
    choices=["dot", "additive"],
)


def tagged(place, *tags):
    def change(page):
        page.cells[place].metadata.tags = [*tags]

    return change


CLIPPED = [
    computes("total = " + " + ".join(["numbers"] * 8)),
    computes("if a:\n" + "\t" * 9 + "total = 1 + a"),
    prints("-" * 77 + "\n"),
    writes(f"```python\nx = {'1' * 73}\n```"),
]
SPOILED = [
    computes("spread = x.std()", place=PREDICTED),
    computes('ac.predict("How far?", spread)\nprint("done")', place=PREDICTED),
    lambda page: page.cells[PREDICTED].outputs.append(said("8\n")),
    lambda page: page.cells[PREDICTED].outputs.pop(),
    answers('ac.predict("How far?", 8.06)'),
    answers('spread = x.std()\nac.predict("How far? (Not 8.1.)", spread)'),
    writes("## How far?\n\nWe shall find 8.06. Predict first.", place=ASKED),
    inserts(AFTER, code("lines(x)", figure("A spread of 8.06"), tags=["hide-input"])),
    both(answers(FOUND, answer=[0.4127]), writes("So 41 % are dead.")),
    inserts(AFTER, code('ac.hold("near", spread, at_least=8)', tags=["hide-input"])),
    both(CHOICE, writes("So the query is dead.")),
    both(ORDER, writes("So dot, then additive... no: additive, dot.")),
]
UNSPOILED = [
    writes("<details><summary>More</summary>\n\nIt is 8.06.\n\n</details>"),
    writes("It was 8.06.", tags=["deeper"]),
    writes("It was 8.06.", tags=["answer"]),
    both(CHOICE, writes("The key, the query or the value may die.")),
    both(ORDER, writes("Of dot and additive, one is ahead.")),
]


NOT_SHOWN = [
    tagged(WRITTEN, "deeper"),
    tagged(WRITTEN, "variant"),
    computes("def softmax_jacobian(p):\n    return p * 2", place=WRITTEN),
    computes("from attention_course.reference import softmax_jacobian", place=WRITTEN),
    lambda page: page.shown_in_full.clear(),
    lambda page: page.shown_in_full.append("attention_course.x.nothing"),
    inserts(
        WRITTEN, code("ac.show(y)", shown(text_markdown="```python\n" + "x = 1\n" * 31 + "```"))
    ),
]


def displayed_by_show(page):
    fence = f"```python\n# {TAUGHT}\n{source_of(TAUGHT)}\n```"
    page.cells[WRITTEN] = code("ac.show(softmax_jacobian)", shown(text_markdown=fence))


UNTESTED = [
    writes("## Exercises\n\n**1. Why** (explain, objective 1)\n\nWhy?", place=EXERCISES),
    writes("## Exercises\n\n**1. Why** (explain)\n\nSee objectives 1 and 2.", place=EXERCISES),
    writes(
        "## Exercises\n\n**1. Why** (explain, objectives 1, 2 and 3)\n\nWhy?", place=EXERCISES
    ),
    writes("# Sound\n\n**By the end you can**\n\n- derive it;\n- measure it.", place=OPENING),
]


SEEDS = {
    "no_line_is_clipped": (CLIPPED, []),
    "a_prediction_is_not_spoiled": (SPOILED, UNSPOILED),
    "what_it_is_for_is_shown_in_full": (NOT_SHOWN, [displayed_by_show]),
    "every_objective_is_tested": (UNTESTED, []),
}


def cases(which):
    return [(name, case) for name, seed in SEEDS.items() for case in seed[which]]


def test_every_rule_has_its_defects():
    assert list(SEEDS) == list(RULES)


@pytest.mark.parametrize(("rule", "break_it"), cases(0))
def test_the_rule_complains(page, rule, break_it):
    break_it(page)
    assert list(RULES[rule](page)) != []


@pytest.mark.parametrize(("rule", "change"), cases(1))
def test_the_rule_lets_pass_what_is_right(page, rule, change):
    change(page)
    assert list(RULES[rule](page)) == []
