"""In each variant its own solution alone is right, and mistakes are called what they are."""

import ast
from dataclasses import replace

import pytest
from mutants import report_on, without_large

from attention_course.exercises import (
    all_exercises,
    exercise_named,
    recognise,
)
from attention_course.exercises.check import said_report
from attention_course.exercises.exercise import OWN_CONVENTION, Variant, _vary, edited

EXERCISES = all_exercises()
NAMES = [f"{e.slug}:{form}" for e in EXERCISES.values() for form in e.forms]

# To name a mistake, all mistakes are made in a convention: here in a few, of all where time is.
FEW = {"cosine-attention:temperature", "four-steps:base-two", "window-mask:blocked"}
FEW |= {"rotary-positions:halves", "four-steps:base-two+context-first"}
EACH = [pytest.param(n, marks=[] if n in FEW else pytest.mark.thorough) for n in NAMES]
# Each convention alone; laid on another, where time is.
ALONE = [pytest.param(n, marks=pytest.mark.thorough if "+" in n else ()) for n in NAMES]
FRONT, REAL = "mask-of-a-batch:padded-in-front", "key < lengths[:, None, None, None]"
TURN, COSINE = "cosine-attention:temperature", "beta[:, None] * (unit(q)"
CLOCK, PLUS = "rotary-positions:clockwise", "a * sin + b * cos"
LAST = "scores[:, : len(W_a)] = (h_t @ W_a.T)[:, :n_x]"
HIDDEN = "joined @ W_a.T)"
# Mistakes that a student makes who writes in this convention, as edits of the course's own
# solution, and what they must be called.
WRITTEN_IN_IT = [
    ("attention-backward:values-first", [], "the course's own convention is used"),
    (TURN, [(COSINE, "(unit(q)")], "the temperature is left out"),
    (
        "luong-scores:rows",
        [
            (HIDDEN, HIDDEN.replace("W_a.T", "(W_a.T if len(W_a) == len(W_a.T) else W_a)")),
            (LAST, "scores[:, : len(W_a.T)] = (h_t @ W_a)[:, :n_x]"),
        ],
        "concat uses its square matrix the other way round",
    ),
    (FRONT, [(REAL, f"key > n_k - {REAL[6:]}")], "one key too few is real"),
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
    """Without large inputs: they find loops, which do not mind the convention."""
    return without_large(exercise_named(request.param))


@pytest.fixture
def base_report(varied):
    """What is found of last year's answer: the course's own solution, under the variant."""
    return report_on(varied, EXERCISES[varied.slug].solution)


@pytest.mark.parametrize("varied", ALONE, indirect=True)
def test_the_variants_own_solution_is_right_and_the_courses_is_not(varied, base_report):
    assert report_on(varied, varied.solution).right
    assert not base_report.right


@pytest.mark.parametrize("varied", EACH, indirect=True)
def test_the_courses_own_solution_is_called_just_that(varied, base_report):
    assert recognise(base_report).name == OWN_CONVENTION.name
    assert OWN_CONVENTION.hint in " ".join(said_report(base_report).split())


@pytest.mark.parametrize("varied", EACH, indirect=True)
def test_the_courses_own_solution_is_like_no_other_named_mistake(varied, base_report):
    alone = [replace(varied, wrong=(wrong,)) for wrong in varied.wrong]
    like = [found for e in alone if (found := recognise(replace(base_report, exercise=e)))]
    assert [wrong.name for wrong in like] == [OWN_CONVENTION.name]


@pytest.mark.parametrize("varied", EACH, indirect=True)
def test_every_mistake_is_recognised_by_its_name_in_this_convention(varied):
    assert len({wrong.name for wrong in varied.wrong}) == len(varied.wrong)
    for wrong in varied.wrong:
        if wrong.family in {"loops", "slow"}:
            continue
        report = report_on(varied, varied.source_of(wrong))
        assert not report.right, wrong.name
        if not wrong.silent:
            found = recognise(report)
            assert found is not None, wrong.name
            assert found.name == wrong.name


@pytest.mark.parametrize("varied", EACH, indirect=True)
def test_no_mistake_is_known_by_an_error_that_the_turning_over_makes(varied):
    """An answer that raises everywhere for another reason would be given its name."""
    for wrong in varied.wrong:
        errors = {f.outcome.error for f in report_on(varied, varied.source_of(wrong)).findings}
        assert wrong.silent or errors & {"", "ForbiddenError", "WrongReturnError"}


@pytest.mark.parametrize("name", NAMES)
def test_a_variants_solution_says_what_its_stub_says_and_nothing_else(name):
    asked = exercise_named(name)
    says = [
        ast.get_docstring(one)
        for one in ast.parse(asked.solution).body
        if getattr(one, "name", "") == asked.target
    ]
    stub = next(x for x in ast.parse(asked.stub).body if getattr(x, "name", "") == asked.target)
    assert says == [None] * (len(says) - 1) + [ast.get_docstring(stub)]
    assert asked.solution.count('"""') == 2


def earned(name, asked):
    """Return the most points that a public solution to another form of it earns."""
    asked = without_large(asked)
    own = EXERCISES[name.split(":")[0]]
    others = [own.varied(form) for form in ("", *own.forms) if form != asked.variant]
    return max(report_on(asked, other.solution).points for other in others)


@pytest.mark.parametrize("name", ALONE)
def test_a_public_solution_earns_above_a_third_only_of_what_is_not_dealt(name):
    slug, form = name.split(":")
    asked = exercise_named(name)
    too_much = 3 * earned(name, asked) > sum(asked.points.values())
    assert too_much == (form not in EXERCISES[slug].dealt)


# Conventions of which one must be laid on the other, in words of their own: the course's answer
# turned into one in both.
ORDERED = {
    "attention-backward:unscaled+values-first": """
lambda q, k, v, g: turned(*base(q * np.sqrt(q.shape[-1]), k, v, g))


def turned(dq, dk, dv):
    return dv, dq * np.sqrt(dq.shape[-1]), dk
""",
    "encode-padded:time-first+fixed-first": """
lambda x, *rest: turned(*base(np.moveaxis(x, 1, 0), *rest))


def turned(states, last):
    return last, np.moveaxis(states, 0, 1)
""",
    "even-looks:padding+words-last": """
lambda weights, padding: base(weights.swapaxes(1, 2), weights.shape[2] - padding)""",
    "local-p:columns+weights-first": """
lambda scores, *rest: [np.transpose(x) for x in base(scores.T, *rest)][::-1]""",
    "online-softmax:base-two+logarithms-first": """
lambda q, blocks: (base(q, blocks)[1] * np.log2(np.e), base(q, blocks)[0])""",
    "rotary-positions:clockwise+halves": """
lambda q, k, v, offset=0: apart(*base(woven(q), woven(k), v, offset))


def woven(x):  # a and b changed places, and so do the signs
    return np.stack(np.split(x, 2, axis=-1)[::-1], axis=-1).reshape(x.shape)


def apart(k, scores, context):
    return np.concatenate([k[..., 1::2], k[..., 0::2]], axis=-1), scores, context
""",
    "self-attention:columns+weights-first": """
lambda X, *W: turned(*base(X.swapaxes(-1, -2), *(w.T for w in W)))


def turned(contexts, weights):
    return weights, contexts.swapaxes(-1, -2)
""",
    "sinusoidal-positions:cosine-first+halves": """
lambda n, d, offset=0: np.hstack([base(n, d, offset)[:, i::2] for i in (1, 0)])""",
    "split-kv:base-two+logarithm-first": """
lambda contexts, logs: two(*base(contexts, logs / np.log2(np.e)))


def two(context, log_sum):
    return log_sum * np.log2(np.e), context
""",
}


def bare(variant):
    nothing = dict.fromkeys(("contract", "statement", "stub", "hints"), ())
    return replace(variant, **nothing, probes={}, mistakes={})


@pytest.mark.parametrize("name", [name for name in NAMES if "+" in name])
def test_conventions_that_are_laid_together_do_what_each_of_them_says(name):
    """Most do not mind the order; of the others somebody has written down what comes."""
    slug, form = name.split(":")
    own, asked = EXERCISES[slug], exercise_named(name)
    known = {variant.name: bare(variant) for variant in own.variants}
    turned = _vary(own, [known[one] for one in form.split("+")[::-1]]).solution
    assert report_on(asked, turned).right != (name in ORDERED)
    if name in ORDERED:
        said = f"{own.solution}\nbase = {own.target}\n{own.target} = {ORDERED[name].strip()}\n"
        assert report_on(asked, said).right


REPAIRS = [name for name in NAMES if name.startswith("repair-")]


@pytest.mark.parametrize("name", REPAIRS)
def test_a_variant_to_be_repaired_is_broken_as_the_course_own_is(name):
    varied = exercise_named(name)
    stub = "\n".join([*varied.imports, varied.stub])
    assert recognise(report_on(varied, stub)).name.startswith("nothing is ")


def test_only_declared_conventions_are_laid_together():
    with pytest.raises(ValueError, match=r"got 'weights-first\+blocked'"):
        EXERCISES["additive-attention"].varied("weights-first+blocked")


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
