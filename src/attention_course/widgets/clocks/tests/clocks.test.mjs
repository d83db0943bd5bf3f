import assert from "node:assert/strict";
import { test } from "node:test";
import { tell } from "../index.js";
import { hands, look } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const constants = fixture("limits", import.meta.url).constants;
const START = { kind: "rotary", content: "unlike", query_at: 12, key_at: 7, d: 8 };

/** The settings at which `compute` differs from the reference. */
function differing(compute) {
  return fixture("clocks", import.meta.url).filter(({ setting, numbers }) => {
    const got = compute(setting, constants);
    const rows = [...numbers.parts.map((x, p) => [got.parts[p], x]), ...numbers.curves.map((x, n) => [got.curves[n], x])];
    return [...rows, ...["distance", "score", "moved"].map((name) => [got[name], numbers[name]])].some(([a, b]) => !close(a, b, 1e-10, 1e-11));
  }).length;
}

test("scores, their parts and the curve are the reference's, at 36 settings", () => {
  assert.equal(fixture("clocks", import.meta.url).length, 36);
  assert.equal(differing(look), 0);
});

test("negative control: a key that turns the other way is seen", () => {
  assert.ok(differing((state, given) => look({ ...state, key_at: -state.key_at }, given)) > 30);
});

test("negative control: a query and a key that change places are seen", () => {
  assert.ok(differing((state, given) => look({ ...state, query_at: state.key_at, key_at: state.query_at }, given)) > 20);
});

test("rotary and ALiBi keep a score that moves along, sinusoids do not", () => {
  const moves = (kind) => {
    const { score, moved } = look({ ...START, kind }, constants);
    return Math.abs(score - moved) > 1e-9;
  };
  assert.deepEqual(["sinusoidal", "rotary", "alibi"].map(moves), [true, false, false]);
});

test("a clock begins at twelve and turns clockwise; rotary begins at the content", () => {
  const quarter = { ...START, kind: "sinusoidal", query_at: 1 };
  assert.ok(close(hands(quarter, constants, 0).query, Math.PI / 2 - 1, 1e-12, 0));
  assert.equal(hands({ ...START, query_at: 0 }, constants, 2).query, constants.query[2]);
});

test("the sentence says what moving along does", () => {
  const words = (kind) => tell({ ...START, kind }, look({ ...START, kind }, constants), constants.further);
  assert.match(words("rotary"), /5 steps before the query.* it stays the same/);
  assert.match(words("sinusoidal"), /depends on both places/);
});
