// Fixtures are made by tools/make_fixtures.py from attention_course.reference: a widget's in its folder.
import { readFileSync } from "node:fs";

export const WIDGETS = new URL("../../src/attention_course/widgets/", import.meta.url);

/** @param {string} name @param {string | URL} [beside] the file that it lies beside: a widget's own test */
export function fixture(name, beside = new URL("fixtures/", import.meta.url)) {
  return JSON.parse(readFileSync(new URL(`${name}.json`, beside), "utf8"));
}

/** Are two numbers the same? JSON holds what is not finite as a word. */
export function close(got, wanted, relative, absolute = 0) {
  const want = Number(wanted);
  if (Number.isNaN(want)) return Number.isNaN(got);
  return got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);
}
