import assert from "node:assert/strict";
import { test } from "node:test";
import { measure, requestsOf, serve, stall, stepSeconds } from "../maths.js";
import { tell } from "../index.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const { constants, prompts } = { constants: fixture("limits", import.meta.url).constants, prompts: ["as they came", "a long beginning, read each time", "a long beginning, kept"] };
const rows = fixture("serving", import.meta.url);

/** Plays a setting. */
function play(state, model = constants.model) {
  const requests = requestsOf(state, constants, prompts);
  return { requests, fared: serve(requests, model, state.way, state.places, state.chunk, state.prompts === prompts[2] ? constants.beginning : 0) };
}

/** In how many settings a way to play gives other times or numbers than the reference. */
function differing(how) {
  return rows.filter(({ setting, fared, numbers }) => {
    const found = how(setting);
    const times = found.fared.flatMap(({ times }) => [times[0], times[times.length - 1], stall(times)]);
    const shown = measure(found.requests, found.fared);
    return !times.every((x, i) => close(x, fared.flat()[i], 1e-9)) || !Object.entries(numbers).every(([name, x]) => close(shown[name], x, 1e-9));
  }).length;
}

test("every request gets the reference's times, in every way and setting", () => {
  assert.ok(rows.length >= 12);
  assert.equal(differing(play), 0);
});

test("negative controls: a server that works in another order is seen", () => {
  const spoiled = {
    "all in batches": (s) => play({ ...s, way: "in batches" }),
    "one place more": (s) => play({ ...s, places: s.places + 1 }),
    "a token more a step": (s) => play({ ...s, chunk: s.chunk + 1 }),
    "nothing is kept": (s) => play({ ...s, prompts: s.prompts === prompts[2] ? prompts[1] : s.prompts }),
    "caches cost nothing": (s) => play(s, { ...constants.model, cache_bytes: 0 }),
    "looking back costs nothing": (s) => play(s, { ...constants.model, pair_operations: 0 }),
  };
  for (const [name, how] of Object.entries(spoiled)) assert.ok(differing(how) >= 2, `${name}: ${differing(how)}`);
});

test("a step takes as long as its operations or its bytes, whichever is longer", () => {
  const model = { parameters: 100, cache_bytes: 10, pair_operations: 4, peak: 1000, bandwidth: 100 };
  assert.equal(stepSeconds(model, 1, 0, 0), 210 / 100);
  assert.equal(stepSeconds(model, 20, 0, 500), (2 * 100 * 20 + 4 * 500) / 1000);
});

test("the sentence says the way and the numbers", () => {
  const words = tell({ way: "in batches", places: 8 }, { first: 0.5, slow: 2, whole: 1, stall: 10, end: 30 }, 150);
  for (const part of ["Batches of at most 8", "within 0.500 s", "within 2.00 s", "is 10.0 ms", "after 30.0 s"]) assert.ok(words.includes(part), `${part}: ${words}`);
});
