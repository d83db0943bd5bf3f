// A field for a number, which is read as people write it.
import { freshId, tag } from "./elements.js";

const SPACE = "[ \\u00a0\\u2007\\u2009\\u202f'’]";
const RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹";
// What is too long for a line is not said again.
const quoted = (/** @type {string} */ text) => (text.length > 30 ? "This" : `“${text}”`);

/**
 * The number that a text stands for, or in words why it stands for none.
 * @param {string} text such as 8.5, 8,5, 1/8, 85 %, 2^3, 1e-3, 1·10^-3, 1 000
 * @param {string} [unit] what stands behind the number; of "%" 85 % is 85, else 0.85
 * @returns {{value?: number, problem?: string}} nothing of an empty text
 */
export function readNumber(text, unit = "") {
  const asked = text.trim();
  if (!asked) return {};
  let left = asked.replace(/[\u2212\u2010-\u2013]/g, "-");
  left = left.replace(
    /[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+/g,
    (up) =>
      `^${[...up].map((c) => (c === "⁻" ? "-" : c === "⁺" ? "" : RAISED.indexOf(c))).join("")}`,
  );
  let share = 1;
  if (/[%٪]$/.test(left)) {
    left = left.slice(0, -1).trimEnd();
    share = unit.startsWith("%") ? 1 : 0.01;
  } else if (unit && left.endsWith(unit)) left = left.slice(0, -unit.length).trimEnd();
  // Marks between thousands: 1 000, 1'000; and 1,000,000, 1.000,5, which can be nothing else.
  left = left.replace(new RegExp(`(?<![\\d.,])\\d{1,3}(?:${SPACE}\\d{3})+(?!\\d)`, "g"), (n) =>
    n.replace(/\D/g, ""),
  );
  left = left.replace(/(?<![\d.,])\d{1,3}(?:([.,])\d{3})(?:\1\d{3})+(?!\d)/g, (n) =>
    n.replace(/\D/g, ""),
  );
  left = left.replace(
    /(?<![\d.,])(\d{1,3}(?:,\d{3})+)\.(?=\d)/g,
    (_, n) => `${n.replace(/,/g, "")}.`,
  );
  left = left.replace(
    /(?<![\d.,])(\d{1,3}(?:\.\d{3})+),(?=\d)/g,
    (_, n) => `${n.replace(/\./g, "")}.`,
  );
  const doubt = left.match(/(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.,])/);
  if (doubt) {
    const [point, none] = [doubt[0].replace(",", "."), doubt[0].replace(",", "")];
    return {
      problem: `${doubt[0]} can be read in two ways: write ${Number(point)} or ${none}.`,
    };
  }
  const number = "(?:\\d+(?:[.,]\\d*)?|[.,]\\d+)";
  const power = `${number}(?:e[+-]?\\d+)?(?: *(?:\\^|\\*\\*) *\\(?[+-]?${number}\\)?)?`;
  const product = `${power}(?: *(?:[·×x⋅]|\\*(?!\\*)) *${power})*`;
  const form = new RegExp(`^([+-]?) *(${product})(?: *[/÷⁄∕:] *(${product}))?$`, "i");
  const found = left.match(form);
  if (!found)
    return {
      problem: `${quoted(asked)} cannot be read as a number: write it as 0.5, 0,5, 1/2, 50 %, 2^3 or 1e-3.`,
    };
  const plain = (/** @type {string} */ part) =>
    Number(part.replace(",", ".").replace(/[()]/g, ""));
  const times = (/** @type {string} */ part) =>
    part
      .replace(/ /g, "")
      .split(/[·×x⋅]|(?<!\*)\*(?!\*)/i)
      .map((one) => one.split(/\^|\*\*/))
      .reduce(
        (all, [base, up]) => all * (up === undefined ? plain(base) : plain(base) ** plain(up)),
        1,
      );
  const size = found[3] === undefined ? times(found[2]) : times(found[2]) / times(found[3]);
  // 0.1 × 3 has more digits than anybody wrote.
  const value = Number(((found[1] === "-" ? -size : size) * share).toPrecision(15)) + 0;
  if (!Number.isFinite(value)) return { problem: `${quoted(asked)} is not a finite number.` };
  if (value === 0 && /[1-9]/.test(left.replace(/(e|\^|\*\*).*/i, "").split(/[/÷⁄∕:]/)[0]))
    return { problem: `${quoted(asked)} is too small: it would be read as 0.` };
  return { value };
}

/**
 * A field that reads numbers so, and says beside it what a text is taken for, or that it is not
 * between `min` and `max`, or not `whole`. The arrow keys count by `step`.
 * @param {object} options
 * @param {string} [options.name] its classes
 * @param {Record<string, any>} [options.attributes]
 * @param {number} [options.min]
 * @param {number} [options.max]
 * @param {number | "any"} [options.step]
 * @param {boolean} [options.whole]
 * @param {string} [options.unit]
 * @param {(value: number) => string} [options.format]
 */
export function numberField({
  name = "ac-entry",
  attributes = {},
  min = -Infinity,
  max = Infinity,
  step = 1,
  whole = false,
  unit = "",
  format = String,
}) {
  const note = tag("span.ac-taken", { id: freshId("taken"), "aria-live": "polite" });
  const described = [attributes["aria-describedby"], note.id].filter(Boolean).join(" ");
  // The keys for decimals have neither a sign nor a fraction on some phones.
  const inputmode = min >= 0 ? "decimal" : "text";
  const own = {
    type: "text",
    inputmode,
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
  };
  const input = tag("input", {
    class: name,
    ...own,
    ...attributes,
    "aria-describedby": described,
  });
  const read = () => {
    const { value, problem } = readNumber(input.value, unit);
    if (
      value === undefined ||
      (value >= min && value <= max && (!whole || Number.isInteger(value)))
    )
      return { value, problem };
    return {
      problem: `${quoted(input.value.trim())} does not fit: write a ${whole ? "whole " : ""}number between ${min} and ${max}.`,
    };
  };
  const say = () => {
    const { value, problem } = read();
    const same = value === undefined || input.value.trim() === String(value);
    note.textContent = problem ?? (same ? "" : `= ${format(/** @type {number} */ (value))}`);
    if (problem) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  };
  input.addEventListener("input", say);
  input.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    const { value = 0, problem } = read();
    if (!by || problem || input.readOnly) return;
    event.preventDefault();
    const next = Math.min(max, Math.max(min, value + by * (step === "any" ? 1 : step)));
    // In binary 0.1 + 0.2 is a little more than 0.3.
    input.value = String(Number(next.toPrecision(12)));
    say();
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
  return {
    input,
    note,
    read,
    /** Shows a value, but not under the hands of who types, and not over what could not be read. @param {number | undefined} value */
    set(value) {
      if (document.activeElement === input || (read().problem && value === undefined)) return;
      input.value = value === undefined ? "" : String(value);
      say();
    },
    /** Calls when a number, or an empty text, is given. @param {(value: number | "") => void} react */
    onChange(react) {
      input.addEventListener("change", () => {
        const { value, problem } = read();
        if (problem === undefined) react(value ?? "");
      });
    },
  };
}
