import assert from "node:assert/strict";
import { test } from "node:test";
import * as maths from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const CONSTANTS = fixture("limits", import.meta.url).constants;
const { query, respond } = maths;
const drawn = (d, seed) => maths.drawn(d, seed, CONSTANTS);

test("at 0 degrees the query points along key 1, at the second key's angle along key 2", () => {
  const draws = drawn(16, 3);
  for (const [angle, j] of [
    [0, 0],
    [draws.second, 1],
  ]) {
    const { cosine } = respond(draws, query(draws, angle, 0.7), 1);
    assert.ok(close(cosine[j], 1, 1e-12));
  }
});

test("additive scores stay within the sum of the read-out, dot products do not", () => {
  const draws = drawn(256, 0);
  const bound = draws.readOut.reduce((sum, v) => sum + Math.abs(v), 0);
  const { additive, dot } = respond(draws, query(draws, 0, 4), 1);
  assert.ok(Math.max(...additive.map(Math.abs)) <= bound);
  assert.ok(dot[0] > 100 * bound);
});
