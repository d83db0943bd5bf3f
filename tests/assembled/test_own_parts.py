"""A translator of a reader's parts and the course's: what it writes, and what it says."""

import linecache
import random
import subprocess
import sys
from functools import cache, partial
from itertools import count

import numpy as np
import pytest
import torch

import attention_course as ac
from attention_course.assembled import LINES, SLOTS, PartError, parts
from attention_course.assembled.answers import course_part, part_from
from attention_course.data.packed import unpack_translator
from attention_course.data.tensors import load_checkpoint, tensor_bytes
from attention_course.data.vocabulary import Vocabulary
from attention_course.data.world import vocabulary, write
from attention_course.exercises import exercise_named
from attention_course.models import load_translator
from attention_course.models.translators.luong import LuongSeq2Seq
from attention_course.models.translators.transformer import Transformer

CELLS = count(1)
SENTENCE, FRENCH = "the girl sees the red dress .", "la fille voit la robe rouge ."
MODELS = [
    model for line in LINES.values() for model in line.models if model != "transformer-2-4"
]
# Each slot with an exercise, in the first model of its line; the scores in each of Luong's.
WITH_EXERCISE = [
    (model, name, slot.exercise)
    for line in LINES.values()
    for at, model in enumerate(line.models)
    for name, slot in line.slots.items()
    if slot.exercise and (not at or name == "luong_scores")
]


def in_a_cell(source, name):
    """Return what a cell of a notebook defines under a name; its source can be read."""
    file = f"<cell {next(CELLS)}>"
    linecache.cache[file] = (len(source), None, source.splitlines(True), file)
    space = {"__name__": "__main__", "np": np}
    exec(compile(source, file, "exec"), space)
    return space[name]


def answer(slug):
    exercise = exercise_named(slug)
    return in_a_cell(exercise.solution, exercise.target)


@cache
def sentences(number, longest=14):
    rng, found = random.Random(5), []
    while len(found) < number:
        tree = write(rng)
        pair = tree.sentence("english"), tree.sentence("french")
        if max(map(len, pair)) <= longest:
            found.append(tuple(" ".join(words) for words in pair))
    return found


@cache
def in_torch(name):
    if name == "bahdanau":
        return load_translator("world_attention").double()
    packed, about = load_checkpoint(f"small_world/english-{name}")
    arrays = unpack_translator(tensor_bytes(packed))[0]
    arrays = {key: array for key, array in arrays.items() if not key.startswith("means.")}
    n_x, n_y = (len(arrays[table]) for table in ("E_x.weight", "E_y.weight"))
    width, rng = arrays["E_x.weight"].shape[1], np.random.RandomState(0)
    if name.startswith("luong"):
        sizes = {"width": len(arrays["W_c.weight"]), "layers": 1, "longest": 64}
        model = LuongSeq2Seq(n_x, n_y, rng, width, score=about["score"], **sizes)
    else:
        d_ff = len(arrays["core.encoder.0.feed_forward.W_1.weight"])
        model = Transformer(n_x, n_y, rng, width, 4, d_ff, 1)
    model.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
    return model.double().eval()


def numbers(language, sentence, *before):
    return torch.tensor([[*before, *Vocabulary(vocabulary(language)).encode(sentence.split())]])


def farthest_from_torch(translator, english, french):
    """Return the largest difference of a logit, all at once and a word at a time."""
    source = numbers("english", english)
    with torch.no_grad():
        theirs = (
            in_torch(translator.model)
            .follow(source, torch.tensor([source.shape[1]]), numbers("french", french, 1))[0][0]
            .numpy()
        )
    ours = (translator.logits(english, french, cached=cached) for cached in (False, True))
    return max(np.abs(logits - theirs).max() for logits in ours)


@pytest.mark.parametrize("model", MODELS)
def test_the_courses_parts_equal_the_model_in_torch_and_write_the_same(model):
    translator = ac.assemble(model=model)
    for english, french in sentences(6):
        assert farthest_from_torch(translator, english, french) < 1e-10
        source = numbers("english", english)
        wrote = in_torch(model).generate(source, torch.tensor([source.shape[1]]), 60)[0]
        words = Vocabulary(vocabulary("french")).decode(wrote.tolist())
        assert translator.translate(english) == " ".join(words)


def test_several_blocks_each_with_a_cache_of_its_own_equal_torch():
    model = Transformer(9, 11, np.random.RandomState(1), 12, 2, 20, 3).double().eval()
    arrays = {name: array.detach().numpy() for name, array in model.state_dict().items()}
    p, source, target = parts.weights_from(arrays, 2), [3, 8, 5, 4], [1, 7, 4, 10, 3]
    with torch.no_grad():
        theirs = model.follow(
            torch.tensor([source]), torch.tensor([4]), torch.tensor([target])
        )[0][0].numpy()
    next_logits = parts.writer(p, source)
    assert np.abs(parts.follow(p, source, target) - theirs).max() < 1e-10
    for n in (1, 2, 4, 5, 3):  # two words at once, and a beginning that is shorter again
        assert np.abs(next_logits(target[:n]) - theirs[n - 1]).max() < 1e-10


@pytest.mark.parametrize(("model", "slot", "exercise"), WITH_EXERCISE)
def test_the_answer_of_each_slots_exercise_fits_and_changes_nothing(model, slot, exercise):
    mine = {slot: part_from(slot, exercise_named(exercise).solution)}
    translator = ac.assemble(model=model, **mine)
    assert farthest_from_torch(translator, *sentences(1)[0]) < 1e-10
    assert translator.translate(SENTENCE) == FRENCH
    assert translator.compare(SENTENCE).first is None
    assert slot in repr(translator).split("\n")[1]


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_all_slots_of_ones_own_are_the_same_translator_and_can_be_kept(line, tmp_path):
    mine = {slot: part_from(slot, course_part(slot)) for slot in line.slots}
    translator = ac.assemble(model=next(iter(line.models)), **mine)
    for part in mine.values():
        inside = vars(part).values() if isinstance(part, type) else [part]
        next(one for one in inside if callable(one)).__globals__.update(translator.names)
    assert repr(translator).endswith("the course's: none")
    assert farthest_from_torch(translator, *sentences(1)[0]) < 1e-10
    path = translator.keep(tmp_path)
    run = subprocess.run([sys.executable, path, SENTENCE], capture_output=True, text=True)
    assert run.stdout.strip() == FRENCH, run.stderr


@pytest.mark.parametrize(
    ("slot", "text", "said"),
    [
        ("sofmax", "", "must be among softmax, .*, got 'sofmax'"),
        ("softmax", "x = 1", "softmax: must define softmax or stable_softmax"),
        ("mask", "mask_of_a_batch = 1", "mask: must define mask_of_a_batch or mask$"),
    ],
)
def test_a_text_without_its_part_says_what_must_be_defined(slot, text, said):
    with pytest.raises(ValueError, match=said):
        part_from(slot, text)


def narrow(q, k, v, mask=None):
    context, weights = ac.scaled_dot_product_attention(q, k, v, mask)
    return context[..., :-1], weights


def writes(x, gain, shift):
    x -= x.mean(axis=-1, keepdims=True)
    return x


def never_ends(next_logits, start, end, longest):
    while True:
        next_logits([start])


class Forgets(parts.KeyValueCache):
    @property
    def length(self):
        return 1


UNFIT = {
    "of the wrong shape": (
        "attention", narrow, "encoder block 1 while reading",
        r"float64 of shape \(1, 4, 9, 16\) as result 1, got an array of float64 .*9, 15\)"),
    "of the wrong dtype": (
        "causal_mask", lambda n, m: np.tri(n, m, m - n), "while reading",
        r"expected an array of bool of shape \(1, 9\), got an array of float64"),
    "with NaN": (
        "softmax", lambda x, axis=-1, mask=None: np.log(-np.ones_like(x)), "encoder block 1",
        r"with finite numbers, got NaN"),
    "writes into its arguments": (
        "normalisation", writes, "encoder block 1 while reading",
        "expected the arguments to stay as they are"),
    "writes into the weights": (
        "encoder_block", lambda x, p, mask: p.update(W_q=0), "encoder block 1 while reading",
        "expected the arguments to stay as they are"),
    "raises": (
        "feed_forward", lambda *given: 1 / 0, "encoder block 1 while reading",
        r"line \d+ raised ZeroDivisionError: division by zero"),
    "returns nothing": (
        "decoder_block", lambda *given: None, "decoder block 1 at word 1",
        r"of shape \(1, 1, 64\), got None"),
    "takes other arguments": (
        "encoder_block", lambda x, p: x, "encoder block 1", "x, p, mask.*got TypeError"),
    "never ends": (
        "greedy", never_ends, "while writing", "expected at most 61 calls of next_logits"),
    "returns what is no word": (
        "greedy", lambda *given: [5, 4.5], "while writing", r"numbers below 402, got \[5, 4.5"),
    "has the wrong length": (
        "cache", Forgets, "decoder block 1 at word 1", "length is 1 where 2 positions are"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNFIT)
def test_a_part_that_cannot_be_used_is_named_with_block_and_step(name):
    slot, part, place, said = UNFIT[name]
    with pytest.raises(PartError, match=rf"^{slot} (in )?{place}.*: .*{said}"):
        ac.assemble(**{slot: part}).translate(SENTENCE)
    course = ac.assemble(**{slot: part}, on_error="course")
    with pytest.warns(UserWarning, match=f"^{slot} .*the course's {slot} goes on"):
        assert course.translate(SENTENCE) == FRENCH
    assert course.notes[0].endswith(f"; the course's {slot} goes on")
    assert ac.assemble(**{slot: part}).compare(SENTENCE).error.startswith(slot)


def test_a_recurrent_part_is_named_with_its_word_and_a_fault_departs_where_it_is():
    def forgets(s, y, h, *learned):
        steps.append(1)
        found = step(s, y, h, *learned)
        return (0 * s, *found[1:]) if len(steps) == 3 else found

    step, steps = part_from("bahdanau_step", exercise_named("bahdanau-step").solution), []
    first = ac.assemble(model="bahdanau", bahdanau_step=forgets).compare(SENTENCE).first
    assert (first.slot, first.at) == ("bahdanau_step", "at word 3")
    short = {"lstm": lambda x, h, c, *W: (h[1:], c)}
    with pytest.raises(PartError, match=r"^lstm while reading: .*\(80,\) as result 1.*\(79,"):
        ac.assemble(model="luong-dot", **short).translate(SENTENCE)


def test_beams_of_a_recurrent_model_go_on_each_from_its_own_beginning():
    english, french = sentences(1)[0]
    next_logits = ac.assemble(model="luong")._run("writer", numbers("english", english)[0])
    target = numbers("french", french, 1)[0].tolist()
    alone = [next_logits(target[:n]) for n in range(1, 5)]
    next_logits([*target[:2], target[4]])
    assert np.array_equal(next_logits(target[:4]), alone[3])
    assert not np.array_equal(next_logits([*target[:2], *target[2:4][::-1]]), alone[3])


def test_lists_and_single_precision_are_taken_as_check_takes_them():
    solution = exercise_named("bahdanau-step")
    odd = {one.name: solution.source_of(one) for one in solution.right}
    for name in ("single precision inside", "loops over words and units"):
        part = part_from("bahdanau_step", odd[name])
        assert ac.assemble(model="bahdanau", bahdanau_step=part).translate(SENTENCE) == FRENCH


def test_a_part_in_torch_is_taken_for_its_numbers():
    def softmax(x, axis=-1, mask=None):
        scores = torch.tensor(x, requires_grad=True)
        kept = scores if mask is None else scores.masked_fill(~torch.tensor(mask), -torch.inf)
        return torch.softmax(kept, axis)

    found = ac.assemble(softmax=softmax).compare(SENTENCE)
    assert (found.mine, found.first, found.error) == (FRENCH, None, "")


def test_beams_that_never_end_are_stopped():
    calls = []

    def asks(next_logits, start, end, longest, width):
        while True:
            calls.append(next_logits([start]))

    with pytest.raises(PartError, match=r"^beam while writing: expected at most 122 calls"):
        ac.assemble(beam=asks).translate(SENTENCE, width=2)
    assert len(calls) == 122
    with pytest.raises(ValueError, match="width must be at least 1, got 0"):
        ac.assemble().translate(SENTENCE, width=0)


def test_a_block_that_fails_after_it_has_attended_leaves_the_cache_as_it_was():
    def attends(y, p, attend, memory, mask):
        return attend(2 * y)[..., :-1]

    course = ac.assemble(decoder_block=attends, on_error="course")
    with pytest.warns(UserWarning, match="^decoder_block"):
        assert farthest_from_torch(course, *sentences(1)[0]) < 1e-10
    assert len(course.notes) > 2


def even(q, k, v, mask=None):
    weights = ac.softmax(0 * q @ k.mT, mask=mask)
    return weights @ v, weights


def late(next_logits, start, end, longest):
    return parts.greedy(next_logits, start, end, longest)[::-1]


def shifted(n, d_model, offset=0):
    return parts.sinusoidal_table(n, d_model, offset + (offset > 2))


def test_a_comparison_names_the_first_departure_and_the_first_other_word():
    found = ac.assemble(attention=even).compare(SENTENCE)
    assert found.first[:3] == ("attention", "encoder block 1", "while reading")
    assert "departs first: attention in encoder block 1 while reading, by up to" in repr(found)
    first = next(
        (i, a, b)
        for i, (a, b) in enumerate(zip(found.mine.split(), FRENCH.split(), strict=False), 1)
        if a != b
    )
    assert found.word == first
    assert found.course == FRENCH
    assert f"word {first[0]} differs: {first[1]!r}" in repr(found)
    loop = ac.assemble(greedy=late).compare(SENTENCE).first
    mine = "“(end) . rouge robe la voit fille la” (8 long)"
    assert loop.words == (mine, "“la fille voit la robe rouge . (end)” (8 long)")
    assert str(loop).startswith(f"greedy while writing, which returns {mine}, where the course")
    shift = ac.assemble(positions=shifted).compare(SENTENCE).first
    assert (shift.slot, shift.block, shift.at) == ("positions", "", "at word 4")


def with_parts(**texts):
    """A translator of some texts, which call what is in the slots."""
    spaces = {slot: {} for slot in texts}
    mine = {slot: part_from(slot, text, spaces[slot]) for slot, text in texts.items()}
    translator = ac.assemble(**mine)
    for space in spaces.values():
        space.update(translator.names)
    return translator


def changed(slot, old, new):
    text = course_part(slot)
    assert old in text
    return {slot: text.replace(old, new)}


SEEN = course_part("attention")  # right, and between the fault and where it shows first
HANDED_ON = {
    "a block without its first sum": (
        changed("encoder_block", "layer_norm(x + found", "layer_norm(found"),
        ("encoder_block", "encoder block 1", "while reading", "normalisation")),
    "a block that asks with other vectors, through two right parts": (
        {**changed("encoder_block", "attention, x, x", "attention, 2 * x, 2 * x"),
         "attention": SEEN, "multi_head": course_part("multi_head")},
        ("encoder_block", "encoder block 1", "while reading", "multi_head")),
    "a block of the decoder that asks its cache with other vectors": (
        changed("decoder_block", "attend(y)", "attend(2 * y)"),
        ("decoder_block", "decoder block 1", "at word 1", "cache")),
    "a part in between that scales": (
        {**changed("multi_head", "x_q @ W_q", "2 * x_q @ W_q"), "attention": SEEN},
        ("multi_head", "encoder block 1", "while reading", "attention")),
    "a part that is wrong itself, called otherwise than the course's": (
        {**changed("attention", "q * factor @ k.swapaxes(-1, -2), mask=mask",
                   "np.where(mask, q * factor @ k.swapaxes(-1, -2), -1e9)"),
         **changed("softmax", "return exps", "return 2 * exps")},
        ("softmax", "encoder block 1", "while reading", "")),
}  # fmt: skip


@pytest.mark.parametrize("name", HANDED_ON)
def test_where_inputs_depart_already_the_part_that_made_them_is_named(name):
    texts, (slot, block, at, called) = HANDED_ON[name]
    first = with_parts(**texts).compare(SENTENCE).first
    assert (first.slot, first.block, first.at, first.called) == (slot, block, at, called)
    said = f"{slot} in {block} {at}"
    assert str(first).startswith(
        f"{said}, which gives {called} other inputs" if called else f"{said}, by up to"
    )


def test_a_part_that_no_other_calls_is_named_with_those_that_hold_their_own():
    heads = exercise_named("attend-in-heads").solution
    mine = {"multi_head": heads, "cross_attention": heads}
    found = with_parts(**mine, softmax=course_part("softmax")).compare(SENTENCE)
    assert (found.error, found.unused) == ("", {})  # the cache calls it
    mine |= {"softmax": "def softmax(x, axis=-1, mask=None): return 42"}
    mine |= {"cache": exercise_named("kv-cache").solution}
    found = with_parts(**mine).compare(SENTENCE)
    assert found.first is None
    assert found.unused == {"softmax": ("multi_head", "cache", "cross_attention")}
    said = "softmax: your multi_head, cache and cross_attention hold their own or do without"
    assert f"not called:  {said}" in repr(found)


HELPED = """
import numpy as np
from math import sqrt

SHARE, LONGEST = 1.0, 3


def softmax(scores, share=SHARE):
    \"\"\"Another softmax than the slot's.\"\"\"
    exps = (share + LONGEST - 3) * np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True)


def attend(q, k, v, mask=None):
    scores = q @ np.swapaxes(k, -1, -2) / sqrt(q.shape[-1])  # my own
    weights = softmax(np.where(mask, scores, -1e30))
    return weights @ v, weights
"""
ALONE = "import sys; sys.modules['attention_course'] = sys.modules['torch'] = None; "


@pytest.mark.parametrize("helped", [False, True])
def test_the_file_that_is_kept_runs_with_numpy_alone(tmp_path, helped):
    mine = {
        "softmax": answer("stable-softmax"),
        "cache": answer("kv-cache"),
        "multi_head": answer("multi-head-attention"),
    }
    if helped:
        mine = {"attention": in_a_cell(HELPED, "attend")}
    path = ac.assemble(**mine).keep(tmp_path / "mine")
    text = path.read_text(encoding="utf-8")
    assert ("# my own" in text) == helped
    assert ("multi_head: the reader's needs torch" in text) != helped
    code = f"{ALONE}sys.path.insert(0, {str(path.parent)!r}); import translator as t; "
    code += f"print(t.translate({SENTENCE!r})); print(t.translate({SENTENCE!r}, width=3))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.split("\n")[:2] == [FRENCH, FRENCH], run.stderr


@pytest.mark.parametrize(
    ("part", "said"),
    [
        (lambda x, axis=-1, mask=None: x, "written with def or class"),
        (partial(ac.softmax), "written with def or class"),
        (in_a_cell("import torch\ndef f(x): return torch.softmax(x, -1)", "f"), "got torch"),
    ],
)
def test_what_cannot_be_kept_says_why(part, said):
    with pytest.raises(ValueError, match=f"^source: softmax .*{said}"):
        ac.assemble(softmax=part).source()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sofmax": np.exp}, "must be among softmax, .*, got sofmax"),
        ({"softmax": 3}, r"softmax must be a function, called with \(x, axis=-1, .*got int"),
        ({"on_error": "go"}, "'go'"),
        ({"model": "transformer-9-9"}, "model must be among .*, bahdanau,.*'transformer-9-9'"),
        ({"model": "luong", "mask": np.exp}, "must be among softmax, luong_scores,.* got mask"),
    ],
)
def test_what_cannot_be_assembled_says_what_was_expected(given, said):
    with pytest.raises(ValueError, match=said):
        ac.assemble(**given)


def test_a_word_that_the_small_world_lacks_is_named():
    with pytest.raises(ValueError, match="no english word 'telephone'"):
        ac.assemble().translate("the telephone sings .")


def test_words_that_are_no_sentence_are_translated_with_a_warning():
    with pytest.warns(UserWarning, match="^translate: The small world's grammar has no such"):
        assert ac.assemble().translate("dress red the the") == "la robe rouge ."
    found = ac.assemble().compare("dress red the the")
    assert "note:        The small world's grammar has no such sentence" in repr(found)
