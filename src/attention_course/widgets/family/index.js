// One sentence in every recurrent translator at once: where each looks for one word.
import { buttonControl } from "../kit/controls.js";
import { readout, tag } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";
import { recordedRun } from "../models/arrive.js";
import { UNCUT } from "../models/translators.js";
import { runs, writeOn } from "../world_player/maths.js";
import { named } from "../world_player/words.js";
import { smallWorld } from "../world_player/arrived.js";
import { readWords } from "../world_player/truth.js";
import { rowOf, sentence, shareOf } from "./rows.js";

/** @typedef {{LONGEST: number, MODELS: [string, string][], REFERENCE: string}} Constants as Python has them */

const SLICE = 8; // of computing in a frame, in ms

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
export function render({ model, el }) {
  const shell = createShell(model, el, {
    title: "The recurrent family on one sentence",
    controls: "above",
  });
  shell.root.classList.add("ac-family");
  const { LONGEST, MODELS, REFERENCE } = /** @type {Constants} */ (
    model.get("limits").constants
  );
  const begin = (/** @type {string} */ text) =>
    shell.set({ sentence: text, chosen: 0, started: true });
  const kept = runs(2 * MODELS.length);
  const { world, loadedBy, decidersOf, buttons } = smallWorld(model, shell, begin);
  const all = buttonControl("Translate", () => shell.set({ started: true }));
  buttons.append(all);
  shell.offer("uniform", "Every model looks at all words alike");

  const right = tag("div.ac-family-right", {
    role: "group",
    "aria-label": "The right translation: choose the word that is compared",
  });
  const table = tag("table.ac-table.ac-family-table");
  const box = tag("div.ac-family-box", right, table);
  const recorded = recordedRun(model, el);
  recorded.hidden = true;
  shell.picture.append(box);
  shell.readout.after(recorded);

  /** The right translation as buttons; the one that is compared is pressed. @param {string[]} words @param {number} at */
  const offer = (words, at) => {
    if (right.dataset.words !== (right.dataset.words = words.join(" ")))
      right.replaceChildren(
        tag("span", "Right: "),
        ...words.map((word, i) => {
          const button = buttonControl(word, () => shell.set({ chosen: i + 1 }));
          button.lang = "fr";
          return button;
        }),
      );
    [...right.querySelectorAll("button")].forEach((button, i) =>
      button.setAttribute("aria-pressed", String(i === at)),
    );
  };
  /** @param {string[]} words @param {number[]} from @param {number[]} deciders */
  const head = (words, from, deciders) =>
    tag(
      "tr",
      tag("th", { scope: "col" }, "looks at"),
      ...words.map((word, j) => {
        const kind = from.includes(j)
          ? "ac-family-from"
          : deciders.includes(j)
            ? "ac-family-decides"
            : "";
        return tag("th", { class: kind, scope: "col", lang: "en" }, tag("span", word));
      }),
      tag("th", { scope: "col" }, "writes"),
    );
  /** @param {string} name @param {string} called @param {string[]} words @param {import("./rows.js").Row} row */
  const bodyOf = (name, called, words, row) => {
    const bars = row.weights.length
      ? row.weights.map((w, j) =>
          tag(
            "td.ac-family-cell",
            readout(`${name}-${j}`, w),
            tag("span.ac-family-bar", { style: `height:${(100 * w).toFixed(1)}%` }),
            tag("span.ac-offscreen", w.toFixed(2)),
          ),
        )
      : [
          tag(
            "td.ac-family-none",
            { colspan: words.length },
            row.at < 0 ? "no word stands there" : "nothing: one vector has been read",
          ),
        ];
    const word = row.at < 0 ? "–" : row.written[row.at];
    const said = row.written.flatMap((one, i) => [
      row.fresh[i] ? tag("span.ac-family-wrong", one) : one,
      " ",
    ]);
    return tag(
      "tbody",
      readout(`${name}-at`, row.at),
      tag(
        "tr",
        tag("th", { scope: "row" }, called),
        ...bars,
        tag("td", { class: row.right ? "" : "ac-family-wrong", lang: "fr" }, word),
      ),
      tag(
        "tr",
        tag(
          "td.ac-family-whole",
          {
            colspan: words.length + 2,
            "data-readout": `${name}-wrong`,
            "data-value": row.wrong,
          },
          tag("span", { lang: "fr" }, ...said),
          tag("span.ac-hint", row.wrong ? `${row.wrong} wrong` : "all right"),
        ),
      ),
    );
  };

  shell.show(() => {
    const state = shell.state();
    const busy = (/** @type {boolean} */ is) => box.setAttribute("aria-busy", String(is));
    busy(false);
    recorded.hidden = false; // unless the models are here
    const left = document.activeElement === all; // its place goes to the next button
    all.hidden = state.started;
    if (left && all.hidden) buttons.querySelector("button")?.focus({ preventScroll: true });
    const grammar = world(state.started);
    const words = readWords(state.sentence, grammar);
    const models = /** @type {any[]} */ (MODELS.map(([name]) => loadedBy(name, state.started)));
    if (!state.started || !grammar || models.some((one) => !one)) {
      box.hidden = true;
      table.replaceChildren(); // what is not seen is not said either
      busy(state.started);
      return shell.say(
        state.started
          ? "The trained models are on their way …"
          : `Below is what was recorded of the page’s sentence. “Translate” fetches ${MODELS.length} models of 0.2 MB each, and the grammar, once.`,
      );
    }
    recorded.hidden = true;
    const cuts = { ...UNCUT, uniform: state.uniform };
    const texts = MODELS.map(([name], n) => kept.get(name, models[n], words, cuts, LONGEST));
    const until = performance.now() + SLICE;
    if (!writeOn(texts, LONGEST, () => performance.now() > until)) {
      busy(true);
      return shell.refresh();
    }
    const ways = grammar.right(words);
    const written = texts.map(({ written }, n) =>
      written
        .map(({ symbol }) => named(models[n].target.symbols, symbol))
        .filter((word) => word !== "(end)"),
    );
    const reference = MODELS.findIndex(([name]) => name === REFERENCE);
    const shared = rowOf(written[reference], [], ways, null, 0).one;
    const deciders = decidersOf(words, shared);
    const last = deciders ? deciders.findLastIndex((found) => found.length > 0) : -1;
    const at =
      state.chosen && state.chosen <= shared.words.length
        ? state.chosen - 1
        : Math.max(0, last);
    const rows = MODELS.map((_, n) =>
      rowOf(
        written[n],
        texts[n].written.map(({ weights }) => weights[0] ?? []),
        ways,
        shared,
        at,
      ),
    );
    busy(!deciders);
    box.hidden = false;
    offer(shared.words, at);
    const from = shared.from[at];
    const names = MODELS.map(([, called]) => called);
    table.replaceChildren(
      tag("thead", head(words, from, deciders?.[at] ?? [])),
      ...MODELS.map(([name, called], n) => bodyOf(name, called, words, rows[n])),
    );
    const shares = rows.map((row) => shareOf(row, from));
    shell.say(
      sentence({
        word: shared.words[at],
        from: from.map((j) => words[j]),
        deciders: (deciders?.[at] ?? []).map((j) => words[j]),
        names,
        rows,
        shares,
      }),
    );
  });
  return shell.destroy;
}

export default { render };
