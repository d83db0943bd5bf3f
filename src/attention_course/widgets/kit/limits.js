// What each trait may be: written in Python (kit/traits.py), read here from the trait `limits`.

/**
 * @typedef {object} Limit
 * @property {"whole" | "number" | "choice" | "flag" | "text" | "items"} kind
 * @property {string} expected in words
 * @property {number} min
 * @property {number} max
 * @property {any[]} options of a choice
 * @property {string[]} [texts] what a control shows for each, where it is not the option itself
 * @property {number} fewest items, or characters of a text
 * @property {number} most
 * @property {string} [pattern] that a text fits from end to end
 * @property {Limit} item
 * @property {number[]} [stops] of the slider, where it has not every number
 * @property {[number, number]} [slider] its ends, where it does not go as far as the numbers
 *
 * @typedef {Record<string, Limit>} Limits
 */

/** @type {Record<Limit["kind"], (value: any, limit: Limit) => boolean>} */
const FITS = {
  whole: (value, { min, max }) => Number.isInteger(value) && value >= min && value <= max,
  number: (value, { min, max }) => typeof value === "number" && value >= min && value <= max,
  choice: (value, { options }) => options.includes(value),
  flag: (value) => typeof value === "boolean",
  text: (value, { fewest, most, pattern }) =>
    typeof value === "string" &&
    counted([...value], fewest, most) &&
    (!pattern || new RegExp(`^(?:${pattern})$`).test(value)),
  items: (value, { fewest, most, item }) =>
    Array.isArray(value) &&
    counted(value, fewest, most) &&
    value.every((one) => fits(one, item)),
};

/** @param {any[]} values @param {number} fewest @param {number} most */
const counted = ({ length }, fewest, most) => length >= fewest && length <= most;

/** @param {any} value @param {Limit} limit @returns {boolean} */
export function fits(value, limit) {
  return FITS[limit.kind](value, limit);
}

/** What is wrong with a value, as an error that speaks as Python's does. @param {string} name @param {string} expected @param {any} got */
export function wrong(name, expected, got) {
  return new Error(`${name} must be ${expected}, got ${JSON.stringify(got) ?? String(got)}`);
}

/**
 * The state of a widget; throws if a value is not what Python would take.
 * @param {(name: string) => any} get
 * @param {Limits} limits
 * @param {string[]} names
 * @returns {any} the values by name
 */
export function checked(get, limits, names) {
  return Object.fromEntries(
    names.map((name) => {
      const value = get(name);
      if (name in limits && !fits(value, limits[name]))
        throw wrong(name, limits[name].expected, value);
      return [name, value];
    }),
  );
}

/** Where a slider or a field for a number begins and ends. @param {Limit} limit */
export function range({ min, max, stops, slider }) {
  if (stops) return { values: stops };
  return slider ? { min: slider[0], max: slider[1], takes: { min, max } } : { min, max };
}

/** What a control offers of a choice. @param {Limit} limit */
export function choices({ options, texts }) {
  return options.map((value, i) => ({ value, text: texts?.[i] ?? String(value) }));
}
