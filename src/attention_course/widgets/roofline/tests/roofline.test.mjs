import assert from "node:assert/strict";
import { test } from "node:test";
import { inOrder, nearest, tell, walk, withUnit } from "../maths.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const constants = inOrder(fixture("limits", import.meta.url).constants);
const SETTING = {
  variant: "naive",
  device: "H100 SXM",
  dtype: "bfloat16",
  n: 8192,
  d: 128,
  heads: 16,
  group: 1,
  batch: 1,
  causal: false,
  block: 128,
};
const say = (more) => tell({ ...SETTING, ...more }, constants);

test("the sentence names what holds a form up, what is left out, and what does not fit", () => {
  assert.match(
    say({}),
    /^H100 SXM, naive: at least 2.6 ms, held up by the memory. Alone, matrix products take 556 µs, exponentials 278 µs, L2 890 µs, memory 2.6 ms; one after the other, 4.33 ms.$/,
  );
  const holds = {
    "the matrix unit": { variant: "tiled" },
    "the exponentials": { variant: "tiled", d: 32 },
    "the memory": { variant: "decode" },
    L2: { variant: "tiled", block: 64 },
  };
  for (const [ceiling, more] of Object.entries(holds))
    assert.match(say(more), new RegExp(`held up by ${ceiling}\\.`));
  assert.match(
    say({ device: "T4" }),
    /^No time can be given, because a T4 has no bfloat16 arithmetic, .*\.$/,
  );
  assert.match(say({ device: "T4", dtype: "float32" }), /L2 is left out: /);
  assert.match(say({ causal: true }), /Nearly half of its operations are masked afterwards\./);
  assert.match(say({ n: 2 ** 20 }), / It needs \S+ TB of memory, and there are 80 GB\.$/);
});

test("numbers have three digits and a prefix", () => {
  const texts = {
    "5.21 ms": 5.2149e-3,
    "1 ms": 9.999e-4,
    "1 s": 1,
    "0 s": 0,
    "2.15 Gs": 2 ** 31,
    "999 s": 999.4,
    "1 ks": 999.6,
    "0.00123 ns": 1.234e-12,
  };
  for (const [text, x] of Object.entries(texts)) assert.equal(withUnit(x, "s"), text);
});

test("the forms stand in Python's order even where keys were sorted", () => {
  assert.deepEqual(Object.keys(constants.variants), [
    "naive",
    "chunked",
    "tiled",
    "training",
    "decode",
  ]);
  assert.deepEqual(Object.keys(constants.ceilings), ["matmul", "exponentials", "l2", "memory"]);
});

test("a walk through the tiles sees every pair, or those that are not behind a tile", () => {
  assert.deepEqual(walk(10, 4, false), { pairs: 100, keys: 30 });
  assert.deepEqual(walk(10, 4, true), { pairs: 4 * 4 + 4 * 8 + 2 * 10, keys: 4 + 8 + 10 });
});

test("the nearest guess is nearest in ratio", () => {
  assert.equal(nearest([2, 5, 20, 65], 4.7), 5);
  assert.equal(nearest([1, 100], 11), 100);
});
