// Heads side by side: where each looks for a covered letter, and what it costs to silence one.
import { chances, examples, look, loss, putters, silentOf, spell, unpack } from "./maths.js";
import { BLADES, glance, sentence, signed } from "./words.js";
import { radioControl } from "../kit/controls.js";
import { freshId, make, svg } from "../kit/elements.js";
import { createShell } from "../kit/shell.js";

/** @typedef {import("./maths.js").Model} Trained */
/** @typedef {ReturnType<typeof createShell>} Shell */
/** @typedef {import("./maths.js").Blade} Blade */
/** @typedef {{card: HTMLElement, box: HTMLInputElement, strip: SVGElement, note: HTMLElement, cost: HTMLElement}} Card */

const STEP = 24;
const TALL = 48;
const letterOf = (/** @type {number} */ i) => String.fromCharCode(97 + i);

/** What every head is worth by each blade, once for each model. @param {Trained} model @param {string[]} words */
function worth(model, words) {
  const all = examples(model, words);
  const put = putters(all);
  const whole = loss(model, all, []);
  /** @type {Record<string, number[]>} */
  const known = {};
  const costs = (/** @type {Blade} */ blade) =>
    (known[blade] ??= Array.from(
      { length: model.heads },
      (_, h) => loss(model, all, [h], blade, put) - whole,
    ));
  return { model, all, put, whole, costs };
}

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} context */
function render({ model, el }) {
  const shell = createShell(model, el, { title: "Heads side by side", controls: "above" });
  addWord(shell);
  const counts = Object.keys(shell.get("models")?.weights ?? {}).map(Number);
  shell.add(
    radioControl({
      label: "Heads that share the width 32",
      options: counts.map((n) => ({
        value: n,
        text: String(n),
        spoken: n === 1 ? "1 head" : `${n} heads`,
      })),
    }),
    "n_heads",
  );

  shell.add(
    radioControl({
      label: "In place of a head that is silent",
      options: Object.entries(BLADES).map(([value, { text }]) => ({ value, text })),
    }),
    "blade",
  );

  const tiles = make("div", "ac-heads-tiles", {
    role: "group",
    "aria-label": "The word: press a letter to cover it",
  });
  const grid = make("div", "ac-heads-grid");
  const guesses = make("div", "ac-heads-guesses", { role: "img" });
  const total = make("p", "ac-heads-total");
  shell.picture.append(
    make("div", "ac-heads-label", {}, "Press a letter to cover it"),
    tiles,
    make("div", "ac-heads-label", {}, "Where each head looks from the cover"),
    grid,
    make("div", "ac-heads-label", {}, "What may be under the cover"),
    guesses,
    total,
  );

  /** @type {Map<string, ReturnType<typeof worth>>} */
  const known = new Map();
  /** @type {Card[]} */
  let cards = [];
  const measured = (/** @type {number} */ heads) => {
    const found =
      known.get(String(heads)) ?? worth(unpack(shell.get("models"), heads), shell.get("words"));
    known.set(String(heads), found);
    return found;
  };
  const toggle = (/** @type {number} */ h, /** @type {boolean} */ on) => {
    const others = shell
      .get("silent")
      .filter((/** @type {number} */ other) => other !== h && other < shell.get("n_heads"));
    shell.set({
      silent: (on ? others : [...others, h]).sort(
        (/** @type {number} */ a, /** @type {number} */ b) => a - b,
      ),
    });
  };

  shell.show(() => {
    const { word, n_heads: heads, silent: off, blade, place: wanted } = shell.state();
    const { model: trained, all, put, whole, costs: costsBy } = measured(heads);
    const costs = costsBy(blade);
    const silent = silentOf(off, heads);
    const place = Math.min(wanted, word.length);
    const { tokens, answer } = spell(word, place);
    const seen = look(trained, tokens, place);
    const now = chances(trained, seen, silent, put(blade, word, place));
    const lossNow = loss(trained, all, silent, blade, put);

    showTiles(tiles, word, place, (to) => shell.set({ place: to }));
    if (cards.length !== heads) {
      cards = Array.from({ length: heads }, (_, h) => makeCard(h, (on) => toggle(h, on)));
      grid.replaceChildren(...cards.map(({ card }) => card));
    }
    const signs = ["‹", ...Array.from(word, (c, i) => (i === place - 1 ? "▢" : c)), "›"];
    cards.forEach((card, h) =>
      showCard(
        card,
        h,
        seen.weights[h],
        signs,
        place,
        silent.includes(h),
        costs[h],
        BLADES[/** @type {Blade} */ (blade)].instead,
      ),
    );
    const before = silent.length ? chances(trained, seen, []) : [];
    guesses.replaceChildren(...[0, 13].map((first) => guessBars(now, before, answer, first)));
    guesses.setAttribute(
      "aria-label",
      `Chances of the letters; ${letterOf(answer)}, the right one, has ${now[answer].toFixed(3)}`,
    );
    total.replaceChildren(
      ...loudNumber("loss with all heads", "loss", whole),
      ...loudNumber("now", "loss_now", lossNow),
      make("span", "ac-heads-unit", {}, "nats a letter, on words held out"),
    );
    shell.say(
      sentence({
        word,
        place,
        heads,
        silent,
        blade,
        chances: now,
        answer,
        loss: whole,
        lossNow,
        costs,
        words: shell.get("words").length,
      }),
    );
  }, ["models", "words"]);
  return shell.destroy;
}

/** A field for a word. @param {Shell} shell */
function addWord(shell) {
  const id = freshId("word");
  const field = /** @type {HTMLInputElement} */ (
    make("input", "ac-entry ac-heads-word", {
      type: "text",
      role: "textbox",
      id,
      maxlength: shell.limits.word.most,
      autocomplete: "off",
      autocapitalize: "none",
      spellcheck: "false",
    })
  );
  const control = {
    element: make(
      "div",
      "ac-control",
      {},
      make(
        "div",
        "ac-label-row",
        {},
        make("label", "ac-label", { for: id }, "A word of yours"),
        field,
      ),
      make(
        "div",
        "ac-hint",
        {},
        `${shell.limits.word.fewest} to ${shell.limits.word.most} letters, then Enter`,
      ),
    ),
    set: (/** @type {any} */ word) => void (field.value = String(word)),
    onInput: (/** @type {(value: any) => void} */ react) =>
      field.addEventListener("change", () => react(field.value.trim().toLowerCase())),
  };
  shell.add(control, "word");
}

/** The letters as buttons, one of them pressed. @param {HTMLElement} tiles @param {string} word @param {number} place @param {(place: number) => void} choose */
function showTiles(tiles, word, place, choose) {
  if (tiles.dataset.word !== word) {
    tiles.dataset.word = word;
    tiles.replaceChildren(
      ...Array.from(word, (letter, i) => {
        const button = make(
          "button",
          "ac-button ac-heads-tile",
          { type: "button", "aria-label": `cover letter ${i + 1}, ${letter}` },
          letter,
        );
        button.addEventListener("click", () => choose(i + 1));
        return button;
      }),
    );
  }
  [...tiles.children].forEach((tile, i) =>
    tile.setAttribute("aria-pressed", String(i === place - 1)),
  );
}

/** @param {number} h @param {(on: boolean) => void} turn @returns {Card} */
function makeCard(h, turn) {
  const box = /** @type {HTMLInputElement} */ (make("input", "ac-check", { type: "checkbox" }));
  box.addEventListener("input", () => turn(box.checked));
  const name = make("label", "ac-label ac-check-label", {}, box, `Head ${h + 1}`);
  const strip = svg("svg", { class: "ac-heads-strip", "aria-hidden": "true" });
  const note = make("div", "ac-heads-note");
  const cost = make("span", "ac-heads-cost");
  const card = make(
    "div",
    "ac-heads-card",
    {},
    make("div", "ac-heads-top", {}, name, cost),
    /** @type {any} */ (strip),
    note,
  );
  return { card, box, strip, note, cost };
}

/** @param {Card} card @param {number} h @param {number[]} weights @param {string[]} signs @param {number} place @param {boolean} silent @param {number} cost @param {string} instead */
function showCard(
  { card, box, strip, note, cost: price },
  h,
  weights,
  signs,
  place,
  silent,
  cost,
  instead,
) {
  box.checked = !silent;
  card.classList.toggle("ac-heads-silent", silent);
  strip.setAttribute("viewBox", `0 0 ${signs.length * STEP} ${TALL + 24}`);
  strip.replaceChildren(
    ...weights.flatMap((w, t) => [
      svg("rect", {
        class: "ac-heads-bar",
        x: t * STEP + 3,
        width: STEP - 6,
        y: 2 + TALL * (1 - w),
        height: TALL * w,
      }),
      svg(
        "text",
        {
          class: t === place ? "ac-heads-here" : "ac-heads-sign",
          x: (t + 0.5) * STEP,
          y: TALL + 20,
        },
        signs[t],
      ),
    ]),
    svg("line", {
      class: "ac-heads-floor",
      x1: 0,
      x2: signs.length * STEP,
      y1: TALL + 2.5,
      y2: TALL + 2.5,
    }),
  );
  const hidden = weights.map((w, t) =>
    make("span", "", { hidden: true, "data-readout": `weight-${h}-${t}`, "data-value": w }),
  );
  note.replaceChildren(
    `${silent ? "silent; would look" : "looks"} ${glance(weights, place)}`,
    ...hidden,
  );
  price.textContent = `alone (${instead}): ${signed(cost)}`;
  price.dataset.readout = `cost-${h}`;
  price.dataset.value = String(cost);
}

/** Bars of 13 chances, an outline where they are with all heads. @param {number[]} now @param {number[]} whole none if no head is silent @param {number} answer @param {number} first */
function guessBars(now, whole, answer, first) {
  const best = now.indexOf(Math.max(...now));
  const parts = now.slice(first, first + 13).flatMap((chance, at) => {
    const i = first + at;
    const x = at * STEP + 3;
    const up = (/** @type {number} */ c) => ({
      x,
      width: STEP - 6,
      y: 16 + TALL * (1 - c),
      height: Math.max(TALL * c, 0.01),
    });
    const told = i === best || i === answer;
    return [
      svg("rect", {
        ...up(chance),
        class: i === answer ? "ac-heads-right" : "ac-heads-other",
        "data-readout": `chance-${i}`,
        "data-value": chance,
      }),
      ...(whole[i] > 0.01 ? [svg("rect", { ...up(whole[i]), class: "ac-heads-ghost" })] : []),
      svg(
        "text",
        {
          class: i === answer ? "ac-heads-here" : "ac-heads-sign",
          x: x + STEP / 2 - 3,
          y: TALL + 34,
        },
        letterOf(i),
      ),
      ...(told
        ? [
            svg(
              "text",
              {
                class: "ac-heads-chance",
                x: x + STEP / 2 - 3,
                y: 12 + TALL * (1 - Math.max(chance, whole[i] ?? 0)),
              },
              chance.toFixed(2),
            ),
          ]
        : []),
      ...(i === answer
        ? [svg("path", { class: "ac-heads-tick", d: `M${x + 4} ${TALL + 40}h${STEP - 14}` })]
        : []),
    ];
  });
  return svg(
    "svg",
    { viewBox: `0 0 ${13 * STEP} ${TALL + 44}`, "aria-hidden": "true" },
    ...parts,
  );
}

/** A number with its name. @param {string} name @param {string} readout @param {number} value */
function loudNumber(name, readout, value) {
  return [
    `${name} `,
    make("strong", "", { "data-readout": readout, "data-value": value }, value.toFixed(3)),
    " · ",
  ];
}

export default { render };
