import assert from "node:assert/strict";
import { test } from "node:test";
import { tell } from "../index.js";
import { hands, look } from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

const constants = fixture("limits", import.meta.url).constants;
const START = { kind: "rotary", content: "unlike", query_at: 12, key_at: 7, d: 8 };

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
  const words = (kind) =>
    tell({ ...START, kind }, look({ ...START, kind }, constants), constants.further);
  assert.match(words("rotary"), /5 steps before the query.* it stays the same/);
  assert.match(words("sinusoidal"), /depends on both places/);
});
