"""The workbench of a page: what it says of a reader's parts, as the page hears it."""

import json
import re
import subprocess
import sys

import nbformat
import pytest
from rules.notebooks import ROOT

from attention_course.assembled import LINES, assemble, workbench
from attention_course.assembled.answers import course_part
from attention_course.assembled.workbench import about, run_bench
from attention_course.exercises import exercise_named

MODELS = {slot: [*x.models][-1] for x in LINES.values() for slot in x.slots}
SENTENCE, FRENCH = "The girl sees the red dress.", "la fille voit la robe rouge ."
WRONG = "the girl leaves the ball ."  # which the model takes for a toy


def heard(slots, sentence=SENTENCE, **more):
    """What the page hears, with the kept file read as Python."""
    said = []
    assert run_bench(json.dumps({"sentence": sentence, "slots": slots, **more}), said.append)
    found = json.loads("".join(said))
    compile(found.get("file", ""), "translator.py", "exec")
    return found


def softmax(body):
    return {"softmax": {"text": f"def stable_softmax(x, axis=-1, mask=None):\n    {body}\n"}}


# What answers to other exercises do themselves.
HELD = {
    "transformer-1-4": [
        *("softmax", "attention", "causal_mask", "padding_mask"),
        *("multi_head", "cross_attention", "normalisation", "feed_forward"),
    ],
    "bahdanau": ["softmax", "additive_attention", "gated_unit"],
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_right_parts_in_all_slots_depart_nowhere_and_are_all_ones_own(line):
    texts = {slot: {"text": course_part(slot)} for slot in line.slots}
    for slot, place in line.slots.items():
        if place.exercise:
            texts[slot] = {"text": exercise_named(place.exercise).solution}
    found = heard(texts, model=next(iter(line.models)))
    assert " ".join(found["mine"]) == " ".join(found["course"]) == FRENCH
    assert (found["first"], found["errors"]) == ("", {})
    assert found["yours"] == found["ran"]
    assert [*found["unused"]] == HELD.get(next(iter(line.models)), [])
    assert [*line.slots] == [
        one for one in line.slots if one in (*found["unused"], *found["ran"])
    ]
    which = f"All {len(found['ran'])} parts that ran" if found["unused"] else "All slots"
    assert found["whole"].startswith(f"{which} are yours: this is your ")
    over = " ".join(re.findall(r" takes? over ([^.]*)\.", found["verdict"]))
    assert {*found["unused"]} == {*re.findall(r"\w+", over)} - {"and"}  # said on top


def test_a_named_mistake_is_put_in_and_where_it_departs_is_said():
    found = heard({"attention": {"mistake": "nothing divides the scores"}})
    assert found["first"].startswith("attention in encoder block 1 while reading, by up to")
    assert " ".join(found["mine"]) == FRENCH


def test_a_beam_is_tried_with_three_beams():
    text = course_part("beam")
    assert (heard({"beam": {"text": text}})["first"], heard({})["first"]) == ("", "")
    wrong = text.replace("key=lambda row: -row[0]", "key=lambda row: row[0]")
    found = heard({"beam": {"text": wrong}})
    assert re.match(
        r"beam while writing, which returns “.*” \(.*\), where .* “.*” \(.*\)$", found["first"]
    )
    assert found["by"] == "beam"
    ends = {"beam": {"text": "def beam(*given): return [2]"}}
    texts = {slot: {"text": course_part(slot)} for slot in LINES["Transformer"].slots}
    assert (
        "yours" not in heard(texts | ends)["whole"]
    )  # with all slots, where words are missing
    late = "def greedy(*given): return [3]"
    assert heard(ends | {"greedy": {"text": late}})["first"].startswith("greedy while writing")


def test_a_block_calls_the_parts_that_are_in_the_other_slots():
    wrong = {"feed_forward": {"mistake": "there is no ReLU"}}
    block = {"encoder_block": {"text": course_part("encoder_block")}}
    assert heard(wrong | block)["first"] == heard(wrong)["first"]
    assert heard(wrong)["first"].startswith("feed_forward in encoder block 1")
    for old, new in {
        "": "",
        "multi_head_attention": "multi_head",
        "layer_norm": "normalisation",
        "attention": "attend_in_heads",
    }.items():  # the names of the page, of the slots and of the exercises
        text = course_part("encoder_block").replace(f"course_{old}", new)
        found = heard(wrong | {"encoder_block": {"text": text.replace("course_", "")}})
        assert (found["first"], found["errors"]) == (heard(wrong)["first"], {})


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return x[9]", r"softmax in encoder block 1 while reading: line 2 raised IndexError:"),
        ("return x[..., :1]", r"softmax in encoder block 1 while reading: expected an array"),
        ("return x +", r"softmax: line 2 raised SyntaxError"),
        ("while True: pass", r"softmax in encoder block 1 while reading: it still ran after"),
    ],
)
def test_a_part_that_fails_is_named_and_the_courses_goes_on(body, said, monkeypatch):
    monkeypatch.setattr(workbench, "LIMIT_S", 5.0)
    found = heard(softmax(body) | {"cache": {"text": course_part("cache")}})
    assert [*found["errors"]] == ["softmax"]
    assert re.match(said, found["errors"]["softmax"])
    assert " ".join(found["mine"]) == FRENCH
    assert found["ran"] == ["cache"]
    assert "class KeyValueCache" in found["file"]
    assert "def stable_softmax" not in found["file"]
    assert not re.search("same words|No result", found["verdict"])
    assert found["whole"] == "In the file the course’s part stands in for softmax."


@pytest.mark.parametrize(
    ("sentence", "note"),
    [
        ("the cat runs. the dog runs.", "leave out what follows “the cat runs .”. The same"),
        (
            "the man",
            "The small world's grammar has no such sentence, so the words are a guess.",
        ),
        (WRONG, "The course's own line is wrong here: “.*” is right. The same words."),
        (SENTENCE, "The same words."),
    ],
)
def test_of_what_stands_there_the_verdict_says_whether_it_can_be_right(sentence, note):
    assert re.match(f"(One sentence at a time: )?{note}", heard({}, sentence)["verdict"])


def test_a_loop_that_does_not_end_is_cut_off_and_shown_in_a_few_words():
    greedy = course_part("greedy").replace("[start, *written]", "[start]")
    found = heard({"greedy": {"text": greedy}})
    assert found["verdict"].startswith("Your line was cut off after 60 words.")
    assert re.search(r"“(la ){10,14}…” \(60 long\), where", found["first"])
    assert "The course's line" not in found["verdict"]


def test_a_part_that_is_slow_is_not_called_endless(monkeypatch):
    monkeypatch.setattr(workbench, "LIMIT_S", 5.0)
    late = "calls = []\n" + course_part("positions").replace(
        "    return", "    while len(calls) > 2: pass\n    calls.append(n)\n    return"
    )
    found = heard({"positions": {"text": late}})
    assert re.match(
        r"positions at word 3: it still ran after 5 seconds \(calls before: 3\). It is slow",
        found["errors"]["positions"],
    )
    assert found["errors"]["positions"].endswith(" may do: “The cat runs”")
    assert found["slow"] == ["positions"]


@pytest.mark.parametrize(
    ("slot", "page", "name"),
    [
        ("attention", "practice/your-own-transformer", "attention"),
        ("positions", "transformer/positions", "sinusoidal_positions"),
    ],
)
def test_a_part_may_have_the_name_that_a_page_gives_it(slot, page, name):
    cells = nbformat.read(ROOT / f"book/{page}.ipynb", 4).cells
    shown = [out.get("data", {}) for one in cells for out in one.get("outputs", ())]
    texts = [*(one.source for one in cells), *(out.get("text/plain", "") for out in shown)]
    text = next(text for text in texts if f"\ndef {name}(" in f"\n{text}")
    found = heard({slot: {"text": text}})
    assert (found["errors"], found["first"], found["ran"]) == ({}, "", [slot])


@pytest.mark.parametrize("name", ["course_softmax", "softmax"])
def test_in_its_own_slot_a_parts_name_is_the_courses_part(name, tmp_path):
    text = f"def stable_softmax(x, axis=-1, mask=None):\n    return {name}(x, axis, mask)\n"
    found = heard({"softmax": {"text": text}})
    assert (found["errors"], found["first"], found["ran"]) == ({}, "", ["softmax"])
    path = assemble().keep(tmp_path)
    path.write_text(found["file"], encoding="utf-8")
    done = subprocess.run([sys.executable, path, SENTENCE], capture_output=True, text=True)
    assert done.stdout.strip() == FRENCH, done.stderr


CACHED = "from functools import lru_cache\n\n@lru_cache\n" + course_part("positions")
CALLED = """class Masks:
    def __call__(self, lengths, n_q, n_k):
        return course_padding_mask(lengths, n_k)[:, None, None] & course_causal_mask(n_q, n_k)

mask_of_a_batch = Masks()
"""
BOUND = "from functools import partial\n" + course_part("mask").replace(
    "def mask_of_a_", "def "
)
BOUND += "\nmask_of_a_batch = partial(batch)\n"


@pytest.mark.parametrize(
    ("slot", "text", "kept"),
    [
        ("positions", CACHED, True),
        ("mask", CALLED, False),
        ("mask", BOUND, False),
    ],
)
def test_a_part_may_be_all_that_can_be_called(slot, text, kept):
    found = heard({slot: {"text": text}})
    assert (found["ran"], found["errors"], found["first"]) == ([slot], {}, "")
    assert ("file" in found, "unkept" in found) == (kept, not kept)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": "stable_softmax = np.tanh"}, "softmax in encoder block 1 .*got TypeError"),
        ({"text": "class stable_softmax: pass"}, "softmax in encoder block 1 .*got TypeError"),
        (
            softmax("raise SystemExit(3)")["softmax"],
            "softmax in encoder block 1 while reading: line 2 raised SystemExit: 3",
        ),
        ({"text": "raise SystemExit(3)"}, "softmax: line 1 raised SystemExit: 3"),
        ({"mistake": "of last year"}, "softmax: mistake must be among .*, got of last year"),
    ],
)
def test_what_would_end_the_run_is_named_and_the_courses_goes_on(given, said):
    found = heard({"softmax": given, "mask": {"text": course_part("mask")}})
    assert [*found["errors"]] == ["softmax"]
    assert re.match(said, found["errors"]["softmax"])
    assert (" ".join(found["mine"]), found["ran"]) == (FRENCH, ["mask"])


def test_what_a_part_prints_is_heard_and_an_unknown_word_is_named():
    body = "print('seen'); e = np.exp(x if mask is None else np.where(mask, x, -9e9))"
    text = softmax(f"{body}; return e / e.sum(axis, keepdims=True)")
    assert heard(text)["printed"].startswith("seen\n")
    assert "no English word 'telephone'" in heard({}, "the telephone rings")["sentence"]


def test_the_kept_file_has_the_texts_and_two_parts_of_one_name(tmp_path):
    heads = exercise_named("attend-in-heads").solution
    look = "def attention(q, k, v, mask=None):\n    scores = q @ k.swapaxes(-1, -2)\n"
    look += "    weights = softmax(scores / q.shape[-1] ** 0.5, mask=mask)\n"
    look += "    return weights @ v, weights\n\n\n"
    look += "def scaled_dot_product_attention(*given):\n    return attention(*given)\n"
    block = course_part("encoder_block").replace("course_", "")
    texts = {
        "multi_head": f"# mine\n{heads}# and its end\n".replace("return np", "return 1 * np"),
        "cross_attention": heads,
        "attention": look,
        "softmax": "def softmax(x, axis=-1, mask=None):\n    return course(x, mask)\n\n\n"
        + course_part("softmax").replace("softmax(x, axis=-1, mask=None)", "course(x, mask)")
        .replace("axis=axis", "axis=-1"),
        "encoder_block": block,
    }  # fmt: skip
    found = heard({slot: {"text": text} for slot, text in texts.items()})
    assert (found["errors"], found["first"]) == ({}, "")
    assert json.loads(re.search("^# slots: (.*)$", found["file"], re.M)[1]) == texts
    path = assemble().keep(tmp_path)
    path.write_text(found["file"], encoding="utf-8")
    assert ".mT" not in found["file"]  # NumPy has it from 2 on

    def run(*sentence):
        done = subprocess.run([sys.executable, path, *sentence], capture_output=True, text=True)
        return (done.stdout + done.stderr).strip()

    for sentence in (SENTENCE, "the girl sees the red dress ."):
        assert run(sentence) == FRENCH
    assert run() == 'How to call it:  python translator.py "The girl sings."'
    said = run("The telefone sees a girl.")
    assert re.match(
        r"Not translated: no word 'telefone'. The nearest are: \w+, \w+, \w+\.$", said
    )
    for sentence in ("The neighbors don’t run to the bank", "Isn't it Red", "It's a girl!"):
        assert run(sentence) == assemble()._written(sentence, 1)


def test_what_cannot_be_kept_says_why():
    text = "from attention_course import softmax as stable_softmax\n"
    assert "source: softmax" in heard({"softmax": {"text": text}})["unkept"]


def test_the_page_knows_every_slot_its_exercise_its_mistakes_and_its_code():
    slots, models, words = about()["acSlots"].values()
    assert {"girl", "t-shirt"} <= {*words.split()}
    for model in models.values():
        assert model["slots"] == [*LINES[model["line"]].slots]
        assert {*model["slots"]} <= {*slots}
    for one in slots.values():
        assert bool(one["exercise"]) == bool(one["title"]) == bool(one["mistakes"])
        compile(one["course"], "part", "exec")
    for slot, one in slots.items():
        [error] = heard({slot: {"text": one["stub"]}}, model=MODELS[slot])["errors"].values()
        assert re.search("raised NotImplementedError|, got None$", error)
        assert one["stub"].count("\n    - ") >= 2  # the contract
