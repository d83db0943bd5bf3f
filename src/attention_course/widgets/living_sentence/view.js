// The pictures: the words of the sentence with what one of them looks at; and what comes next.
import { css, mapColours, shade } from "../kit/colour.js";
import { make, svg } from "../kit/elements.js";

const ROW = 30;
const WIDE = 64; // of the arcs
const WIDEST = 9;

/**
 * @typedef {import("./maths.js").Likely} Likely
 * @typedef {{text: string, value: number, name: string} | {strip: ArrayLike<number>, label: string}} Cell a number with its read-out, or a vector
 *
 * @typedef {object} Picture
 * @property {string[]} words
 * @property {number} own how many words are the reader's
 * @property {number} at the word that is looked at
 * @property {number[]} weights of that word
 * @property {string[]} heads of further columns
 * @property {Cell[][]} cells of further columns, by word
 */

/** A vector as a row of shades; the largest number of all has the strongest. @param {ArrayLike<number>} x @param {number} most @param {(name: string) => string} colour @param {string} label */
export function strip(x, most, colour, label) {
  const shades = mapColours(colour, "div");
  const stops = Array.from(
    x,
    (e, i) =>
      `${css(shade(shades, 0.5 + e / (2 * most || 1)))} ${(100 * i) / x.length}% ${(100 * (i + 1)) / x.length}%`,
  );
  const element = make("span", "ac-ls-strip", { role: "img", "aria-label": label });
  element.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return element;
}

/** A cell with a number. @param {string} tag @param {string} name @param {number} value @param {string} text */
export function readout(tag, name, value, text) {
  return make(tag, "", { "data-readout": name, "data-value": value }, text);
}

/** @param {{choose: (t: number) => void, colour: (name: string) => string}} react */
export function pictureOf({ choose, colour }) {
  const arcs = svg("svg", { class: "ac-ls-arcs", width: WIDE, "aria-hidden": "true" });
  const table = make("table", "ac-table ac-ls-words");
  const element = make(
    "div",
    "ac-ls-picture",
    { tabindex: 0, role: "region", "aria-label": "The sentence and its weights" },
    arcs,
    table,
  );
  const middle = (/** @type {number} */ t) => (t + 1.5) * ROW;
  const caption = make("caption", "ac-offscreen");
  const head = make("tr");
  const body = make("tbody");
  table.append(caption, make("thead", "", {}, head), body);

  const row = (/** @type {number} */ t) => {
    const button = make("button", "ac-ls-word", { type: "button", "data-word": t });
    button.addEventListener("click", () => choose(t));
    return make("tr", "", {}, make("th", "", { scope: "row" }, button));
  };

  /** @param {Picture} shown @param {string} where */
  const draw = ({ words, own, at, weights, heads, cells }, where) => {
    caption.textContent = `What “${words[at]}” looks at${where}`;
    const columns = weights.length ? ["weight", ...heads] : heads;
    head.replaceChildren(
      make("th", "", { scope: "col" }, "word"),
      ...columns.map((text) => make("th", "", { scope: "col" }, text)),
    );
    while (body.childElementCount > words.length) body.lastElementChild?.remove();
    while (body.childElementCount < words.length) body.append(row(body.childElementCount));
    const most = Math.max(
      ...cells
        .flat()
        .flatMap((cell) => ("strip" in cell ? Array.from(cell.strip, Math.abs) : [])),
    );
    [...body.children].forEach((line, t) => {
      const button = /** @type {HTMLElement} */ (line.firstElementChild?.firstElementChild);
      button.textContent = words[t];
      button.setAttribute("aria-pressed", String(t === at));
      button.setAttribute(
        "aria-label",
        `Word ${t + 1}, ${words[t]}${t >= own ? ", added by the model" : ""}: look at it`,
      );
      button.className = `ac-ls-word${t >= own ? " ac-ls-added" : ""}`;
      const w = weights[t] ?? 0;
      const bar = make("span", "ac-ls-bar");
      bar.style.width = `${(3.2 * w).toFixed(3)}rem`;
      const weight = make(
        "td",
        "ac-ls-weight",
        { "data-readout": `weight-${t}`, "data-value": w },
        bar,
        make("span", "", {}, w ? w.toFixed(2) : "0"),
      );
      const more = (cells[t] ?? []).map((cell) =>
        "strip" in cell
          ? make("td", "", {}, strip(cell.strip, most, colour, cell.label))
          : cell.name
            ? readout("td", cell.name, cell.value, cell.text)
            : make("td", "", {}, cell.text),
      );
      line.replaceChildren(
        /** @type {Node} */ (line.firstElementChild),
        ...(weights.length ? [weight] : []),
        ...more,
      );
    });
    arcs.setAttribute("height", String((words.length + 1) * ROW));
    arcs.replaceChildren(
      ...weights.map((w, t) => (w < 0.01 ? null : arc(at, t, w))).filter((x) => x !== null),
    );
  };

  const arc = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    /** @type {number} */ w,
  ) => {
    const [a, b] = [middle(from), middle(to)];
    const out = from === to ? 22 : Math.min(WIDE * 1.25, 20 + 7 * Math.abs(from - to));
    const bend = from === to ? 12 : 0; // a word that looks at itself
    const d = `M${WIDE} ${a - bend}C${WIDE - out} ${a - bend} ${WIDE - out} ${b + bend} ${WIDE} ${b + bend}`;
    return svg("path", {
      class: "ac-ls-arc",
      d,
      "stroke-width": (0.5 + WIDEST * w).toFixed(2),
    });
  };
  return { element, draw };
}

/** What may come next: a bar for each word, and a thin one for what it was without the cuts. */
export function nextOf() {
  const caption = make("caption");
  const body = make("tbody");
  const head = make("tr");
  const element = make(
    "table",
    "ac-table ac-ls-next",
    {},
    caption,
    make("thead", "", {}, head),
    body,
  );
  /** @param {string} word @param {Likely[]} words @param {string[]} symbols @param {boolean} cut */
  const draw = (word, words, symbols, cut) => {
    caption.textContent = `What comes after “${word}”?`;
    head.replaceChildren(
      ...["word", cut ? "with the cuts" : "probability", ...(cut ? ["without"] : [])].map(
        (text) => make("th", "", { scope: "col" }, text),
      ),
    );
    body.replaceChildren(
      ...words.map(({ symbol, p, free }, rank) => {
        const bars = [make("span", "ac-ls-now"), make("span", "ac-ls-free", { hidden: !cut })];
        [p, free].forEach((x, i) => (bars[i].style.width = `${(65 * x).toFixed(1)}%`));
        const name = make(
          "th",
          "",
          { scope: "row", "data-readout": `word-${rank}`, "data-value": symbol },
          symbols[symbol],
        );
        const now = make(
          "td",
          "ac-ls-bars",
          { "data-readout": `next-${rank}`, "data-value": p },
          ...bars,
          make("span", "", {}, p.toFixed(2)),
        );
        return make(
          "tr",
          "",
          {},
          name,
          now,
          make(
            "td",
            "",
            { "data-readout": `free-${rank}`, "data-value": free, hidden: !cut },
            free.toFixed(2),
          ),
        );
      }),
    );
  };
  return { element, draw };
}

/** A small heat map: a row for each word, dark where it looks. @param {number[][]} weights @param {(name: string) => string} colour */
export function heatMap(weights, colour) {
  const canvas = /** @type {HTMLCanvasElement} */ (
    make("canvas", "ac-ls-map", {
      width: weights.length,
      height: weights.length,
      "aria-hidden": "true",
    })
  );
  const context = canvas.getContext("2d");
  const shades = mapColours(colour, "seq");
  if (context)
    weights.forEach((row, i) =>
      row.forEach((w, j) => {
        context.fillStyle = css(shade(shades, w));
        context.fillRect(j, i, 1, 1);
      }),
    );
  return canvas;
}
