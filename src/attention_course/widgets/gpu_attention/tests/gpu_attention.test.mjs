import assert from "node:assert/strict";
import { test } from "node:test";
import { FORMS, PLAN, program, TILE } from "../kernels.js";
import {
  apart,
  inputs,
  largestError,
  nextSize,
  rooflinePoint,
  runsTogether,
  sample,
  tell,
} from "../maths.js";
import { CannotRun } from "../gpu.js";
import { measure } from "../measure.js";
import { cardName, told, why } from "../words.js";
import { scaled_dot_product_attention } from "../../kit/attention.js";

test("the sentence says what moves, and what the scores alone fill", () => {
  assert.equal(
    tell({ longest: 4096, d: 64, heads: 8, causal: false }),
    "At 4,096 tokens, 8 heads of width 64 in float32: three passes move at least 2,181 MB, 65 times as much as one fused kernel (34 MB). The scores alone fill 537 MB.",
  );
  assert.match(
    tell({ longest: 128, d: 32, heads: 1, causal: true }),
    /^At 128 tokens, 1 head of width 32 in float32: three passes move at least 0\.20 MB, /,
  );
});

test("a point of the roofline: operations a byte, operations a second", () => {
  assert.deepEqual(rooflinePoint({ operations: 600, moved: 20 }, 3), { x: 30, y: 200 });
});

test("each program is short, and has the entry points of its plan", () => {
  for (const form of FORMS) {
    for (const causal of [false, true]) {
      const text = program(form, { d: 64, causal });
      assert.ok(text.split("\n").length <= { passes: 64, fused: 40 }[form], form);
      const entries = [...text.matchAll(/^@compute.*\nfn (\w+)/gm)].map(([, name]) => name);
      assert.deepEqual(
        entries,
        PLAN[form].map(([name]) => name),
      );
      assert.match(text, new RegExp(`const CAUSAL = ${causal};`));
    }
  }
});

test("workgroups cover every query, key and column, none twice as many as needed", () => {
  for (const n of [1, 31, 32, 33, 8192]) {
    for (const d of [32, 64]) {
      const [scores, softmax, mix] = PLAN.passes.map(([, groups]) => groups(n, d, 3));
      assert.deepEqual([softmax, scores[2], mix[2]], [[n, 3, 1], 3, 3]);
      for (const [groups, size, wanted] of [
        [scores[0], d, n],
        [scores[1], TILE, n],
        [mix[0], d, d],
        [mix[1], TILE, n],
        [PLAN.fused[0][1](n, d, 3)[0], TILE, n],
      ]) {
        assert.ok(groups * size >= wanted && (groups - 1) * size < wanted);
      }
    }
  }
});

test("the next length is taken only if it will be quick enough", () => {
  const sizes = [128, 256, 512];
  assert.equal(nextSize(sizes, 128, 0.1, 0.4), 256);
  assert.equal(nextSize(sizes, 128, 0.101, 0.4), null);
  assert.equal(nextSize(sizes, 512, 1e-6, 0.4), null);
  assert.deepEqual(
    [1, 0.04, 0.01, 0].map((seconds) => runsTogether(seconds)),
    [1, 1, 4, 64],
  );
});

const SIZE = { n: 40, d: 4, heads: 3, causal: false };

/** What a correct kernel gives, in float32. */
function attend({ q, k, v }, { n, d, heads, causal }) {
  const out = [];
  for (let head = 0; head < heads; head++) {
    const rows = (all) =>
      Array.from({ length: n }, (_, i) => [
        ...all.subarray((head * n + i) * d, (head * n + i + 1) * d),
      ]);
    const mask = causal
      ? rows(q).map((_, i) => Array.from({ length: n }, (_, j) => j <= i))
      : undefined;
    out.push(
      ...scaled_dot_product_attention(rows(q), rows(k), rows(v), { mask }).context.flat(),
    );
  }
  return Float32Array.from(out);
}

test("the largest difference sees one wrong number, one that is none, and a mask", () => {
  const all = Array.from({ length: SIZE.n }, (_, i) => i);
  for (const causal of [false, true]) {
    const size = { ...SIZE, causal };
    const given = inputs(size);
    const right = attend(given, size);
    const error = (got) => largestError(got, given, size, all);
    assert.ok(error(right) < 1e-6);
    for (const at of [0, right.length - 1]) {
      const [off, none] = [right.slice(), right.slice()];
      off[at] += 0.01;
      none[at] = NaN;
      assert.ok(Math.abs(error(off) - 0.01) < 1e-6);
      assert.equal(error(none), Infinity);
    }
    assert.ok(error(attend(given, { ...size, causal: !causal })) > 0.1);
    assert.equal(apart(right, right), 0);
  }
});

/** A GPU whose kernels are JavaScript: `spoil` changes what a form gives. */
function pretended(spoil = (form, got) => got, seconds = 0.01, room = true) {
  const ran = [];
  return {
    ran,
    compile: async () => ({}),
    place: async (size, given) => ({
      forms: room || size.n <= 128 ? FORMS : ["fused"],
      result: async (form) => spoil(form, attend(given, size), size),
      run: async (form, times = 1) => (
        ran.push([form, size.n, times]), seconds * (form === "passes" ? 3 : 1)
      ),
      destroy: () => {},
    }),
  };
}

const SETTING = { d: 4, heads: 2, causal: true };
const quiet = { say: () => {}, row: () => {}, stopped: () => false };

test("between sampled queries the two are held against each other", async () => {
  const at = 140 * 4; // a query of the first head, of 200, that no sample has
  const gpu = pretended((form, got, { n }) =>
    n === 200 && form === "fused" ? got.map((x, i) => (i === at ? x + 0.01 : x)) : got,
  );
  assert.ok(!sample(200).includes(140));
  await assert.rejects(measure(gpu, SETTING, [200], quiet), { reason: "unequal" });
});

test("a slow GPU gets no longer lengths, one without room only the fused kernel, and a stop ends it", async () => {
  const slow = await measure(pretended(undefined, 0.1), SETTING, [8, 16, 32], quiet);
  assert.deepEqual([slow.ended, slow.rows.length], ["slow", 1]);
  const tight = await measure(
    pretended(undefined, 0.01, false),
    { ...SETTING, causal: false },
    [128, 256],
    quiet,
  );
  assert.deepEqual(
    tight.rows.map(({ ratio }) => ratio),
    [3, null],
  );
  assert.equal(tight.rows[1].seconds.passes, undefined);
  let asked = 0;
  const stopped = await measure(pretended(), SETTING, [8, 16], {
    ...quiet,
    stopped: () => ++asked > 8,
  });
  assert.equal(stopped.ended, "stopped");
  assert.ok(stopped.rows.length < 2);
});

test("where there is no room for a length, what came before it stays", async () => {
  const gpu = pretended();
  const { place } = gpu;
  gpu.place = async (size, given) =>
    size.n === 16 ? Promise.reject(new CannotRun("memory", "full")) : place(size, given);
  const found = await measure(gpu, SETTING, [8, 16, 32], quiet);
  assert.deepEqual([found.ended, found.rows.map(({ n }) => n)], ["memory", [8]]);
  assert.match(told(found, "a card"), /no room for longer ones/);
  gpu.place = async (size, given) =>
    size.n === 16 ? Promise.reject(new CannotRun("lost", "gone")) : place(size, given);
  await assert.rejects(measure(gpu, SETTING, [8, 16, 32], quiet), { reason: "lost" });
});

test("what was found, and why nothing was, in words", () => {
  const row = {
    n: 2048,
    error: 1e-7,
    seconds: { passes: 0.04, fused: 0.01 },
    ratio: 4,
    runs: 5,
  };
  const words = told({ checked: 12, error: 2e-6, rows: [row], ended: "slow" }, "a card");
  for (const part of [
    "a card",
    "12 comparisons",
    "2 × 10⁻⁶",
    "2,048 tokens",
    "4.0 times as long",
    "left out",
  ])
    assert.ok(words.includes(part), part);
  assert.match(
    told({ checked: 12, error: 0, rows: [], ended: "stopped" }, "a card"),
    /Nothing was timed\. Then you stopped it/,
  );
  assert.match(why({ reason: "lost", detail: "unplugged" }), /lost on the way \(unplugged\)/);
  assert.match(why(new Error("odd")), /odd/);
  assert.equal(
    cardName({ vendor: "a", architecture: "b", device: "", description: "" }),
    "a b",
  );
  assert.match(
    cardName({ vendor: "", architecture: "", device: "", description: "" }),
    /does not name/,
  );
});
