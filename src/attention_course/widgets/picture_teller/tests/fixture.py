"""What trained torch models write and answer of pictures that are laid out by hand."""

import base64
from typing import Any

import numpy as np
import torch
from fixtures.as_json import as_json

from attention_course.data.packed import CAPTIONERS, pack_pictured
from attention_course.data.vocabulary import END
from attention_course.data.world.pictured import Garment, cells_of, picture_of
from attention_course.models.experiments.two_garments import (
    ASKED,
    load_scene_model,
    words_of_scenes,
)

PICTURES = (
    ("big red coat", "small blue bag", 1),
    ("small white sandal", "big green trousers", 2),
    ("big blue dress", "small blue dress", 4),
)
QUESTIONS = (
    ("big red coat", "small blue coat", 1, "is the small coat red ?"),
    ("big red coat", "small blue coat", 2, "is the blue coat big ?"),
    ("small green dress", "big white trousers", 3, "are the trousers white ?"),
)
TURNED_LOOKS: tuple[dict[int, int], ...] = ({}, {0: 46}, {1: 97}, {0: 53, 1: 46})
TURNS: tuple[dict[int, int], ...] = ({}, {4: 46}, {1: 97, 10: 52})


def _garment(text: str) -> Garment:
    size, colour, kind = text.split()
    return Garment(kind, colour, size)


def _turned_to(cell: int, owners: np.ndarray) -> torch.Tensor:
    there = torch.zeros(1, len(owners)).double()
    there[0, owners == owners[cell] if owners[cell] >= 0 else cell] = 1.0
    return there / there.sum()


@torch.no_grad()
def captions() -> dict[str, Any]:
    """Return a file of the page, and words, weights and probabilities of each picture."""
    rows = []
    model = load_scene_model("captions", "soft")[0].double()
    for way in CAPTIONERS:
        model.way = way
        for left, right, photograph in PICTURES:
            picture = picture_of((_garment(left), _garment(right)), photograph)[None]
            left_one, right_one = cells_of(picture)[0]
            owners = np.select([left_one, right_one], [0, 1], -1)
            for turn in TURNS:
                at = {t: _turned_to(cell, owners) for t, cell in turn.items()}
                done = model(torch.from_numpy(picture), look_at=at)
                numbers = done.logs[0].argmax(-1).tolist()
                length = numbers.index(END) + 1 if END in numbers else len(numbers)
                row: dict[str, Any] = {"way": way, "left": left, "right": right}
                row |= {"photograph": photograph, "owners": owners.tolist()}
                row |= {
                    "turned": [1 + turn.get(t, -1) for t in range(max(turn, default=-1) + 1)]
                }
                row |= {"words": words_of_scenes("english").decode(numbers)}
                row |= {"numbers": numbers[:length]}
                chances = done.logs[0, :length].exp().max(-1).values
                row |= {"chances": as_json(chances.round(decimals=6))}
                row |= {"weights": as_json(done.weights[0, :length:4].round(decimals=6))}
                rows.append(row)
    return {"file": base64.b64encode(pack_pictured("captions_soft")).decode(), "rows": rows}


@torch.no_grad()
def questions() -> dict[str, Any]:
    """Return a file of the page, and answers and looks of each question and turn."""
    rows = []
    model, words = load_scene_model("questions", "two looks")[0], words_of_scenes("english")
    model.double()
    for left, right, photograph, question in QUESTIONS:
        picture = picture_of((_garment(left), _garment(right)), photograph)[None]
        owners = np.select([*cells_of(picture)[0]], [0, 1], -1)
        numbers = [*words.encode(question.split())]
        asked = torch.tensor([[0] * (ASKED - len(numbers)) + numbers])
        for turn in TURNED_LOOKS:
            at = {t: _turned_to(cell, owners) for t, cell in turn.items()}
            done = model(torch.from_numpy(picture), asked, at)
            row: dict[str, Any] = {"left": left, "right": right, "photograph": photograph}
            row |= {"question": question, "turned": [1 + turn.get(t, -1) for t in (0, 1)]}
            row |= {"numbers": numbers}
            row |= {"chances": as_json(done.logits[0].softmax(-1).round(decimals=6))}
            row |= {"looks": as_json(done.weights[0].round(decimals=6))}
            rows.append(row)
    return {
        "file": base64.b64encode(pack_pictured("questions_two_looks")).decode(),
        "rows": rows,
    }


FIXTURES = {"captions": captions, "questions": questions}
