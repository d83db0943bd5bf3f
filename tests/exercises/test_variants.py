"""A variant says nothing that is false under its own contract, of a mistake or in a hint."""

from dataclasses import replace

import pytest
from mutants import report_on

from attention_course.exercises import all_exercises, exercise_named, hint, recognise
from attention_course.exercises.check import _opened, said_report
from attention_course.exercises.exercise import OWN_CONVENTION, Variant, edited

EXERCISES = all_exercises()
NAMES = [f"{e.slug}:{v.name}" for e in EXERCISES.values() for v in e.variants]
# Texts that are true in the course's own convention and in this one are not.
NOT_TRUE = {
    "additive-attention:rows": ["as wide as an annotation", "should be transposed"],
    "additive-attention:weights-first": ["Return the contexts"],
    "bahdanau-step:weights-first": ["Return the state", "Return the new state"],
    "attention-backward:values-first": ["order v, k, q", "to `q`, `k` and `v`"],
    "cosine-attention:temperature": ["strength", "stronger", "multipl"],
    "cosine-attention:weights-first": ["Return the contexts"],
    "encode-padded:fixed-first": ["Return all states", "Return states"],
    "local-p:weights-first": ["Return the centres"],
    "luong-scores:rows": [
        "row of W_a",
        "W_a has rows",
        "without a row",
        "as rows",
        "last rows",
    ],
    "luong-scores:state-first": ["joins the source state in front"],
    "mask-of-a-batch:padded-in-front": ["looked for in front", "Padding stands behind"],
    "reinforce-gradient:loss": ["expected reward", "that of a loss"],
    "rotary-positions:clockwise": ["other way round", "signs are a plus"],
    "rotary-positions:halves": ["feature i +", "laid down in halves", "place of its first"],
    "scaled-dot-product-attention:additive": ["True mean", "`&`", "as 0 and 1"],
    "scaled-dot-product-attention:blocked": ["`&`"],
    "scaled-dot-product-attention:weights-first": ["Return the context"],
    "self-attention:weights-first": ["Return the context"],
    "sinusoidal-positions:halves": ["may have a step", "cosines behind them"],
}

FRONT, REAL = "mask-of-a-batch:padded-in-front", "key < lengths[:, None, None, None]"
TURN, COSINE = "cosine-attention:temperature", "beta[:, None] * (unit(q)"
CLOCK, PLUS = "rotary-positions:clockwise", "a * sin + b * cos"
LAST = "scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]"
HIDDEN = "joined @ W_a.T)"
# Mistakes that a student makes who writes in this convention, as edits of the course's own
# solution, and what they must be called.
WRITTEN_IN_IT = [
    ("attention-backward:values-first", [], "the course's own convention is used"),
    (
        "attention-backward:values-first",
        [("return dq, dk, dv", "return dq, dv, dk")],
        "the gradients come in the order q, v, k",
    ),
    (TURN, [(COSINE, "(unit(q)")], "the temperature is left out"),
    (
        TURN,
        [(COSINE, "1 / beta[0] * (unit(q)")],
        "the first query's temperature is used for all",
    ),
    (
        TURN,
        [(COSINE, "(unit(q)"), ("weights = exps", "weights = 1 / beta[:, None] * exps")],
        "the temperature divides the weights instead of the scores",
    ),
    (
        "luong-scores:rows",
        [
            (HIDDEN, HIDDEN.replace("W_a.T", "(W_a.T if len(W_a) == len(W_a.T) else W_a)")),
            (LAST, "scores[:, : len(W_a.T)] = (h_t @ W_a)[:, :n_x]"),
        ],
        "concat uses its square matrix the other way round",
    ),
    (
        "luong-scores:rows",
        [
            (HIDDEN, HIDDEN.replace("W_a.T", "W_a")),
            (LAST, "scores[:, : len(W_a.T)] = (h_t @ W_a)[:, -n_x:]"),
        ],
        "location uses its last columns for a shorter source",
    ),
    (FRONT, [(REAL, f"key > n_k - {REAL[6:]}")], "one key too few is real"),
    (
        FRONT,
        [(REAL, f"(key + 1 >= n_k - {REAL[6:]}) & (key < n_k - 1)")],
        "the real keys lie one place too early",
    ),
    (
        FRONT,
        [(REAL, f"key >= n_k - lengths.max() + 0 * {REAL[6:]}")],
        "all sequences have the longest one's length",
    ),
    (
        FRONT,
        [(REAL, f"key >= n_k - lengths.min() + 0 * {REAL[6:]}")],
        "all sequences have the shortest one's length",
    ),
    (
        FRONT,
        [(REAL, f"place >= n_k - {REAL[6:]}")],
        "the padding hides queries instead of keys",
    ),
    (CLOCK, [(PLUS, "b * cos - a * sin")], "both signs are a minus"),
    (
        "scaled-dot-product-attention:additive",
        [("may = may & mask", "may = may & (mask != 0)")],
        "the mask is read the other way round",
    ),
]


@pytest.fixture(params=NAMES)
def varied(request):
    return exercise_named(request.param)


@pytest.fixture
def base_report(varied):
    """What is found of last year's answer: the course's own solution, under the variant."""
    return report_on(varied, EXERCISES[varied.slug].solution)


def _shown(exercise):
    """Return everything that a student may read of an exercise."""
    named = [wrong for wrong in exercise.wrong if not wrong.silent]
    texts = [exercise.statement, *exercise.contract, exercise.stub, *exercise.hints]
    return texts + [text for one in (*exercise.probes, *named) for text in (one.name, one.hint)]


def test_the_variants_own_solution_is_right_and_the_courses_is_not(varied, base_report):
    assert report_on(varied, varied.solution).right
    assert not base_report.right


def test_the_courses_own_solution_is_called_just_that(varied, base_report):
    assert recognise(base_report).name == OWN_CONVENTION.name
    assert OWN_CONVENTION.hint in " ".join(said_report(base_report).split())


def test_the_courses_own_solution_is_like_no_other_named_mistake(varied, base_report):
    alone = [replace(varied, wrong=(wrong,)) for wrong in varied.wrong]
    like = [found for e in alone if (found := recognise(replace(base_report, exercise=e)))]
    assert [wrong.name for wrong in like] == [OWN_CONVENTION.name]


def test_the_courses_own_solution_is_not_known_by_its_errors_alone(base_report):
    assert not all(finding.outcome.error for finding in base_report.findings)


def test_every_mistake_is_recognised_by_its_name_in_this_convention(varied):
    assert len({wrong.name for wrong in varied.wrong}) == len(varied.wrong)
    for wrong in varied.wrong:
        report = report_on(varied, varied.source_of(wrong))
        found = recognise(report)
        assert not report.right, wrong.name
        if wrong.silent:
            assert found is None or found.name != wrong.name
        else:
            assert found is not None, wrong.name
            assert found.name == wrong.name


def test_no_mistake_is_known_by_an_error_that_the_turning_over_makes(varied):
    """An answer that raises everywhere for another reason would be given its name."""
    for wrong in varied.wrong:
        errors = {f.outcome.error for f in report_on(varied, varied.source_of(wrong)).findings}
        assert wrong.silent or errors & {"", "ForbiddenError", "WrongReturnError"}


@pytest.mark.parametrize("name", NOT_TRUE)
def test_no_text_of_a_variant_speaks_of_the_courses_own_convention(name):
    shown, own = _shown(exercise_named(name)), _shown(EXERCISES[name.split(":")[0]])
    for words in NOT_TRUE[name]:
        assert any(words in text for text in own), words
        assert [text for text in shown if words in text] == []


@pytest.mark.parametrize(("name", "edits", "called"), WRITTEN_IN_IT)
def test_a_mistake_made_in_this_convention_is_called_what_it_is(name, edits, called):
    varied, own = exercise_named(name), EXERCISES[name.split(":")[0]]
    source = edited(own.solution, edits, name) if edits else own.solution
    assert recognise(report_on(varied, source)).name == called


def test_a_silent_mistake_is_caught_and_not_named():
    base = EXERCISES["rotary-positions"]
    varied = base.varied("halves")
    wrong = next(w for w in varied.wrong if "paired with" in w.name)
    report = report_on(varied, varied.source_of(wrong))
    assert wrong.silent
    assert not report.right
    assert recognise(report) is None
    assert wrong.name not in said_report(report)
    spoken = replace(varied, wrong=(replace(wrong, silent=False),))
    assert recognise(replace(report, exercise=spoken)).name == wrong.name


@pytest.mark.parametrize("field", ["mistakes", "probes"])
def test_a_name_that_is_not_there_cannot_be_replaced(field):
    change = {field: {"no such thing": ("x", "y")}}
    variant = Variant("odd", (("context first", "weights first"),), "", **change)
    exercise = replace(EXERCISES["cosine-attention"], variants=(variant,))
    with pytest.raises(ValueError, match=r"nothing called .*no such thing"):
        exercise.varied("odd")


def test_a_variants_report_opens_the_variants_hints(capsys):
    varied = exercise_named("cosine-attention:temperature")
    report = report_on(varied, EXERCISES["cosine-attention"].solution)
    assert 'hint("cosine-attention:temperature") opens a hint.' in said_report(report)
    _opened.clear()
    for name in ("cosine-attention", "cosine-attention:temperature", varied.name):
        hint(name)
    said = capsys.readouterr().out.split("Hint ")[1:]
    assert [text[0] for text in said] == ["1", "1", "2"]
    assert "temperatures" in said[2]
