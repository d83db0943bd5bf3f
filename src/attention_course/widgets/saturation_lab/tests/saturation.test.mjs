import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as lab from "../maths.js";
import { close, fixture, WIDGETS } from "../../../../../tests/js/fixtures.mjs";

const rows = fixture("saturation", import.meta.url);
const sizes = fixture("lab", import.meta.url);
// Both sides sum in float64, in another order: a last bit may differ.
const RELATIVE = 1e-9;
// Below this a gradient is the rounding of the sums themselves.
const ABSOLUTE = 1e-13;

/** Tables are made once for a seed and a format: the rows come in that order. */
function tables(code) {
  let [seed, format, draws, table] = [NaN, "", null, null];
  return (setting) => {
    if (setting.seed !== seed)
      [seed, format, draws] = [
        setting.seed,
        "",
        code.finish(code.buildDraws(setting.seed, sizes)),
      ];
    if (setting.number_format !== format)
      [format, table] = [
        setting.number_format,
        code.finish(code.buildTable(draws, setting.number_format)),
      ];
    return table;
  };
}

/** Where JavaScript and the reference differ. */
function differences({ setting, numbers }, got) {
  const found = [];
  const compare = (name, x, wanted) => {
    if (!close(x, wanted, RELATIVE, ABSOLUTE))
      found.push(`${name}: ${x} is not ${wanted} at ${JSON.stringify(setting)}`);
  };
  for (const name of ["entropy", "top_weight", "jacobian_norm", "gradient_norm"])
    compare(name, got.shown[name], numbers.shown[name]);
  for (const name of ["scores", "weights"])
    numbers.shown[name].forEach((x, j) => compare(`${name} ${j}`, got.shown[name][j], x));
  for (const [name, x] of Object.entries(numbers.batch)) compare(name, got.batch[name], x);
  compare("query", got.shown.query, numbers.shown.query);
  for (const name of ["std", "infinite"]) compare(name, got.scores[name], numbers.scores[name]);
  numbers.scores.counts.forEach((x, i) =>
    compare(`scores in bin ${i}`, got.scores.counts[i], x),
  );
  numbers.gradients.counts.forEach((x, i) =>
    compare(`gradients in bin ${i}`, got.gradients.counts[i], x),
  );
  numbers.gradients.dead.forEach((x, i) =>
    compare(`dead in bin ${i}`, got.gradients.dead[i], x),
  );
  for (const name of ["below", "dead_below"])
    compare(name, got.gradients[name], numbers.gradients[name]);
  numbers.queries?.gradient_norm.forEach((x, i) =>
    compare(`gradient of query ${i}`, got.queries.gradient_norm[i], x),
  );
  numbers.queries?.dead.forEach((x, i) =>
    compare(`query ${i} is dead`, Number(got.queries.dead[i]), x),
  );
  assert.equal(got.scores.counts.length, sizes.score_bins);
  return found;
}

test("the lab equals the reference on a grid of settings", () => {
  assert.ok(rows.length >= 200);
  const tableOf = tables(lab);
  for (const row of rows) {
    const got = lab.saturation(tableOf(row.setting), row.setting);
    assert.deepEqual(Object.keys(got.batch).sort(), Object.keys(row.numbers.batch).sort());
    assert.deepEqual(differences(row, got), []);
  }
});

test("the grid has every scale and format, and overflow in some and in most queries", () => {
  const some = (test) => assert.ok(rows.some(test));
  for (const scale of ["none", "sqrt_d_k", "d_k", "custom"])
    for (const format of ["float32", "bfloat16", "float16"])
      some(({ setting }) => setting.scale === scale && setting.number_format === format);
  some(({ numbers }) => numbers.batch.overflow > 0 && numbers.batch.overflow < 0.5);
  some(({ numbers }) => numbers.batch.overflow > 0.9);
  for (const query of [-1, 255]) some(({ setting }) => setting.query === query);
  some(({ numbers }) => numbers.queries?.dead.some((x) => Number(x)));
});

/** The lab with one line of its source changed. */
async function mutated(before, after) {
  const folder = mkdtempSync(join(tmpdir(), "mutant-"));
  try {
    cpSync(fileURLToPath(WIDGETS), folder, {
      recursive: true,
      filter: (path) => !/\.(py|css|pyc)$/.test(path),
    });
    writeFileSync(join(folder, "package.json"), '{"type": "module"}');
    const file = join(folder, "saturation_lab", "maths.js");
    const source = readFileSync(file, "utf8");
    assert.ok(source.includes(before), `the source has no ${before}`);
    writeFileSync(file, source.replace(before, after));
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const MUTANTS = [
  ["the mean where the median belongs", "median: quantile(sorted, 0.5)", "median: mean"],
  ["no scale on the gradient", "return Math.abs(factor) * Math.sqrt", "return Math.sqrt"],
  [
    "the wrong partial sum",
    "const block = Math.floor(d_k / BLOCK)",
    "const block = Math.round(d_k / BLOCK)",
  ],
  [
    "a sum that is not rounded to float32",
    "total = Math.fround(total + e)",
    "total = total + e",
  ],
  [
    "a spread that comes after the rounding",
    "round(round(scores[at] * spread) * factor)",
    "round(round(scores[at]) * spread * factor)",
  ],
  [
    "scores rounded once",
    "round(round(scores[at] * spread) * factor)",
    "round(scores[at] * spread * factor)",
  ],
  [
    "offsets that are not rounded",
    "moved[j] = round(scores[query * n + j] + (offsets[j] ?? 0))",
    "moved[j] = scores[query * n + j] + (offsets[j] ?? 0)",
  ],
  ["the gradient of another query", "table.g, i * keys, n", "table.g, 0, n"],
  ["a query beside the typical one", "equal-- === 0) return i", "equal-- === 0) return i + 1"],
  [
    "the upper of two medians",
    "Math.floor((sorted.length - 1) / 2)",
    "Math.ceil((sorted.length - 1) / 2)",
  ],
  [
    "the dead counted by their gradient",
    "one.jacobian_norm < sizes.dead",
    "one.gradient_norm < sizes.dead",
  ],
  [
    "bins that begin at 0",
    "s / score_step + score_bins / 2",
    "s / score_step + (score_bins - 1) / 2",
  ],
  [
    "gradients without those after",
    "u[i] = p[from + i] * (u[i] - others)",
    "u[i] = p[from + i] * u[i]",
  ],
];

for (const [name, before, after] of MUTANTS) {
  test(`the fixtures notice ${name}`, async () => {
    const code = await mutated(before, after);
    const tableOf = tables(code);
    const seen = rows
      .filter(({ setting }) => setting.seed === 0)
      .some(
        (row) =>
          differences(row, code.saturation(tableOf(row.setting), row.setting)).length > 0,
      );
    assert.ok(seen);
  });
}
