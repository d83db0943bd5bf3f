// Numbers in cells and in sentences: drawing/_sketch.py and words.py in JavaScript.
import { raised } from "../kit/numbers.js";

const LONGEST = 6;

/** What stands at a place: "scores.2"; a word in it is a number among the values. @param {Record<string, any>} values @param {string} path @returns {any} */
export function lookUp(values, path) {
  const [first, ...rest] = path.split(".");
  return rest.reduce(
    (found, part) => found[/^\d+$/.test(part) ? Number(part) : values[part]],
    values[first],
  );
}

/** A number for a small cell: as short as it is, or two decimals, or a power of ten. @param {number | string} x @returns {string} */
export function cellText(x) {
  if (typeof x === "string") return x;
  const size = Math.abs(x);
  let text = size.toFixed(size < 99.5 ? 2 : 0);
  if (size === Infinity) text = "∞";
  else if (Number.isInteger(size) && size < 1000) text = String(size);
  else if (Number(size.toFixed(1)) === size && size < 99.5) text = size.toFixed(1);
  else if (x > 0.999 && x < 1) text = "> 0.999";
  else if (size < 0.005 || size >= 9999.5) {
    const [digits, power] = size.toExponential(0).split("e");
    text = `${digits}×10${raised(Number(power))}`;
  }
  return x < 0 ? `−${text}` : text;
}

/** @param {number} x */
const length = (x) => x.toFixed(1).replace(/\.0$/, "").replace(/^-0$/, "0");

/** A long vector as bars. @param {number[]} vector @param {number} limit @param {number} wide @param {number} high */
export function barsPath(vector, limit, wide, high) {
  const middle = high / 2;
  return vector
    .map(
      (x, i) =>
        `M${length((wide / vector.length) * (i + 0.5))} ${length(middle)}v${length((-x / limit) * (middle - 0.5))}`,
    )
    .join("");
}

/** @param {number} x */
const bracketed = (x) => (x < 0 ? `(${cellText(x)})` : cellText(x));

/** @param {number[]} a @param {number[]} b */
function products(a, b) {
  const pairs = a.map((x, i) => `${bracketed(x)}·${bracketed(b[i])}`);
  return pairs.slice(0, LONGEST).join(" + ") + (a.length > LONGEST ? " + …" : "");
}

/** Put numbers into a sentence: {scores.2}, {#top} from 1, {a * b} for products. @param {string} text @param {Record<string, any>} values */
export function fill(text, values) {
  return text.replace(/\{([^}]+)\}/g, (_, name) => {
    if (name.startsWith("#")) return String(lookUp(values, name.slice(1)) + 1);
    const [first, second] = name.split(" * ");
    if (second) return products(lookUp(values, first), lookUp(values, second));
    const found = lookUp(values, name);
    if (!Array.isArray(found)) return cellText(found).replace("> ", "more than ");
    return `[${found.slice(0, LONGEST).map(cellText).join(", ")}${found.length > LONGEST ? ", …" : ""}]`;
  });
}
