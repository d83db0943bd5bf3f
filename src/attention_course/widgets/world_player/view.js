// The picture: English words on the left, French ones on the right, lines of weighted thickness.
import { readout, tag, svg } from "../kit/elements.js";

const ROW = 46; // as style.css has it: a word and its gloss
const WIDEST = 9;
const NOTCH = 0.25; // px: lines that differ by less are drawn as one, or equal weights would need a thousand
const ROWS = 8; // of the table that are made in a frame

/**
 * @typedef {object} Picture
 * @property {string[]} words
 * @property {number[]} forbidden
 * @property {string[]} written
 * @property {boolean[]} fresh which of them the cuts have brought
 * @property {number[][]} weights of each written word
 * @property {number} at whose lines stand out, -1 for nobody's
 * @property {number} chosen
 * @property {string[]} [glosses] under the written words
 * @property {(Truth | null)[]} [truth] of the written words; null for a wrong one
 */

/** @typedef {{ from: number[], deciders: number[], should?: string }} Truth where a word comes from, and what else decides it; of a wrong one, the word that should be there */

/** Which source words get a line of which width. @param {number[]} weights @returns {[number, number[]][]} */
export function bundles(weights) {
  /** @type {Map<number, number[]>} */
  const found = new Map();
  weights.forEach((w, j) => {
    const width = Math.round((0.5 + WIDEST * w) / NOTCH) * NOTCH;
    if (w >= 0.01) found.set(width, [...(found.get(width) ?? []), j]);
  });
  return [...found];
}

/** Set what is not set already: a browser lays out and paints after each change. @param {Element} element @param {string} name @param {string} value */
function put(element, name, value) {
  if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** @param {Element} element @param {string} text */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Make a list have so many buttons; those that are there stay, and keep the focus. @param {HTMLElement} list @param {number} n @param {(i: number) => HTMLElement} build */
function fill(list, n, build) {
  while (list.childElementCount > n) list.lastElementChild?.remove();
  while (list.childElementCount < n) list.append(tag("li", build(list.childElementCount)));
  return /** @type {HTMLElement[]} */ (
    [...list.children].map((item) => item.firstElementChild)
  );
}

/**
 * @param {object} react
 * @param {(j: number) => void} react.forbid
 * @param {(i: number) => void} react.choose
 * @param {(i: number) => void} react.point -1 for none
 * @param {(i: number, j: number) => void} react.move the gaze of word i to source word j
 */
export function pictureOf({ forbid, choose, point, move }) {
  /** Where the middle of a row lies. @param {number} i */
  const middle = (i) => (i + 0.5) * ROW;
  const english = tag("ol.ac-sp-words.ac-sp-english", {
    lang: "en",
    "aria-label": "English: press a word to forbid it",
  });
  const french = tag("ol.ac-sp-words.ac-sp-french", {
    lang: "fr",
    "aria-label": "French: press a word to choose it",
  });
  const lines = svg("svg", {
    class: "ac-sp-lines",
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const element = tag(
    "div.ac-sp-picture",
    tag("div.ac-sp-head", "English"),
    tag("div.ac-sp-head"),
    tag("div.ac-sp-head", "French"),
    english,
    lines,
    french,
  );
  let dragged = -1;

  const line = (
    /** @type {number} */ i,
    /** @type {number[]} */ sources,
    /** @type {number} */ width,
    kind = "ac-sp-line",
  ) =>
    svg("path", {
      class: kind,
      d: sources
        .map((j) => `M0 ${middle(j)}C45 ${middle(j)} 55 ${middle(i)} 100 ${middle(i)}`)
        .join(""),
      "stroke-width": width,
      "vector-effect": "non-scaling-stroke",
    });

  /** A word that is dragged: to an English word goes its gaze. @param {HTMLElement} button @param {number} i */
  const draggable = (button, i) => {
    let from = { x: 0, y: 0 };
    const over = (/** @type {PointerEvent} */ event) => {
      const below = document
        .elementsFromPoint(event.clientX, event.clientY)
        .map((e) => /** @type {HTMLElement | null} */ (e.closest("[data-source]")));
      return below.find((e) => e && english.contains(e)) ?? null;
    };
    const stop = () => {
      dragged = -1;
      element.classList.remove("ac-sp-dragging");
      lines.querySelector(".ac-sp-drag")?.remove();
    };
    button.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY };
      button.setPointerCapture(event.pointerId);
    });
    button.addEventListener("pointermove", (event) => {
      if (
        !button.hasPointerCapture(event.pointerId) ||
        (dragged < 0 && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 8)
      )
        return;
      dragged = i;
      element.classList.add("ac-sp-dragging");
      const box = lines.getBoundingClientRect();
      const [x, y] = [(100 * (event.clientX - box.left)) / box.width, event.clientY - box.top];
      lines.querySelector(".ac-sp-drag")?.remove();
      lines.append(
        svg("path", {
          class: "ac-sp-drag",
          d: `M${x} ${y}L100 ${middle(i)}`,
          "vector-effect": "non-scaling-stroke",
        }),
      );
    });
    button.addEventListener("pointerup", (event) => {
      const target = dragged === i ? over(event) : null;
      if (target) move(i, Number(target.dataset.source));
      setTimeout(stop); // after the click, which a drag is not
    });
    button.addEventListener("pointercancel", stop);
    button.addEventListener("click", () => dragged < 0 && choose(i));
  };

  const source = (/** @type {number} */ j) => {
    const button = tag("button.ac-sp-word", { type: "button", "data-source": j });
    button.addEventListener("click", () => forbid(j));
    return button;
  };
  const target = (/** @type {number} */ i) => {
    const button = tag("button.ac-sp-word", { type: "button", "data-target": i });
    for (const event of ["pointerenter", "focus"])
      button.addEventListener(event, () => point(i));
    for (const event of ["pointerleave", "blur"])
      button.addEventListener(event, () => point(-1));
    draggable(button, i);
    return button;
  };

  const truths = svg("g");
  let known = "";
  /** What is true lies over what the model looks at. @param {(Truth | null)[]} truth @param {number} at */
  const drawTruth = (truth, at) => {
    if (lines.lastElementChild !== truths) lines.append(truths);
    if (known === (known = JSON.stringify([truth, at]))) return;
    truths.replaceChildren(
      ...truth.flatMap((one, i) => {
        const paths = one
          ? [
              line(i, one.from, 2, "ac-sp-from"),
              line(i, one.deciders, 2.5, "ac-sp-decides"),
            ].filter((path) => path.getAttribute("d"))
          : [];
        if (at >= 0 && i !== at) for (const path of paths) path.setAttribute("opacity", "0.15");
        return paths;
      }),
    );
  };

  // A word keeps its lines while its weights are the same: then only a class changes.
  /** @type {{row: number[], group: Element}[]} */
  const drawn = [];
  /** @param {number[][]} weights @param {number} at */
  const drawLines = (weights, at) => {
    while (drawn.length > weights.length) drawn.pop()?.group.remove();
    weights.forEach((row, i) => {
      if (drawn[i]?.row !== row) {
        const group = svg(
          "g",
          {},
          ...bundles(row).map(([width, sources]) => line(i, sources, width)),
        );
        if (drawn[i]) drawn[i].group.replaceWith(group);
        else lines.append(group);
        drawn[i] = { row, group };
      }
      put(drawn[i].group, "class", i === at ? "ac-sp-own" : "");
    });
  };

  /** @param {Picture} shown */
  const draw = ({
    words,
    forbidden,
    written,
    fresh,
    weights,
    at,
    chosen,
    glosses = [],
    truth = [],
  }) => {
    fill(english, words.length, source).forEach((button, j) => {
      const off = forbidden.includes(j);
      say(button, words[j]);
      put(button, "aria-pressed", String(off));
      put(button, "aria-label", `English word ${j + 1}, ${words[j]}: forbid it`);
      put(button, "class", `ac-sp-word${off ? " ac-sp-off" : ""}`);
    });
    fill(french, written.length, target).forEach((button, i) => {
      const other = fresh[i] === true;
      const wrong = truth[i] === null || truth[i]?.should !== undefined;
      say(button, written[i]);
      put(button, "aria-pressed", String(chosen === i));
      const told = [
        glosses[i] && `“${glosses[i]}”`,
        other && "changed by the cuts",
        wrong && "wrong",
      ];
      const about = [written[i], ...told.filter(Boolean)].join(", ");
      put(button, "aria-label", `French word ${i + 1}, ${about}: choose it`);
      const kinds = { "ac-sp-at": i === at, "ac-sp-other": other, "ac-sp-wrong": wrong };
      const own = Object.entries(kinds).flatMap(([kind, is]) => (is ? [kind] : []));
      put(button, "class", ["ac-sp-word", ...own].join(" "));
      if (!button.nextElementSibling)
        button.after(tag("span.ac-sp-gloss", { lang: "en", "aria-hidden": "true" }));
      say(/** @type {Element} */ (button.nextElementSibling), glosses[i] ?? "");
    });
    const height = ROW * Math.max(words.length, written.length);
    put(lines, "viewBox", `0 0 100 ${height}`);
    put(lines, "style", `height: ${height}px`);
    drawLines(weights, at);
    drawTruth(truth, at);
    lines.classList.toggle("ac-sp-one", at >= 0);
  };
  return { element, draw };
}

/** The weights as a table, of which only changed rows are made anew: a few at a time. */
export function tableOf() {
  const [head, body] = [tag("tr"), tag("tbody")];
  const element = tag(
    "table.ac-table",
    tag(
      "caption",
      "Attention weights: each row is a French word, and looks at the English words",
    ),
    tag("thead", head),
    body,
  );
  let titles = "";
  /** @type {{key: string, row: number[]}[]} */
  const made = [];
  /** Whether all rows are made. @param {string[]} words @param {string[]} written @param {number[]} symbols @param {number[][]} weights */
  const draw = (words, written, symbols, weights) => {
    if (titles !== (titles = words.join(" ")))
      head.replaceChildren(
        tag("th", { scope: "col" }, "word"),
        ...words.map((word) => tag("th", { scope: "col" }, word)),
      );
    for (; made.length > weights.length; made.pop()) body.lastElementChild?.remove();
    let left = ROWS;
    return weights.every((row, i) => {
      const key = `${symbols[i]} ${titles}`;
      if (made[i]?.row === row && made[i].key === key) return true;
      if (left-- === 0) return false;
      made[i] = { key, row };
      const cells = row.map((w, j) => tag("td", readout(`weight-${i}-${j}`, w), w.toFixed(2)));
      const line = tag(
        "tr",
        tag(
          "th",
          { scope: "row", "data-readout": `word-${i}`, "data-value": symbols[i] },
          written[i],
        ),
        ...cells,
      );
      if (body.children[i]) body.children[i].replaceWith(line);
      else body.append(line);
      return true;
    });
  };
  return { element, draw };
}
