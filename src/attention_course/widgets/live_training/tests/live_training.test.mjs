import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { RandomState } from "../../kit/random.js";
import { dates } from "../dates.js";
import { learn, network } from "../network.js";
import { reversals } from "../reversals.js";
import { adam } from "../training.js";
import { exactAt, lately, sentence, shareOnSource } from "../words.js";
import { close } from "../../../../../tests/js/fixtures.mjs";

const file = new URL("../../../data/corpora/dates/formats.json", import.meta.url);
const formats = JSON.parse(readFileSync(file, "utf8"));
const languages = ["en", "fr", "de", "es", "it"].map((code) => formats[code]);

test("dates are Python's, drawn from the same seed", () => {
  const pairs = dates({ languages }, 2, new RandomState(0), false);
  assert.deepEqual(
    pairs.map(({ target }) => target),
    ["2086-11-29", "1958-03-01"],
  ); // the docstring of random_dates
  const day = (text) => Date.parse(text) / 86_400_000 + 719_163;
  assert.ok(
    dates({ languages }, 40, new RandomState(1), true).every(
      ({ target }) => day(target) % 10 === 7,
    ),
  );
});

test("strings to be reversed are Python's, drawn from the same seed", () => {
  const draw = (count, seed, heldOut) =>
    reversals([..."abcdefgh"], [4, 8], count, new RandomState(seed), heldOut);
  assert.deepEqual(draw(2, 0, false), [
    { source: "hfadddhb", target: "bhdddafh" },
    { source: "fcehgaa", target: "aaghecf" },
  ]); // the docstring of random_reversals
  const sum = (text) =>
    [...text].reduce((all, letter) => all + letter.charCodeAt(0) - 97, 0) % 10;
  assert.ok(draw(40, 1, true).every(({ source }) => sum(source) === 7));
  assert.ok(
    draw(40, 1, false).every(
      ({ source }) => sum(source) !== 7 && source.length >= 4 && source.length <= 8,
    ),
  );
});

const SIZES = {
  source: 6,
  target: 5,
  embedding: 3,
  encoder: 2,
  decoder: 4,
  alignment: 3,
  maxout: 2,
};

for (const alignment of [3, 0]) {
  test(`the gradient is the slope of the loss, ${alignment ? "with attention" : "with a fixed context"}`, () => {
    const net = network({ ...SIZES, alignment });
    new RandomState(0).fill(net.data);
    const loss = () => learn(net, [3, 5, 4], [4, 3, 2], 1);
    loss();
    const grad = net.grad.slice();
    net.data.forEach((x, i) => {
      const slope = [1e-5, -1e-5].map((far) => {
        net.data[i] = x + far;
        return loss();
      });
      net.data[i] = x;
      assert.ok(close(grad[i], (slope[0] - slope[1]) / 2e-5, 1e-5, 1e-7));
    });
  });
}

test("Adam's first step is as long as its rate, however long the gradient is", () => {
  const net = network({ ...SIZES, alignment: 0 });
  net.grad.fill(100);
  adam(net, () => 0.01)();
  assert.ok(net.data.every((x) => close(x, -0.01, 1e-4, 0)));
});

const runs = [
  { name: "attention", losses: Array.from({ length: 27 }, (_, i) => i), exact: { 25: 0.96 } },
  { name: "fixed", losses: Array(27).fill(1.5), exact: { 25: 0 } },
];

test("a loss is the mean of the last ten steps", () => {
  assert.equal(lately(runs[0].losses, 27), 21.5);
  assert.equal(lately(runs[0].losses, 3), 1);
  assert.equal(exactAt(runs[0].exact, 27, 25), 0.96);
  assert.equal(exactAt(runs[0].exact, 24, 25), null);
});

test("the sentence tells step, seed, both losses, and when the dates were looked at", () => {
  assert.equal(
    sentence({ task: "dates", step: 27, seed: 4, every: 25, tested: 100, runs }),
    "After 27 steps from seed 4, the loss is 22 with attention and 1.5 with one fixed context. Of 100 held-out dates, attention writes 96 without an error, one fixed context writes 0, after 25 steps.",
  );
  assert.match(
    sentence({ task: "reversal", step: 27, seed: 4, every: 25, tested: 100, runs }),
    /Of 100 held-out strings, attention writes 96/,
  );
  assert.match(
    sentence({ task: "dates", step: 1, seed: 0, every: 25, tested: 100, runs }),
    /^After 1 step from seed 0, .* context\.$/,
  );
});

test("the share on the source is a mean over the words that have one", () => {
  const shown = {
    weights: [
      [0.75, 0.25],
      [0.5, 0.5],
      [0, 1],
    ],
    from: [[0], [], [0, 1]],
  };
  assert.equal(shareOnSource(shown), 0.875);
});
