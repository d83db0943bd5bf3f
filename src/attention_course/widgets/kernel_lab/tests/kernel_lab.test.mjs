import assert from "node:assert/strict";
import { test } from "node:test";
import { besides, highest, resident, rowOf, rowsOf, tell } from "../maths.js";
import { stepOf } from "../index.js";
import { fixture } from "../../../../../tests/js/fixtures.mjs";

const { rows: limits, constants } = fixture("limits", import.meta.url);
const stored = fixture("kernel_lab", import.meta.url);
const rows = rowsOf(constants);
const { options, texts } = limits.find(({ trait }) => trait === "KernelLab.gpu").limit;
const name = (gpu) => texts[options.indexOf(gpu)];

/** How many cuts get another number of programs, another limit or other room than the reference says. */
function differing(count) {
  return stored.filter(({ setting, resident: wanted }) => {
    const found = count(rowOf(rows, setting));
    if (!found || !wanted) return Boolean(found) !== Boolean(wanted);
    return found.programs !== wanted.programs || found.limitedBy !== wanted.limited_by || Object.entries(wanted.room).some(([limit, room]) => found.room[limit] !== room);
  }).length;
}

test("what is resident is the reference's, for every third cut", () => {
  assert.equal(stored.length, (options.length * 2 * 2 * 3 * 2 * 4) / 3);
  assert.equal(differing((row) => resident(row, constants)), 0);
});

test("negative controls: a wrong count is seen", () => {
  const { units } = constants;
  const spoiled = {
    "registers by the thread, not by the warp": (row) => resident(row, { ...constants, units: { ...units, registers: 1 } }),
    "warps in places of eight": (row) => resident(row, { ...constants, units: { ...units, warp: 64 } }),
    "half of the registers": (row) => resident(row, { ...constants, registers: constants.registers / 2 }),
    "an A100's shared memory": (row) => resident({ ...row, gpu: "sm_80" }, constants),
    "twice the shared memory": (row) => resident(row.shared && { ...row, shared: 2 * row.shared } || row, constants),
  };
  for (const [what, count] of Object.entries(spoiled)) assert.ok(differing(count) > 2, `${what}: ${differing(count)}`);
});

test("the sentence is Python's, word for word", () => {
  for (const { setting, words } of stored) {
    const row = rowOf(rows, setting);
    assert.equal(tell(row, resident(row, constants), highest(rows, row), name(row.gpu)), words);
  }
  for (const part of ["cannot run", "nothing spilled", "bytes spilled", "limited by registers", "limited by shared memory", "No cut of this GPU"]) assert.ok(stored.some(({ words }) => words.includes(part)), part);
});

test("the highest bound is one of this GPU's and width's", () => {
  for (const row of rows) {
    const best = highest(rows, row);
    assert.ok(besides(rows, row).length === 48 && besides(rows, row).some(({ apart }) => apart === best) && !(row.apart > best));
  }
});

test("an axis has three to five round steps", () => {
  assert.deepEqual([520, 989, 2250, 70].map(stepOf), [200, 500, 1000, 20]);
});
