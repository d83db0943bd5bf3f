// The course's sentence: a language model reads the reader's words; each of its parts can be cut.
import { softmax } from "../kit/attention.js";
import { buttonControl, checkControl, radioControl } from "../kit/controls.js";
import { freshId, make } from "../kit/elements.js";
import { player, still, stillNote } from "../kit/player.js";
import { sentenceField } from "../kit/sentence_field.js";
import { createShell } from "../kit/shell.js";
import { arrivals, recordedRun } from "../models/arrive.js";
import { sharers } from "../models/words.js";
import { forget, keep, recall } from "./store.js";
import {
  anyEnglish,
  exchange,
  likely,
  loadedOf,
  mean,
  placeOf,
  readings,
  surprises,
  toggled,
  wordsOf,
} from "./maths.js";
import { nextOf, pictureOf } from "./view.js";
import { BLADES, costOf, costs, cutInWords, sentence, signed } from "./words.js";
import { COLUMNS, GROUPS, MORE, TITLES } from "./views.js";
import { wholeOf } from "./whole.js";

/**
 * @typedef {ReturnType<typeof createShell>} Shell
 * @typedef {import("./maths.js").State} State
 * @typedef {{LONGEST: number, LAYERS: number, HEADS: number, ORDER: number[], DEFAULT: string, SHOWN: number, PARTS: string[], OTHER: string, COSTS: Record<string, number>, LOOKS: Record<string, [number, number][]>}} Constants as Python has them
 */

const WAIT = 700; // between two words, in ms
const SLICE = 40; // of computing in a frame, in ms
const NOTHING = { cuts: [], exchanged: [] };
const FILE = "world_words";

/** @param {{model: import("../kit/shell.js").Model, el: HTMLElement}} place */
function render({ model, el }) {
  const view = /** @type {State["view"]} */ (model.get("view"));
  const shell = createShell(model, el, {
    title: TITLES[view] ?? "A trained language model",
    controls: "above",
  });
  shell.root.classList.add("ac-ls", `ac-ls-${view}`);
  const { LONGEST, LAYERS, HEADS, ORDER, DEFAULT, SHOWN, PARTS, OTHER, COSTS, LOOKS } =
    /** @type {Constants} */ (/** @type {any} */ (shell.limits).constants);
  const arrived = arrivals(model, loadedOf(ORDER, OTHER), shell.refresh);
  shell.onDestroy(arrived.end);
  const here = () => arrived.here(FILE);
  /** @type {ReturnType<typeof readings> | undefined} */
  let run;
  let room = 0; // words that the model may add

  const now = () => Math.min(Number(shell.get("written")) || 0, room);
  const go = (/** @type {number} */ written) =>
    shell.set({ written: Math.max(0, Math.min(room, written)), word: 0 });
  const play = player({
    now: () => (now() >= room ? shell.limits.written.max : now()),
    last: shell.limits.written.max,
    go,
    wait: WAIT,
    byHand: still(),
  });
  const by = (/** @type {() => void} */ move) => () => {
    play.pause();
    move();
  };
  shell.onDestroy(play.pause);
  const begin = buttonControl("Let the model read it", () => shell.set({ alive: true }));
  begin.classList.add("ac-ls-begin");
  const back = buttonControl(
    "‹ Back",
    by(() => go(now() - 1)),
  );
  const next = buttonControl(
    "Next word ›",
    by(() => go(now() + 1)),
  );
  const writing = make(
    "span",
    "ac-ls-buttons",
    {},
    back,
    ...(still() ? [stillNote()] : [play.button]),
    next,
  );

  // It completes words once the model has come.
  const reader = () => anyEnglish(here()?.words.symbols.slice(3) ?? [], LONGEST, here()?.world);
  const field = sentenceField({
    label: "Your English sentence",
    language: "english",
    reader: () => ({
      read: (text) => reader().read(text),
      complete: (text, at) => reader().complete(text, at),
    }),
    characters: shell.limits.sentence.most,
  });
  const where = make("div", "ac-ls-where");
  shell.add(field, "sentence");
  field.onInput((text) => {
    play.pause();
    keep(text);
    shell.set({ sentence: text, written: 0, word: 0, exchanged: [], alive: true });
  });
  const numbers = (/** @type {number} */ n) =>
    Array.from({ length: n }, (_, i) => ({ value: i + 1, text: String(i + 1) }));
  if (view !== "stream" && view !== "whole") {
    shell.add(radioControl({ label: "Layer", options: numbers(LAYERS) }), "layer", where);
    shell.add(radioControl({ label: "Head", options: numbers(HEADS) }), "head", where);
  }
  // The page's sentence or the reader's: the text is about the first.
  const first = model.get("initial") ?? {};
  const own = /** @type {string} */ (first.sentence ?? DEFAULT);
  let mine = recall();
  let offered = false; // its own sentence was asked for, so the reader's is kept
  const offer = (/** @type {string | null} */ sentence) => {
    play.pause();
    offered = true;
    shell.set({ sentence, written: 0, word: 0, exchanged: [] });
    offered = false;
  };
  const whose = buttonControl("", () => offer(shell.get("sentence") === own ? mine : own));
  const row = make(
    "div",
    "ac-ls-buttons",
    {},
    begin,
    writing,
    whose,
    ...shell.buttons.children,
  );
  shell.controls.append(row, where);

  const picture = pictureOf({
    choose: (t) => shell.set({ word: t + 1 }),
    colour: shell.colour,
  });
  const following = nextOf();

  // Cuts: a box each, with what it costs over many sentences.
  const boxes = (GROUPS[view] ?? []).map(({ legend, cuts }) => {
    const made = cuts.map(([part, text]) => {
      // The head that is shown, or one and the same part.
      const named = () =>
        part === "head" ? `head-${shell.get("layer")}-${shell.get("head")}` : part;
      const box = checkControl({ label: text });
      const price = make("span", "ac-hint");
      box.input.parentElement?.append(price);
      box.onInput(() => shell.set({ cuts: toggled(shell.get("cuts"), named()) }));
      const show = () => {
        const [cut, blade] = [named(), shell.get("blade")];
        const cost = costOf(cut, blade, COSTS);
        price.textContent = cost === undefined ? "" : ` (${signed(cost)})`;
        box.input.setAttribute(
          "aria-label",
          `Cut: ${cutInWords(cut, blade)}${price.textContent}`,
        );
        box.set(shell.get("cuts").includes(cut));
      };
      return { ...box, show };
    });
    return {
      made,
      element: make(
        "fieldset",
        "ac-fieldset ac-ls-group",
        {},
        make("legend", "", {}, legend),
        ...made.map(({ element }) => element),
      ),
    };
  });
  const swap = /** @type {HTMLSelectElement} */ (
    make("select", "ac-select", { id: freshId("swap") })
  );
  const swapLabel = make("label", "ac-label", { for: swap.id });
  const swapRow = make("div", "ac-control ac-ls-swap", {}, swapLabel, swap);
  let from = 0; // the word that is exchanged, if one is
  swap.addEventListener("input", () =>
    shell.set({ exchanged: Number(swap.value) < 0 ? [] : [from, Number(swap.value)] }),
  );
  const undo = buttonControl("Undo all cuts", () => shell.set(structuredClone(NOTHING)));
  const price = make("p", "ac-hint");
  const blades = make("div");
  const whole =
    view === "whole"
      ? wholeOf({
          layers: LAYERS,
          heads: HEADS,
          colour: shell.colour,
          choose: (values) => shell.set(values),
          toggle: (cut) => shell.set({ cuts: toggled(shell.get("cuts"), cut) }),
        })
      : null;
  const parts = (GROUPS[view] ?? []).some(({ cuts }) =>
    cuts.some(([cut]) => cut === "head" || PARTS.includes(cut)),
  );
  if (parts || whole)
    shell.add(
      radioControl({
        label: "In place of a part that is cut",
        options: Object.entries(BLADES).map(([value, { text }]) => ({ value, text })),
      }),
      "blade",
      blades,
    );
  const scissors = make(
    "fieldset",
    "ac-fieldset ac-ls-scissors",
    {},
    make("legend", "", {}, "✂ Cut"),
    ...boxes.map(({ element }) => element),
    blades,
    price,
    undo,
  );
  const loss = make("p", "ac-ls-loss");
  const free = make("p", "ac-ls-loss", { hidden: true });
  const more = make("div", "ac-ls-more", {}, ...(whole ? [whole.element] : []));
  const living = make(
    "div",
    "ac-ls-panels",
    {},
    ...(whole ? [] : [picture.element]),
    make("div", "ac-ls-beside", {}, following.element, loss, free, scissors),
    more,
  );
  const recorded = recordedRun(model, el);
  shell.picture.append(recorded);

  // The sentence of the last chapter, unless this page was given one of its own.
  if (mine && shell.get("sentence") === DEFAULT && !shell.get("alive"))
    shell.set({ sentence: mine });
  model.on("change:sentence", () => {
    const text = shell.get("sentence");
    if (text !== own) mine = text;
    else if (!offered) {
      mine = null;
      forget();
    }
  });

  shell.show(() => {
    const busy = (/** @type {boolean} */ is) =>
      shell.picture.setAttribute("aria-busy", String(is));
    busy(false); // until it is known that something is awaited
    const state = /** @type {State} */ (shell.state());
    play.giveWay();
    const loaded = here();
    if (loaded && !run) {
      run = readings(loaded);
      field.say();
    }
    const words = wordsOf(state.sentence, LONGEST, loaded?.world);
    boxes.forEach(({ made }) => made.forEach((box) => box.show()));
    room = Math.min(shell.limits.written.max, LONGEST - words.length);
    begin.hidden = state.alive;
    whose.hidden = state.sentence === own && !mine;
    whose.textContent = state.sentence === own ? "Your sentence" : "The page’s sentence";
    writing.hidden = !state.alive;
    const idle = (/** @type {string} */ text) => {
      living.remove(); // with its read-outs
      recorded.hidden = state.sentence !== own;
      shell.say(text);
    };
    if (!state.alive)
      return idle(
        `${words.length} words and marks are ready. The model comes to this page when you ask for it: 0.3 MB, once.`,
      );
    try {
      arrived.get(FILE);
    } catch (problem) {
      return idle(/** @type {Error} */ (problem).message);
    }
    if (!loaded || !run) {
      busy(true);
      return idle("The trained model is on its way …");
    }
    const { symbols } = loaded.words;
    const given = loaded.words.encode(words);
    const changed = exchange(given, state.exchanged);
    const cut = state.cuts.length > 0 || changed !== given;
    const until = performance.now() + SLICE;
    const late = () => performance.now() > until;
    const count = Math.min(state.written, room);
    const added = run.write(changed, state.cuts, state.blade, count, late);
    const other = cut ? run.write(given, [], state.blade, count, late) : added;
    if (Math.min(added.length, other.length) < count) {
      busy(true);
      return shell.refresh();
    }
    const [tokens, plain] = [
      [...changed, ...added],
      [...given, ...added],
    ];
    const reading = run.read(tokens, state.cuts, state.blade);
    const uncut = cut ? run.read(plain, [], state.blade) : reading;
    const typed = exchange(words, state.exchanged);
    const texts = tokens.map((token, t) => typed[t] ?? symbols[token]);
    const at = placeOf(state.word, tokens.length);
    const weights =
      view === "stream" || whole
        ? []
        : reading.looked[state.layer - 1].weights[state.head - 1][at];
    const shown = {
      state,
      tokens,
      plain,
      texts,
      at,
      reading,
      uncut,
      weights,
      cut,
      symbols,
      spoken: loaded.model.spoken,
      hidden: loaded.model.hidden,
      heads: HEADS,
      layers: LAYERS,
      colour: shell.colour,
      looks: LOOKS,
    };

    if (!living.isConnected) shell.picture.append(living);
    recorded.hidden = true;
    back.toggleAttribute("disabled", count === 0);
    next.toggleAttribute("disabled", count >= room);
    const { heads, cells } = (COLUMNS[view] ?? COLUMNS.none)(shown);
    picture.draw(
      { words: texts, own: words.length, at, weights, heads, cells },
      view === "stream" ? "" : ` in layer ${state.layer}, head ${state.head}`,
    );
    const coming = likely(reading.logits(at), uncut.logits(at), SHOWN);
    following.draw(texts[at], coming, symbols, cut);

    const both =
      tokens.length > 1
        ? /** @type {[number, number]} */ ([
            mean(surprises(reading, tokens)),
            mean(surprises(uncut, plain)),
          ])
        : null;
    const value = (/** @type {string} */ name, /** @type {number} */ x) =>
      make("span", "", { "data-readout": name, "data-value": x }, x.toFixed(2));
    loss.replaceChildren(
      ...(both
        ? [
            "Loss on this sentence: ",
            value("loss", both[0]),
            " nats a word",
            ...(cut ? ["; without cuts ", value("loss-free", both[1])] : []),
            ".",
          ]
        : []),
    );
    if (both && !cut)
      loss.append(
        make("span", "", { "data-readout": "loss-free", "data-value": both[1], hidden: true }),
      );
    free.hidden = !cut || !count;
    free.replaceChildren(
      make("strong", "", {}, "Without cuts it writes: "),
      other.map((token) => symbols[token]).join(" "),
    );
    undo.hidden = !cut;
    const blade = state.cuts.some((one) => PARTS.includes(one)) ? state.blade : null;
    price.textContent =
      costs(state.cuts, state.blade, changed !== given, COSTS) +
      (blade === "other" ? ` The other sentence: “${OTHER}”` : "");
    if (words.length < 2) swapRow.remove();
    else if (view === "positions") {
      if (!swapRow.isConnected) price.before(swapRow);
      from = state.exchanged.length === 2 ? state.exchanged[0] : Math.min(at, words.length - 1);
      swapLabel.textContent = `Exchange word ${from + 1}, “${words[from]}”, with`;
      swap.replaceChildren(
        make("option", "", { value: -1 }, "nothing"),
        ...words.flatMap((word, t) =>
          t === from ? [] : [make("option", "", { value: t }, `${t + 1} ${word}`)],
        ),
      );
      swap.value = String(changed !== given ? state.exchanged[1] : -1);
    }
    const { elements = null, said = "" } =
      whole?.draw(shown) ??
      MORE[view]?.({
        ...shown,
        choose: (/** @type {Record<string, number>} */ values) => shell.set(values),
      }) ??
      {};
    if (elements) {
      // Who has the focus in there keeps it.
      const focused = [...more.querySelectorAll("button")].indexOf(
        /** @type {any} */ (document.activeElement),
      );
      more.replaceChildren(...elements);
      more.querySelectorAll("button")[focused]?.focus();
    }

    const [p, q] = [softmax(reading.logits(at)), softmax(uncut.logits(at))];
    const best = (/** @type {number[]} */ x) => x.indexOf(Math.max(...x));
    const top = weights.length ? best(weights) : -1;
    shell.say(
      sentence({
        word: texts[at],
        where: `layer ${state.layer}, head ${state.head}`,
        to: top < 0 ? "" : texts[top],
        weight: weights[top] ?? 0,
        alike: sharers(weights),
        cut,
        blade,
        now: { word: symbols[best(p)], p: Math.max(...p) },
        free: { word: symbols[best(q)], p: Math.max(...q), now: p[best(q)] },
        loss: both,
        more: said,
      }),
    );
  });
  return shell.destroy;
}

export default { render };
