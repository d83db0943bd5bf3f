import assert from "node:assert/strict";
import { test } from "node:test";
import {
  dot_scores,
  entropy,
  jacobian_norm,
  scaled_dot_product_attention,
  scaled_dot_scores,
  softmax,
} from "../../src/attention_course/widgets/kit/attention.js";
import { close, fixture } from "./fixtures.mjs";

const near = (got, wanted, text) =>
  assert.ok(close(got, wanted, 4e-15, 1e-16), `${text}: ${got} is not ${wanted}`);

test("softmax, the norm of its Jacobian, and entropy equal the reference", () => {
  for (const row of fixture("attention").softmax) {
    const p = softmax(row.x);
    row.softmax.forEach((x, i) => near(p[i], x, "softmax"));
    assert.ok(close(jacobian_norm(row.softmax), row.norm, 1e-14));
    near(entropy(row.softmax), row.entropy, "entropy");
  }
});

test("softmax survives huge scores, and rows that are masked out", () => {
  assert.deepEqual(softmax([-1000, 1000]), [0, 1]);
  assert.deepEqual(softmax([-Infinity, -Infinity]), [0, 0]);
});

test("the Jacobian's norm keeps what an expanded square would cancel", () => {
  const tiny = 1e-12;
  assert.ok(close(jacobian_norm([1 - tiny, tiny]), 2 * tiny, 1e-3));
});

const { attention } = fixture("attention");
const matrix = (got, wanted, text) => {
  assert.equal(got.length, wanted.length, text);
  got.forEach((row, i) =>
    row.forEach((x, j) =>
      assert.ok(
        close(x, wanted[i][j], 1e-13, 1e-14),
        `${text} ${i}, ${j}: ${x} is not ${wanted[i][j]}`,
      ),
    ),
  );
};

test("scores, weights and contexts equal the reference, with masks and with scales", () => {
  assert.ok(attention.length >= 40);
  for (const { q, k, v, mask, scale, scores, scaled, weights, context } of attention) {
    matrix(dot_scores(q, k), scores, "scores");
    const options = { mask: mask?.map((row) => row.map(Boolean)), scale: scale ?? undefined };
    matrix(scaled_dot_scores(q, k, options.scale), scaled, "scaled scores");
    const got = scaled_dot_product_attention(q, k, v, options);
    matrix(got.scores, scaled, "scaled scores");
    matrix(got.weights, weights, "weights");
    matrix(got.context, context, "context");
  }
});

test("a query that may attend to nothing gets zeros, and the fixtures have such queries", () => {
  const empty = attention.filter(({ mask }) => mask?.some((row) => !row.includes(1)));
  assert.ok(empty.length >= 3);
  const got = scaled_dot_product_attention(
    [[1, 2]],
    [
      [3, 4],
      [5, 6],
    ],
    [[7], [8]],
    { mask: [[false, false]] },
  );
  assert.deepEqual([got.weights, got.context], [[[0, 0]], [[0]]]);
});
