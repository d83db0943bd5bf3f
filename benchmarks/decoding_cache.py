"""What a cache saves: tokens written with and without one, the same tokens, in CPU seconds.

Three ways write the same text from the same random numbers: with keys and values in memory
that is taken once, with new memory joined at every step, and with nothing kept. A round lets
each way write once, in a drawn order, and their times are divided by one another within the
round. All times are recorded, and the medians of the ratios. Time is the processor's, on one
thread.

The shape is that of GPT-2's smallest model (768 wide, 12 heads, 12 blocks, 50,257 symbols, 124
million weights; Radford et al., 2019) with random weights, which change no time. Without a
cache 1,024 tokens would take it half an hour, so there a sixth of it writes: 2 of the 12
blocks and a sixth of the vocabulary, so that the parts keep their proportions.

    python benchmarks/decoding_cache.py whole          # 9 minutes on one core
    python benchmarks/decoding_cache.py sixth          # 6 minutes
    python benchmarks/decoding_cache.py sixth --quick  # a smoke test that records nothing
"""

import time

import numpy as np
import torch
from shared import command_line, store

from attention_course.models.language import LanguageModel, write

WIDTH, HEADS, PROMPT, TEMPERATURE, SEED = 768, 12, 8, 5.0, 0
ALL, KEPT = ("in place", "joined", "nothing"), ("in place", "joined")
SHAPES = {
    "whole": {"blocks": 12, "symbols": 50_257},
    "sixth": {"blocks": 2, "symbols": 8_376},
}
# Length, what is kept, rounds.
RUNS = {
    "whole": [(256, ALL, 2), (1024, KEPT, 3)],
    "sixth": [(256, ALL, 3), (1024, ALL, 1)],
}


def model_of(shape: dict[str, int], longest: int) -> LanguageModel:
    """Return a model of the shape, with random weights and learned positions."""
    rng = np.random.RandomState(SEED)
    sizes = (WIDTH, HEADS, 4 * WIDTH, shape["blocks"], "learned", longest)
    return LanguageModel(shape["symbols"], rng, *sizes).eval()


def compare(shape: dict[str, int], length: int, ways: tuple[str, ...], rounds: int) -> dict:
    """Write texts of a length in all ways, several times."""
    model, rng = model_of(shape, length), np.random.RandomState(SEED)
    prompt = rng.randint(0, shape["symbols"], PROMPT).tolist()
    write(model, prompt, 8, np.random.RandomState(SEED), temperature=TEMPERATURE)  # warm
    seconds = {way: [] for way in ways}
    texts = set()
    for turn in range(rounds):
        for way in rng.permutation(ways):
            draws = np.random.RandomState(SEED)
            started = time.process_time()
            text = write(model, prompt, length - PROMPT, draws, str(way), TEMPERATURE)
            seconds[way].append(round(time.process_time() - started, 3))
            texts.add(tuple(text))
        print(length, turn, {way: times[-1] for way, times in seconds.items()}, flush=True)
    row = {
        **shape,
        "weights": sum(p.numel() for p in model.parameters()),
        "length": length,
        "seconds": seconds,
        "texts": len(texts),
        "different symbols": len(set(min(texts))),
    }
    for way in ways[1:]:
        ratios = np.array(seconds[way]) / np.array(seconds["in place"])
        row[f"{way} / in place"] = round(float(np.median(ratios)), 3)
    print(row, flush=True)
    return row


def main() -> None:
    """Run all shapes and lengths, and record them."""
    options = command_line(__doc__, [*RUNS], quick="a tiny shape").parse_args()
    torch.set_grad_enabled(False)
    if options.quick:
        compare({"blocks": 1, "symbols": 50}, 24, ALL, 2)
        return
    shape = SHAPES[options.task]
    rows = [compare(shape, *run) for run in RUNS[options.task]]
    described = {"seeds": [SEED], "prompt": PROMPT, "temperature": TEMPERATURE}
    store(__file__, rows, options.task, width=WIDTH, heads=HEADS, **described)


if __name__ == "__main__":
    main()
