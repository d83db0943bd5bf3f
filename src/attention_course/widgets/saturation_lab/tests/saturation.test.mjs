import assert from "node:assert/strict";
import { test } from "node:test";
import * as lab from "../maths.js";
import { close, fixture } from "../../../../../tests/js/fixtures.mjs";

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
