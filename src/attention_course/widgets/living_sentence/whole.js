// The whole model in one table, read from below: words, blocks, and in the open block its parts.
import { argmax, length, own } from "./maths.js";
import { dotScores } from "../models/layers.js";
import { softmax } from "../kit/attention.js";
import { make } from "../kit/elements.js";
import { readout, strip } from "./view.js";
import { cutInWords } from "./words.js";

/** @typedef {import("./views.js").Shown & {hidden: (layer: number, x: Float64Array) => Float64Array}} Whole */
/** @typedef {Partial<import("./maths.js").State>} Values */

/**
 * A row of the table: its heading stays while its cells change, so that who has the focus keeps it.
 * @param {string} text
 * @param {{cut?: string, open?: {name: string, press: () => void}, toggle: (cut: string) => void}} what
 */
function rowOf(text, { cut, open, toggle }) {
  const head = make("th", "", { scope: "row" });
  const button = open && make("button", "ac-ls-open", { type: "button" }, text);
  button?.addEventListener("click", /** @type {any} */ (open).press);
  const box = cut
    ? /** @type {HTMLInputElement} */ (make("input", "ac-check", { type: "checkbox" }))
    : null;
  box?.addEventListener("input", () => toggle(/** @type {string} */ (cut)));
  const name = make("div", "ac-ls-part", {}, button ?? make("span", "", {}, text));
  if (box)
    name.append(make("label", "", {}, box, make("span", "", { "aria-hidden": "true" }, "✂")));
  head.append(name);
  const element = make("tr", "", {}, head);
  return {
    element,
    /** @param {Pick<Whole, "state">} shown @param {Node[]} cells @param {boolean} [pressed] */
    draw({ state }, cells, pressed) {
      if (button && pressed !== undefined)
        button.setAttribute(`aria-${open?.name}`, `${pressed}`);
      if (box && cut) {
        box.checked = state.cuts.includes(cut);
        box.setAttribute("aria-label", `Cut: ${cutInWords(cut, state.blade)}`);
      }
      element.classList.toggle("ac-ls-off", box?.checked ?? false);
      while (element.lastChild !== head) element.lastChild?.remove();
      element.append(...cells);
    },
  };
}

/** @param {{layers: number, heads: number, colour: (name: string) => string, choose: (values: Values) => void, toggle: (cut: string) => void}} react */
export function wholeOf({ layers, heads, colour, choose, toggle }) {
  const numbers = (/** @type {number} */ n) => Array.from({ length: n }, (_, i) => i + 1);
  const plain = (/** @type {string} */ text) => rowOf(text, { toggle });
  const writes = plain("writes next");
  const typed = plain("word + position");
  const foot = make("tr");
  const blocks = numbers(layers).map((layer) => ({
    layer,
    whole: rowOf(`block ${layer}`, {
      cut: `layer-${layer}`,
      open: { name: "expanded", press: () => choose({ layer }) },
      toggle,
    }),
    hidden: rowOf("feed-forward", { cut: `feed-forward-${layer}`, toggle }),
    attention: rowOf("attention", { cut: `attention-${layer}`, toggle }),
    values: plain("weight × value"),
    heads: numbers(heads).map((head) =>
      rowOf(`head ${head}`, {
        cut: `head-${layer}-${head}`,
        open: { name: "pressed", press: () => choose({ head }) },
        toggle,
      }),
    ),
    scores: plain("q · k / √dₖ"),
  }));
  const inside = (/** @type {typeof blocks[0]} */ b) =>
    [b.hidden, b.attention, b.values, ...b.heads, b.scores].map(({ element }) => element);
  const body = make(
    "tbody",
    "",
    {},
    writes.element,
    ...[...blocks].reverse().flatMap((b) => [b.whole.element, ...inside(b)]),
    typed.element,
  );
  for (const b of blocks) for (const row of inside(b)) row.classList.add("ac-ls-inside");
  const hint = make("p", "ac-hint");
  const table = make("table", "ac-table ac-ls-grid", {}, body, make("tfoot", "", {}, foot));
  const name = { tabindex: 0, role: "region", "aria-label": "The whole model" };
  const scroll = make("div", "ac-ls-scroll", name, table);
  const element = make("div", "", {}, hint, scroll);
  let before = ""; // the word that was chosen, and of how many

  /** What the output layer would say of each word after a step. @param {Whole} shown @param {number} step */
  const said = ({ reading, uncut, cut, spoken, symbols, at }, step) => {
    const most = Math.max(...reading.stream[step].flatMap((x) => Array.from(x, Math.abs))) / 2;
    return reading.stream[step].map((x, t) => {
      const logits = spoken(x);
      const symbol = argmax(logits);
      const changed = cut && argmax(spoken(uncut.stream[step][t])) !== symbol;
      const sure = Math.max(...softmax(logits));
      const cell = readout("td", `cell-${step}-${t}`, symbol, symbols[symbol]);
      cell.className = `ac-ls-cell${t === at ? " ac-ls-at" : ""}${changed ? " ac-ls-changed" : ""}`;
      cell.style.setProperty("--ac-sure", `${(45 * sure).toFixed(0)}%`);
      const bar = strip(x, most, colour, "");
      bar.setAttribute("aria-hidden", "true");
      cell.append(bar);
      return { cell, symbol, sure };
    });
  };
  const added = (/** @type {string} */ name, /** @type {Float64Array} */ x) => {
    const cell = readout("td", `added-${name}`, length(x), length(x).toFixed(1));
    cell.className = "ac-ls-adds";
    return cell;
  };

  /** The parts of the open block, for the chosen word. @param {Whole} shown @param {typeof blocks[0]} b @param {{cell: HTMLElement}[]} cells after attention */
  const open = (shown, b, cells) => {
    const { state, reading, at, hidden } = shown;
    const { q, seen, weights } = reading.looked[b.layer - 1];
    const z = hidden(b.layer, reading.stream[2 * b.layer][at]);
    const on = z.filter((x) => x > 0).length;
    const text = `${on} of ${z.length} hidden units are above 0`;
    const units = make("td", "ac-ls-units", { colspan: cells.length });
    units.append(
      strip(z, Math.max(...z), colour, "the hidden layer"),
      readout("span", "on", on, text),
    );
    b.hidden.draw(shown, [units, added("feed-forward", reading.parts[2 * b.layer + 1][at])]);
    b.attention.draw(shown, [
      ...cells.map(({ cell }) => cell),
      added("attention", reading.parts[2 * b.layer][at]),
    ]);
    const part = (/** @type {Float64Array} */ x) => own(x, state.head, heads);
    const row = weights[state.head - 1][at];
    const taken = seen.map(({ v }, t) => part(v).map((x) => x * row[t]));
    const most = Math.max(...taken.flatMap((x) => Array.from(x, Math.abs)));
    const empty = () => make("td", "ac-ls-hidden", {}, "");
    b.values.draw(
      shown,
      taken.map((x, t) =>
        t > at && !row[t]
          ? empty()
          : make(
              "td",
              "",
              {},
              strip(x, most, colour, `weight times value of ${shown.texts[t]}`),
            ),
      ),
    );
    b.heads.forEach((head, h) => {
      const each = weights[h][at].map((w, t) => {
        const cell = readout("td", `weight-${h + 1}-${t}`, w, t > at && !w ? "" : w.toFixed(2));
        cell.className = "ac-ls-gaze";
        cell.style.setProperty("--ac-gaze", `${(45 * w).toFixed(0)}%`);
        return cell;
      });
      head.draw(shown, each, state.head === h + 1);
    });
    const scores = dotScores(
      part(q[at]),
      seen.map(({ k }) => part(k)),
    );
    b.scores.draw(
      shown,
      scores.map((e, t) =>
        t > at && !row[t]
          ? empty()
          : readout("td", `score-${t}`, e, e.toFixed(1).replace("-", "−")),
      ),
    );
  };

  const words = (/** @type {Whole} */ { texts, at, state }) =>
    texts.map((text, t) => {
      const button = make(
        "button",
        "ac-ls-word",
        { type: "button", "data-word": t, "aria-pressed": String(t === at) },
        text,
      );
      button.addEventListener("click", () => choose({ word: t + 1 }));
      if (t >= texts.length - state.written) button.classList.add("ac-ls-added");
      return make("th", "", { scope: "col" }, button);
    });

  /** @param {Whole} shown */
  const draw = (shown) => {
    const { state, reading, at, texts, symbols } = shown;
    hint.textContent =
      "Read from below. A cell says what the model would write if it ended there; its stripe is the vector.";
    const last = said(shown, reading.stream.length - 1);
    writes.draw(
      shown,
      last.map(({ symbol, sure }, t) =>
        make(
          "td",
          `ac-ls-written${t === at ? " ac-ls-at" : ""}`,
          {},
          symbols[symbol],
          make("small", "", {}, sure.toFixed(2)),
        ),
      ),
    );
    let told = "";
    for (const b of blocks) {
      const is = b.layer === state.layer;
      const cells = b.layer === layers ? last : said(shown, 2 * b.layer + 1);
      const sum = reading.parts[2 * b.layer][at].map(
        (x, i) => x + reading.parts[2 * b.layer + 1][at][i],
      );
      const row = [...cells.map(({ cell }) => cell), added(`block-${b.layer}`, sum)];
      b.whole.draw(shown, row, is);
      inside(b).forEach((each) => (each.hidden = !is));
      if (!is) {
        for (const each of [b.hidden, b.attention, b.values, ...b.heads, b.scores])
          each.draw(shown, []);
        continue;
      }
      const after = said(shown, 2 * b.layer);
      open(shown, b, after);
      const [one, two, three] = [said(shown, 2 * b.layer - 1), after, cells].map(
        (all) => `“${symbols[all[at].symbol]}” (${all[at].sure.toFixed(2)})`,
      );
      told = `In block ${b.layer} the guess after “${texts[at]}” goes from ${one} to ${two} by attention, and to ${three} by the feed-forward part.`;
    }
    typed.draw(
      shown,
      said(shown, 1).map(({ cell }) => cell),
    );
    const focused = [...foot.querySelectorAll("button")].indexOf(
      /** @type {any} */ (document.activeElement),
    );
    foot.replaceChildren(
      make("td"),
      ...words(shown),
      make("th", "ac-ls-adds", { scope: "col" }, "adds"),
    );
    foot.querySelectorAll("button")[focused]?.focus();
    if (before !== (before = `${at} ${texts.length}`)) {
      const place = /** @type {HTMLElement} */ (foot.children[at + 1]);
      scroll.scrollLeft = place.offsetLeft + place.offsetWidth - scroll.clientWidth + 8;
    }
    return { elements: null, said: told };
  };
  return { element, draw };
}
