// The small world in a widget: its translators and its grammar as they come, and a field for a
// sentence of it.
import { buttonControl } from "../kit/controls.js";
import { tag } from "../kit/elements.js";
import { sentenceField } from "../kit/sentence_field.js";
import { arrivals } from "../models/arrive.js";
import { loadedOf } from "./maths.js";
import { worldOf } from "./truth.js";

/** @typedef {{LONGEST: number, SENTENCES: [string, string][], OTHER?: string}} Constants as Python has them */

/**
 * @param {any} model of the widget
 * @param {ReturnType<typeof import("../kit/shell.js").createShell>} shell
 * @param {(sentence: string) => void} begin called with a sentence that is typed or chosen
 */
export function smallWorld(model, shell, begin) {
  const {
    LONGEST,
    SENTENCES,
    OTHER = "",
  } = /** @type {Constants} */ (model.get("limits").constants);
  const loader = loadedOf(OTHER);
  const arrived = arrivals(
    model,
    (weights) =>
      weights.about.grammar ? worldOf(weights.about.grammar, LONGEST) : loader(weights),
    shell.refresh,
  );
  shell.onDestroy(arrived.end);
  const known = (/** @type {string} */ name, /** @type {boolean} */ ask) =>
    /** @type {any} */ (ask ? arrived.get(name) : arrived.here(name));
  /** @param {boolean} [ask] @returns {import("./truth.js").World | null} */
  const world = (ask = true) => known("world", ask);
  /** @param {string} name @param {boolean} ask @returns {import("./maths.js").Loaded | null} */
  const loadedBy = (name, ask) => known(`world_${name}`, ask);

  /** @type {Map<string, number[][] | null>} */
  const decided = new Map();
  let ended = false;
  shell.onDestroy(() => void (ended = true));
  /** What decides the words of a translation; null until it has been computed. @param {string[]} words @param {import("./truth.js").Right} right */
  const decidersOf = (words, { from }) => {
    const key = JSON.stringify([words, from]);
    if (!decided.has(key)) {
      decided.set(key, null);
      const asked = /** @type {import("./truth.js").World} */ (world()).deciders(words, from);
      const goOn = () => {
        if (ended) return;
        const { done, value } = asked.next();
        if (!done) return void window.setTimeout(goOn);
        decided.set(key, value);
        shell.refresh();
      };
      goOn();
    }
    return decided.get(key) ?? null;
  };

  // The grammar comes when somebody turns to the widget: the field needs it while one types.
  const turned = () => {
    try {
      world();
    } catch {} // playing says what is missing
  };
  for (const turn of ["focusin", "pointerenter"])
    shell.root.addEventListener(turn, turned, { once: true });
  const field = sentenceField({
    label: "Your English sentence",
    language: "english",
    reader: () => world(false)?.reading ?? null,
    characters: shell.limits.sentence.most,
  });
  shell.add(field, "sentence");
  field.onInput(begin);
  const others = SENTENCES.map(([text, label]) => buttonControl(label, () => begin(text)));
  const buttons = tag("div.ac-sp-buttons", ...others);
  field.element.append(buttons);
  return { world, loadedBy, decidersOf, field, buttons };
}
