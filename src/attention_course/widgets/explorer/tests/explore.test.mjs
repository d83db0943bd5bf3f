import assert from "node:assert/strict";
import { test } from "node:test";

import { spreadChosen } from "../index.js";
import { chartOf, placeOf } from "../maths.js";

const width = { name: "width", label: "width", numbers: [16, 32, 64] };
const power = { name: "power", label: "power", numbers: [0.5, 2] };

test("a value has its place on a slider, and another is named with what is expected", () => {
  assert.deepEqual(
    [16, 64].map((value) => placeOf(width, value)),
    [0, 2],
  );
  assert.throws(() => placeOf(width, 48), /width must be one of 16, 32, 64, got 48/);
  assert.throws(() => placeOf(width, "wide"), /got "wide"/);
});

test("each combination has its chart, the last slider moving fastest", () => {
  const charts = width.numbers.flatMap((w) =>
    power.numbers.map((p) => ({ sentence: `${w} ${p}`, series: [] })),
  );
  for (const w of width.numbers)
    for (const p of power.numbers)
      assert.equal(
        chartOf({ controls: [width, power], charts }, { width: w, power: p }).sentence,
        `${w} ${p}`,
      );
});

test("cells have their texts, gaps none", () => {
  const heat = { kind: "heat", z: [-0.256, null, 1], columns: 3, digits: 2 };
  const read = (one) =>
    chartOf({ controls: [power], charts: [{ series: [one] }] }, { power: 0.5 }).series[0];
  assert.deepEqual(read(heat).text, ["−0.26", "", "1.00"]);
  assert.equal("text" in read({ ...heat, digits: undefined }), false);
});

/** A model as anywidget makes it, without a kernel. */
function fakeModel(state) {
  const heard = [];
  return {
    state,
    heard,
    get: (name) => state[name],
    set: (name, value) => void (state[name] = value),
    on: (event, react) => heard.push([event, react]),
    off: (event, react) =>
      heard.splice(
        heard.findIndex(([e, r]) => e === event && r === react),
        1,
      ),
    saved: 0,
    save_changes() {
      this.saved++;
    },
  };
}

test("the controls see one name each, Python sees one dictionary", () => {
  const inner = fakeModel({
    chosen: { a: 1, b: "x" },
    initial: { chosen: { a: 1, b: "x" } },
    key: "k",
  });
  const model = spreadChosen(inner, ["a", "b"]);
  assert.deepEqual(
    [model.get("a"), model.get("key"), model.get("initial")],
    [1, "k", { a: 1, b: "x" }],
  );
  model.set("a", 2);
  model.set("b", "y");
  assert.deepEqual(inner.state.chosen, { a: 1, b: "x" });
  model.save_changes();
  assert.deepEqual([inner.state.chosen, inner.saved], [{ a: 2, b: "y" }, 1]);
});

test("what listens to a control listens to the dictionary, and stops doing so", () => {
  const inner = fakeModel({ chosen: { a: 1 } });
  const model = spreadChosen(inner, ["a"]);
  const react = () => {};
  model.on("change:a", react);
  assert.deepEqual(inner.heard, [["change:chosen", react]]);
  model.off("change:a", react);
  assert.deepEqual(inner.heard, []);
});
