import assert from "node:assert/strict";
import { test } from "node:test";
import { around, D, LINES_BEFORE, MISTAKES, mistaken, PLAN, SOLUTION } from "../row.js";
import { between, CASES, examine, held, inWords, TOLERANCE } from "../judge.js";
import { CannotRun } from "../../gpu_attention/gpu.js";
import { inputs } from "../../gpu_attention/maths.js";
import { scaled_dot_product_attention } from "../../kit/attention.js";

test("each mistake has a name of its own, a hint, and changes the solution", () => {
  assert.ok(MISTAKES.length >= 6);
  assert.equal(new Set(MISTAKES.map(({ name }) => name)).size, MISTAKES.length);
  const texts = MISTAKES.map(mistaken);
  assert.equal(new Set([SOLUTION, ...texts]).size, MISTAKES.length + 1);
  assert.ok(MISTAKES.every(({ hint }) => hint.length > 20));
  assert.throws(() => mistaken({ name: "", hint: "", changes: [["not there", ""]] }), /once/);
});

test("an answer begins on its own line 1", () => {
  const lines = around("first", true).split("\n");
  assert.equal(lines[LINES_BEFORE], "first");
  assert.match(lines[0], /CAUSAL = true/);
});

test("every row has a thread", () => {
  for (const { n } of CASES) assert.ok(PLAN.row[0][1](n, D, 1)[0] * 32 >= n);
});

/** What a right answer gives, each key read so often. */
function right(times = 1) {
  return CASES.map(({ n, causal, stretch }) => {
    const { q, k, v } = inputs({ n, causal, d: D, heads: 1 }, stretch);
    const rows = (all) =>
      Array.from({ length: n }, (_, i) => [...all.subarray(i * D, (i + 1) * D)]);
    const mask = causal
      ? rows(q).map((_, i) => Array.from({ length: n }, (_, j) => j <= i))
      : undefined;
    const { context } = scaled_dot_product_attention(rows(q), rows(k), rows(v), { mask });
    return {
      context: Float32Array.from(context.flat()),
      reads: Uint32Array.from({ length: n }, (_, i) => times * D * (causal ? i + 1 : n)),
    };
  });
}

test("a right answer is held, and a wrong number anywhere is not", () => {
  assert.deepEqual(held(right()), { error: 0, at: null, reads: 1 });
  CASES.forEach((one, i) => {
    for (const wrong of [2 * TOLERANCE, NaN, Infinity]) {
      const given = right();
      given[i].context[given[i].context.length - 1] += wrong;
      assert.equal(held(given).at, one);
    }
  });
  assert.equal(held(right(2)).reads, 2);
});

test("two answers that are no numbers at the same places agree", () => {
  const [a, b] = [right(), right()];
  assert.equal(between(a, b), 0);
  a[0].context[3] = NaN;
  assert.equal(between(a, b), Infinity);
  b[0].context[3] = -Infinity;
  assert.equal(between(a, b), 0);
  b[1].context[0] += 0.5;
  assert.ok(Math.abs(between(a, b) - 0.5) < 1e-6);
});

test("the verdict in words", () => {
  const verdict = { error: 0.25, at: CASES[4], mistake: null, reads: 1, line: 0, words: "" };
  assert.match(inWords({ ...verdict, outcome: "right" }, 9), /^Right/);
  assert.match(
    inWords({ ...verdict, outcome: "again", reads: 2 }, 9),
    /reads its keys 2\.0 times/,
  );
  assert.match(
    inWords({ ...verdict, outcome: "wrong" }, 9),
    /33 keys, causal, scores up to hundreds, a number differs by 0\.25\.$/,
  );
  assert.match(
    inWords(
      {
        ...verdict,
        outcome: "wrong",
        mistake: MISTAKES.find(({ name }) => name === "the sum is not rescaled"),
      },
      9,
    ),
    /if the sum is not rescaled\. The exponentials/,
  );
  assert.match(
    inWords({ ...verdict, outcome: "compile", line: 4, words: "no" }, 9),
    /Line 4: no/,
  );
  assert.match(
    inWords({ ...verdict, outcome: "compile", line: 12, words: "no" }, 9),
    /Outside your lines: no/,
  );
});

test("what is no compile error is not taken for one", async () => {
  const gpu = { build: async () => Promise.reject(new CannotRun("lost", "gone")) };
  await assert.rejects(examine(gpu, SOLUTION), { reason: "lost" });
});
