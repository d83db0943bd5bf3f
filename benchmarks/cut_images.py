"""What each head of the Vision Transformer is worth by three blades, over the test pictures.

    python benchmarks/cut_images.py           # 1,000 pictures: a minute
    python benchmarks/cut_images.py --quick   # 20 pictures, nothing recorded

One head at a time, in the model of seed 0: the share of pictures that are named rightly, with
nothing in its place (zero); with its mean over all training pictures, for each token; or with
what it gives for the test picture that comes next, which is of another class. The mean picture
and the means of the heads are stored beside the weights, for the page.
"""

import numpy as np
import torch
from shared import DATA, command_line, store
from torch import Tensor

from attention_course.data.images import load_images
from attention_course.data.tensors import write_tensors
from attention_course.models.cuts import cut_parts, part_names, part_outputs
from attention_course.models.experiments.vision_transformer import (
    VisionTransformer,
    load_vision_transformer,
)

BATCH = 250


def heads_of(model: VisionTransformer) -> list[str]:
    """Return the names of the heads."""
    return [name for name in part_names(model) if name.startswith("head")]


def outputs(model: VisionTransformer, pixels: Tensor) -> dict[str, Tensor]:
    """Return what each head gives: pictures, tokens, width."""
    found = [part_outputs(model, some) for some in pixels.split(BATCH)]
    return {name: torch.cat([one[name] for one in found]) for name in heads_of(model)}


@torch.no_grad()
def right(
    model: VisionTransformer, pixels: Tensor, labels: Tensor, head: str, put: Tensor | None
) -> float:
    """Return the share that is named rightly; ``put`` has what is there, by picture."""
    hits = 0
    for some in torch.arange(len(pixels)).split(BATCH):
        instead = None if put is None else {head: put[some]}
        with cut_parts(model, [head] if head else [], instead):
            hits += int((model(pixels[some])[0].argmax(1) == labels[some]).sum())
    return round(hits / len(pixels), 4)


def store_means(means: dict[str, Tensor], picture: Tensor) -> None:
    """Store what the page puts in place of patches and heads."""
    layers = [
        torch.cat([x for name, x in means.items() if name.startswith(f"head-{layer}-")], -1)
        for layer in (1, 2)
    ]
    arrays = {"means.context": torch.cat(layers), "means.picture": picture.reshape(1, -1)}
    write_tensors(
        DATA / "checkpoints/vision_transformer_means.safetensors",
        {key: x.numpy().astype(np.float16) for key, x in arrays.items()},
        script="benchmarks/cut_images.py",
    )


def main() -> None:
    """Print and record what each head is worth, and store the means."""
    quick = command_line(__doc__, quick="20 pictures").parse_args().quick
    size = 20 if quick else None
    model, _ = load_vision_transformer()
    trained = torch.from_numpy(load_images("train", size).pixels)
    pixels, labels = map(torch.from_numpy, load_images("test", size))
    means = {name: x.mean(0) for name, x in outputs(model, trained).items()}
    given = outputs(model, pixels)
    result: dict[str, object] = {"none": right(model, pixels, labels, "", None)}
    print("none", result["none"])
    for head in heads_of(model):
        ways = {
            "zero": None,
            "mean": means[head].expand(len(pixels), -1, -1),
            "other": given[head].roll(-1, 0),  # the classes take turns
        }
        row = {blade: right(model, pixels, labels, head, put) for blade, put in ways.items()}
        print(head, row, flush=True)
        result[head] = row
    if not quick:
        store_means(means, trained.mean(0))
        store(__file__, result, pictures=len(pixels))


if __name__ == "__main__":
    main()
