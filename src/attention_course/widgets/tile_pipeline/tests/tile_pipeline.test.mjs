import assert from "node:assert/strict";
import { test } from "node:test";
import { durations, play, tell } from "../maths.js";
import "../index.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const { constants } = fixture("limits", import.meta.url);
const START = {
  device: "B200",
  d: 64,
  tiles: 2,
  ahead: false,
  polynomial: 0,
  conditional: true,
};
const played = (changed) => play({ ...START, ...changed }, constants);
const at = (changed) => played(changed).now;

test("a quarter of the exponentials as polynomials helps a B200, half of them hurts", () => {
  const [none, quarter, half] = [0, 25, 50].map((polynomial) => at({ polynomial }).tflops);
  assert.ok(quarter > 1.2 * none && half < none);
});

test("a unit does one step at a time, and a step lasts what was counted", () => {
  const state = { ...START, polynomial: 10 };
  const lasts = durations(state, constants);
  const { steps } = play(state, constants);
  assert.ok(steps.every(({ what, start, end }) => end - start === lasts[what]));
  const products = steps
    .filter(({ what }) => what === "scores" || what === "contexts")
    .sort((a, b) => a.start - b.start);
  products.slice(1).forEach(({ start }, i) => assert.ok(start >= products[i].end));
});

test("the sentence names the busiest unit, and a rate that is assumed", () => {
  const [said, other] = [tell(START, played({}), "B200"), played({ device: "H100 SXM" })];
  assert.match(said, /The rate of L2 is an H100's/);
  assert.doesNotMatch(tell(START, other, "H100"), /≈|rate of L2/);
  assert.match(
    said,
    /^B200, width 64: 2,048 cycles .* The busiest: the exponential units, 100 %/,
  );
});
