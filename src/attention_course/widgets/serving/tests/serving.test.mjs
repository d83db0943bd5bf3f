import assert from "node:assert/strict";
import { test } from "node:test";
import { play, stall, stepSeconds } from "../maths.js";
import { tell } from "../index.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { constants, prompts } = {
  constants: fixture("limits", import.meta.url).constants,
  prompts: ["as they came", "a long beginning, read each time", "a long beginning, kept"],
};
const rows = fixture("serving", import.meta.url).filter(({ fared }) => fared);

/** In how many settings a server with such constants gives other times than the reference. */
const differing = (given) =>
  rows.filter(({ setting, fared }) => {
    const found = play(setting, given, prompts).fared.flatMap(({ times }) => [
      times[0],
      times[times.length - 1],
      stall(times),
    ]);
    return !found.every((x, i) => close(x, fared.flat()[i], 1e-9));
  }).length;

test("every request gets the reference's times, in every way and setting", () => {
  assert.equal(differing(constants), 0);
});

test("negative controls: a cache or a look back that costs nothing is seen", () => {
  for (const part of ["cache_bytes", "pair_operations"])
    assert.ok(differing({ ...constants, model: { ...constants.model, [part]: 0 } }) >= 2, part);
});

test("a step takes as long as its operations or its bytes, whichever is longer", () => {
  const model = {
    parameters: 100,
    cache_bytes: 10,
    pair_operations: 4,
    peak: 1000,
    bandwidth: 100,
  };
  assert.equal(stepSeconds(model, 1, 0, 0), 210 / 100);
  assert.equal(stepSeconds(model, 20, 0, 500), (2 * 100 * 20 + 4 * 500) / 1000);
});

test("the sentence says the way and the numbers", () => {
  const words = tell(
    { way: "in batches", places: 8 },
    { first: 0.5, slow: 2, whole: 1, stall: 10, end: 30 },
    150,
  );
  for (const part of [
    "Batches of at most 8",
    "within 0.500 s",
    "within 2.00 s",
    "is 10.0 ms",
    "after 30.0 s",
  ])
    assert.ok(words.includes(part), `${part}: ${words}`);
});
