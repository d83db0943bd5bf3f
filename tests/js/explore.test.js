import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { fineStep, spreadChosen } from "../../src/attention_course/widgets/explorer/index.js";
import {
  bytesOf, findCombination, halfFloat, labelAt, openCharts, placeOf, unpackArray, valueAt,
} from "../../src/attention_course/widgets/explorer/decode.js";

const cases = JSON.parse(readFileSync(new URL("./fixtures/explore.json", import.meta.url), "utf8"));

/** How many stored numbers the browser reads otherwise than NumPy. */
function differences({ spec, cases: settings }) {
  const read = openCharts(spec);
  let wrong = 0;
  for (const { chosen, stored, title, sentence, kinds } of settings) {
    const { at, exact } = findCombination(spec.controls, chosen);
    const shown = read(at);
    const [template, , , ids] = spec.charts[at];
    if (!exact || shown.chart.title !== title || shown.sentence !== sentence) wrong++;
    if (shown.chart.series.map((s) => s.kind).join() !== kinds.join()) wrong++;
    spec.templates[template].series.forEach((slots, n) => {
      for (const name of ["x", "y", "low", "high", "z"]) {
        if (!(name in slots)) continue;
        const [here, there] = [shown.chart.series[n][name], stored[slots[name]]];
        if (here.length !== there.length || ids.length !== stored.length) wrong++;
        here.forEach((value, i) => {
          const close = value === there[i] || Math.abs(value - there[i]) <= 1e-12 * Math.abs(there[i]);
          if (!close) wrong++;
        });
      }
    });
  }
  return wrong;
}

test("every stored chart is read as NumPy reads it, over more than 200 combinations", () => {
  assert.ok(cases.reduce((sum, one) => sum + one.cases.length, 0) >= 200);
  for (const one of cases) assert.equal(differences(one), 0);
});

test("negative control: one changed byte is seen", () => {
  const one = structuredClone(cases[0]);
  const bytes = bytesOf(one.spec.data);
  bytes[bytes.length >> 1] ^= 64;
  one.spec.data = btoa(String.fromCharCode(...bytes));
  assert.ok(differences(one) > 0);
});

test("all four formats and gaps occur in the fixture or are read here", () => {
  const bytes = new Uint8Array([0, 2, 255, 0, 60, 0, 126, 255, 255, 7, 0]);
  assert.deepEqual(unpackArray(bytes, ["u1", 0, 3, 10, 0.5]), [10, 11, null]);
  assert.deepEqual(unpackArray(bytes, ["f2", 3, 2, 0, 1]), [1, null]);
  assert.deepEqual(unpackArray(bytes, ["u2", 7, 2, -1, 0.25]), [null, 0.75]);
});

test("half-precision floats are exact, small and infinite ones too", () => {
  const known = [[0x3c00, 1], [0xc000, -2], [0x3555, 0.333251953125], [1, 2 ** -24], [0x7bff, 65504], [0x7c00, Infinity]];
  for (const [bits, value] of known) assert.equal(halfFloat(bits), value);
  assert.ok(Number.isNaN(halfFloat(0x7e00)));
});

const width = { name: "width", label: "width", kind: "slider", labels: ["16", "32", "64"], numbers: [16, 32, 64], whole: true };
const share = { name: "share", label: "share", kind: "slider", labels: ["0", "0.1"], numbers: [0, 0.1], whole: false };
const unit = { name: "unit", label: "unit", kind: "select", labels: ["GRU", "4"], numbers: null, whole: false };
const bands = { name: "bands", label: "bands", kind: "checkbox", labels: ["off", "on"], numbers: null, whole: false };

test("a value has its place on a control, a fraction in between", () => {
  assert.equal(placeOf(width, 64), 2);
  assert.equal(placeOf(width, 48), 1.5);
  assert.equal(placeOf(share, 0.1 + 1e-12), 1);
  assert.equal(placeOf(unit, "4"), 1);
  assert.equal(placeOf(unit, 4), 1); // as a link gives it
  assert.equal(placeOf(bands, true), 1);
});

test("a place has its value, whole where the stops are whole", () => {
  assert.equal(valueAt(width, 0.3), 21);
  assert.equal(valueAt(share, 0.5), 0.05);
  assert.equal(valueAt(unit, 0), "GRU");
  assert.equal(valueAt(bands, 1), true);
  assert.equal(labelAt(width, 1), "32");
  assert.equal(labelAt(width, 0.5), "24");
});

test("a value that no control has is named with what is expected", () => {
  assert.throws(() => placeOf(width, 8), /width must be one of 16, 32, 64, got 8/);
  assert.throws(() => placeOf(width, "wide"), /got "wide"/);
  assert.throws(() => placeOf(unit, "LSTM"), /unit must be one of GRU, 4/);
  assert.throws(() => placeOf(bands, "yes"), /bands must be one of off, on/);
});

test("the nearest combination is found and named", () => {
  const controls = [width, unit, bands];
  const found = findCombination(controls, { width: 60, unit: "4", bands: false });
  assert.deepEqual(found, { at: 2 * 4 + 1 * 2 + 0, exact: false, nearest: "width = 64, unit = 4, bands = off" });
  assert.equal(findCombination(controls, { width: 16, unit: "GRU", bands: true }).exact, true);
});

test("sliders between whole stops pass through whole numbers only", () => {
  assert.equal(fineStep({ ...width, numbers: [1, 2, 3] }), 1);
  assert.equal(fineStep({ ...width, numbers: [1, 5, 9] }), 1 / 4);
  assert.equal(fineStep(width), 1 / 16);
  assert.equal(fineStep(share), 0.1);
});

/** A model as anywidget makes it, without a kernel. */
function fakeModel(state) {
  const heard = [];
  return {
    state, heard,
    get: (name) => state[name],
    set: (name, value) => void (state[name] = value),
    on: (event, react) => heard.push([event, react]),
    off: (event, react) => heard.splice(heard.findIndex(([e, r]) => e === event && r === react), 1),
    saved: 0,
    save_changes() {
      this.saved++;
    },
  };
}

test("the controls see one name each, Python sees one dictionary", () => {
  const inner = fakeModel({ chosen: { a: 1, b: "x" }, initial: { chosen: { a: 1, b: "x" } }, key: "k" });
  const model = spreadChosen(inner, ["a", "b"]);
  assert.deepEqual([model.get("a"), model.get("key"), model.get("initial")], [1, "k", { a: 1, b: "x" }]);
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
