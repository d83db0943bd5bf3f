// Numbers for people, and what sorted numbers say.

const MINUS = "\u2212";
const [LEVEL, UP] = ["-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"];
/** A whole number as it stands above the line. @param {number} n */
export const raised = (n) => [...String(n)].map((c) => UP[LEVEL.indexOf(c)]).join("");

/**
 * A number for people: three significant digits, 2.1 × 10⁻⁵ outside 0.001 to 99999.
 * @param {number} x
 * @param {number} [digits] significant digits
 * @returns {string}
 */
export function formatNumber(x, digits = 3) {
  if (Number.isNaN(x)) return "not a number";
  if (!Number.isFinite(x)) return x > 0 ? "infinite" : `${MINUS}infinite`;
  const size = Math.abs(x);
  if (size === 0) return "0";
  // Rounded before its exponent is read: 9.999 becomes 10.0, which has another one.
  const text = size.toExponential(digits - 1).split("e");
  const exponent = Number(text[1]);
  const sign = x < 0 ? MINUS : "";
  if (exponent < -3 || exponent > 4) {
    return `${sign}${text[0].replace(/\.0+$/, "")} × 10${raised(exponent)}`;
  }
  return sign + Number(`${text[0]}e${exponent}`).toFixed(Math.max(0, digits - 1 - exponent));
}

/**
 * The q-quantile (0 to 1) with linear interpolation, as numpy.quantile. NaN if there is none.
 * @param {ArrayLike<number>} sorted ascending
 * @param {number} q
 */
export function quantile(sorted, q) {
  const place = q * (sorted.length - 1);
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted.length ? sorted[low] + (place - low) * (sorted[high] - sorted[low]) : NaN;
}

/** A whole number with commas between its thousands. @param {number} x */
export const thousands = (x) => String(x).replace(/\B(?=(\d{3})+$)/g, ",");

/** In or out of a list of numbers. @param {number[]} list @param {number} one */
export function toggled(list, one) {
  return list.includes(one)
    ? list.filter((x) => x !== one)
    : [...list, one].sort((a, b) => a - b);
}
