"""The script that measures captioners and askers, against cases worked by hand."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
import small_scenes as script
import torch

from attention_course.data.world.pictured import QUESTIONS, cells_of, draw_pictured
from attention_course.models.experiments.two_garments import (
    about_of,
    asked_of_pictures,
    told_tensors,
)

SEEN = draw_pictured(np.random.RandomState(0), 12, "test")
CELLS = torch.from_numpy(cells_of(SEEN.pictures)).double()
CELLS = CELLS / CELLS.sum(-1, keepdim=True)


def covered(pictures):
    """Say of each half whether it is not as it was."""
    gap = (pictures - torch.from_numpy(SEEN.pictures[: len(pictures)])).abs()
    return torch.stack([gap[..., :28].amax((1, 2, 3)), gap[..., 28:].amax((1, 2, 3))], 1) > 0


class Captioner:
    """Writes true captions; of a garment that is covered, words that are no words."""

    def __init__(self, needs=True, wrong=()):
        self.needs, self.wrong = needs, wrong

    def __call__(self, pictures, captions=None):
        _, written = told_tensors(SEEN)
        about = torch.from_numpy(about_of(SEEN))
        written = written[: len(pictures)].clone()
        for row, word in self.wrong:
            written[row] = torch.where(about[row] == 0, word, written[row])
        hidden = covered(pictures).gather(1, about[: len(pictures)].clamp(min=0))
        hidden &= (about[: len(pictures)] >= 0) & self.needs
        logs = torch.nn.functional.one_hot(written.masked_fill(hidden, 0), 25).double()
        looks = CELLS.gather(1, about.clamp(min=0)[:, :, None].expand(-1, -1, 98))
        return SimpleNamespace(logs=logs, weights=looks[: len(pictures)])


class Asker:
    """Answers rightly unless what it needs is covered; looks at one, then at the other."""

    def __init__(self, needs):
        self.needs = needs

    def __call__(self, pictures, questions):
        answers = torch.from_numpy(SEEN.answers)
        side = torch.from_numpy(SEEN.asked)
        side = side if self.needs == "own" else 1 - side
        hidden = covered(pictures).gather(1, side[:, None])[:, 0]
        answers = torch.where(hidden, (answers + 1) % 7, answers)
        at = torch.from_numpy(SEEN.asked)[:, None, None].expand(-1, 1, 98)
        looks = torch.cat([CELLS.gather(1, at), CELLS.gather(1, 1 - at)], 1)
        logits = torch.nn.functional.one_hot(answers, 7).double()
        return SimpleNamespace(logits=logits, weights=looks)


def test_the_last_two_words_of_a_garment_are_its_kind_and_colour():
    about = np.array([[-1, 0, 0, -1, 0, -1, 1, -1, 1, -1]])
    assert script.sorts_of(about)[0].tolist() == [
        *("other", "size", "kind", "other", "colour"),
        *("other", "kind", "other", "colour", "other"),
    ]


def test_who_writes_the_truth_and_looks_at_it_is_right_in_everything():
    found = script.judge_captions(Captioner(), "soft", SEEN, 12)
    assert found["true"] == [1, 12]
    assert {right for right, _ in found["words"].values()} == {1}
    assert found["words"]["kind"][1] == 24
    assert found["looks"] == {"own": 1, "other": 0}


def test_a_false_caption_is_counted_once_and_its_words_by_their_sort():
    # *The coat coat is coat* is no sentence; its kind alone is right.
    (kind,) = script.words_of_scenes("english").encode([SEEN.garments[0][0].kind])
    found = script.judge_captions(Captioner(wrong=[(0, kind)]), "soft", SEEN, 12)
    assert found["true"] == [round(11 / 12, 4), 12]
    assert found["words"]["kind"][0] == 1
    assert found["words"]["colour"] == [round(23 / 24, 4), 24]


@pytest.mark.parametrize(("needs", "lost"), [(True, 1), (False, 0)])
def test_a_cut_costs_the_words_of_the_garment_that_is_covered_and_no_other(needs, lost):
    found = script.judge_captions(Captioner(needs), "soft", SEEN, 1)["lost_by_cut"]
    for blade in script.BLADES:
        assert [share for share, _ in found[blade].values()] == [lost, 0]
        assert found[blade]["own"][1] == found[blade]["other"][1] == (about_of(SEEN) >= 0).sum()


@pytest.mark.parametrize("needs", ["own", "other"])
def test_answers_are_counted_by_kind_and_a_cut_by_what_it_covers(needs):
    found = script.judge_questions(Asker(needs), SEEN)
    assert [right for right, count in found["right"].values() if count] == [1] * len(
        {*SEEN.kinds}
    )
    assert sum(count for _, count in found["right"].values()) == 12
    assert list(found["right"]) == [*QUESTIONS]
    assert found["looks"] == {
        "look 1": {"own": 1, "other": 0}, "look 2": {"own": 0, "other": 1}
    }  # fmt: skip
    for blade in script.BLADES:
        lost = {name: share for name, (share, _) in found["lost_by_cut"][blade].items()}
        assert lost == {"own": float(needs == "own"), "other": float(needs == "other")}


def test_an_answer_counts_as_right_only_if_it_is_the_answer():
    seen = SEEN._replace(answers=(SEEN.answers + 1) % 7)
    found = script.judge_questions(Asker("own"), seen)
    assert {right for right, _ in found["right"].values()} == {0}
    assert asked_of_pictures(seen)[2].tolist() == seen.answers.tolist()


def test_the_same_command_goes_on_where_runs_are_missing(tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(script, "DATA", tmp_path)
    monkeypatch.setattr(
        script, "run", lambda task, way, seed, *_: made.append((way, seed)) or {"way": way}
    )

    def put(file, result, task, name, **described):
        path = tmp_path / f"recorded/{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(result))

    monkeypatch.setattr(script, "store", put)
    for only in (["--only", "two_looks-1"], ["--minutes", "0"], []):
        monkeypatch.setattr("sys.argv", ["small_scenes", "questions", *only])
        script.main()
    every = [(way, seed) for seed in script.SEEDS for way in script.WAYS["questions"]]
    assert made[0] == ("two looks", 1)
    assert sorted(made) == sorted(every)


@pytest.mark.parametrize("task", script.WAYS)
def test_the_models_are_small_and_have_equally_many_weights(task):
    models = (
        script.new_model(task, way, 0, script.GridEncoder(script.D))
        for way in {*script.KEPT[task], "even"}
    )
    sizes = [sum(p.numel() for p in model.parameters()) for model in models]
    assert len({*sizes}) == 1
    assert max(sizes) < 300_000  # a byte each in the page
