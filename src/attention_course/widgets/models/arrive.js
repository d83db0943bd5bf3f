// Trained weights by message: from the page's folder (widget-host.js) or from Python, when the
// reader first asks, and never before.
import { readTensors } from "./tensors.js";
import { translator } from "./translators.js";
import { vocabulary } from "./words.js";

const PATIENCE = 60_000;

/**
 * @typedef {object} Loaded a translator with its words
 * @property {import("./translators.js").Translator} model
 * @property {ReturnType<typeof vocabulary>} french
 * @property {ReturnType<typeof vocabulary>} english
 */

/**
 * Gives trained models by name: null while one is on its way; throws where there is none.
 * @template T
 * @param {any} model of the widget
 * @param {() => void} react called when something has come
 * @param {(weights: import("./tensors.js").Weights) => T} make what is handed out, of what has come
 */
export function arrivals(model, react, make) {
  /** @type {Record<string, T | string | null>} */
  const known = {};
  const settle = (/** @type {string} */ name, /** @type {T | string} */ what) => {
    known[name] = what;
    react();
  };
  const hear = (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    if (message.missing) settle(message.missing, `The trained model “${message.missing}” does not lie beside this page, so nothing can be computed here.`);
    else if (message.model) settle(message.model, make(read(buffers[0])));
  };
  /** @type {number[]} */
  const waits = [];
  const ask = (/** @type {string} */ name) => {
    known[name] = null;
    const silence = "Nobody has answered with the trained model: it needs a page of the book, or a notebook whose kernel runs.";
    waits.push(window.setTimeout(() => known[name] === null && settle(name, silence), PATIENCE));
    model.send({ model: name });
  };
  model.on("msg:custom", hear);
  return {
    /** @param {string} name @returns {T | null} */
    get(name) {
      if (!(name in known)) ask(name);
      const found = known[name];
      if (typeof found === "string") throw new Error(found);
      return found;
    },
    /** What has come already, without asking. @param {string} name */
    here: (name) => (typeof known[name] === "object" ? known[name] : null),
    end() {
      waits.forEach(clearTimeout);
      model.off("msg:custom", hear);
    },
  };
}

/** @param {DataView} bytes */
function read({ buffer, byteOffset, byteLength }) {
  return readTensors(new Uint8Array(buffer, byteOffset, byteLength));
}

/** @param {import("./tensors.js").Weights} weights @returns {Loaded} */
export function withWords({ tensors, about }) {
  return { model: translator(tensors), french: vocabulary(about.french), english: vocabulary(about.english) };
}
