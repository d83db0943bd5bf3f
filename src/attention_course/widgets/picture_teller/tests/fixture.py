"""What a trained torch captioner writes of pictures that are laid out by hand, in each way."""

import base64
from typing import Any

import numpy as np
import torch
from fixtures.as_json import as_json

from attention_course.data.packed import CAPTIONERS, pack_captioner
from attention_course.data.vocabulary import END
from attention_course.data.world.pictured import Garment, cells_of, picture_of
from attention_course.models.experiments.two_garments import load_scene_model, words_of_scenes

PICTURES = (
    ("big red coat", "small blue bag", 1),
    ("small white sandal", "big green trousers", 2),
    ("big blue dress", "small blue dress", 4),
)
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
    return {"file": base64.b64encode(pack_captioner("soft")).decode(), "rows": rows}


FIXTURES = {"captions": captions}
