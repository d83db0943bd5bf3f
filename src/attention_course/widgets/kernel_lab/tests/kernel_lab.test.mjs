import assert from "node:assert/strict";
import { test } from "node:test";
import { besides, highest, resident, rowOf, rowsOf, tell } from "../maths.js";
import { stepOf } from "../index.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const { rows: limits, constants } = fixture("limits", import.meta.url);
const rows = rowsOf(constants);
const { options, texts } = limits.find(({ trait }) => trait === "KernelLab.gpu").limit;
const name = (gpu) => texts[options.indexOf(gpu)];

const say = (cut) => {
  const row = rowOf(rows, {
    gpu: "sm_90",
    d: 128,
    block_q: 64,
    block_k: 32,
    warps: 4,
    stages: 1,
    ...cut,
  });
  return tell(row, resident(row, constants), highest(rows, row), name(row.gpu));
};

test("the sentence says what a cut takes, what limits it, and whether it is the highest", () => {
  assert.match(
    say({}),
    /^64 queries, 32 keys, 4 warps, 1 stage on an H100, width 128: \d+ registers a thread, .* spilled\. \d programs? a multiprocessor, limited by .*: .* % occupancy\. At most \d+ TFLOP\/s apart, \d+ at once\.$/,
  );
  const said = rows.map(say);
  for (const part of [
    "cannot run",
    "nothing spilled",
    "bytes spilled",
    "limited by registers",
    "limited by shared memory",
    "on a B200",
    "No cut of this GPU",
  ])
    assert.ok(
      said.some((words) => words.includes(part)),
      part,
    );
});

test("the highest bound is one of this GPU's and width's", () => {
  for (const row of rows) {
    const best = highest(rows, row);
    assert.ok(
      besides(rows, row).length === 48 &&
        besides(rows, row).some(({ apart }) => apart === best) &&
        !(row.apart > best),
    );
  }
});

test("an axis has three to five round steps", () => {
  assert.deepEqual([520, 989, 2250, 70].map(stepOf), [200, 500, 1000, 20]);
});
