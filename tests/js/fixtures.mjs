// Fixtures are made by tools/make_fixtures.py from attention_course.reference: a widget's in its folder.
import { existsSync, readdirSync, readFileSync } from "node:fs";

export const WIDGETS = new URL("../../src/attention_course/widgets/", import.meta.url);

/** @param {string} name @param {string | URL} [beside] the file that it lies beside: a widget's own test */
export function fixture(name, beside = new URL("fixtures/", import.meta.url)) {
  return JSON.parse(readFileSync(new URL(`${name}.json`, beside), "utf8"));
}

/** What a widget's script has in `limits`: of each trait, and the constants. */
export function limitsOf(folder) {
  const { rows, constants } = fixture("limits", new URL(`${folder}/tests/`, WIDGETS));
  return {
    ...Object.fromEntries(rows.map(({ trait, limit }) => [trait.split(".")[1], limit])),
    constants,
  };
}

/** The limits of every trait of every widget, as each folder has them. */
export function everyLimit() {
  const files = readdirSync(WIDGETS).map(
    (folder) => new URL(`${folder}/tests/limits.json`, WIDGETS),
  );
  return files
    .filter((file) => existsSync(file))
    .flatMap((file) => JSON.parse(readFileSync(file, "utf8")).rows);
}

/** Are two numbers the same? JSON holds what is not finite as a word. */
export function close(got, wanted, relative, absolute = 0) {
  const want = Number(wanted);
  if (Number.isNaN(want)) return Number.isNaN(got);
  return got === want || Math.abs(got - want) <= absolute + relative * Math.abs(want);
}
