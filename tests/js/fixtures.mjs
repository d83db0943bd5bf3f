// Fixtures are made by tools/make_fixtures.py from attention_course.reference.
import { readFileSync } from "node:fs";

export const WIDGETS = new URL("../../src/attention_course/widgets/", import.meta.url);

/** @param {string} name */
export function fixture(name) {
  return JSON.parse(readFileSync(new URL(`fixtures/${name}.json`, import.meta.url), "utf8"));
}

/** Are two numbers the same? JSON holds what is not finite as a word. */
export function close(got, wanted, relative, absolute = 0) {
  const want = Number(wanted);
  if (Number.isNaN(want)) return Number.isNaN(got);
  return got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);
}
