// Trained weights by message: from the page's folder (widget-host.js) or from Python, when the
// reader first asks, and never before.
import { make } from "../kit/elements.js";
import { readTensors } from "./tensors.js";

const PATIENCE = 60_000;

/**
 * Gives models by name: null while one is on its way; throws where there is none.
 * @template {object} Loaded
 * @param {any} model of the widget
 * @param {(weights: import("./tensors.js").Weights) => Loaded} read makes a model of its weights
 * @param {() => void} react called when something has come
 */
export function arrivals(model, read, react) {
  /** @type {Record<string, Loaded | string | null>} */
  const known = {};
  const settle = (/** @type {string} */ name, /** @type {Loaded | string} */ what) => {
    known[name] = what;
    react();
  };
  const lost = (/** @type {string} */ name) =>
    settle(
      name,
      `The trained model “${name}” does not lie beside this page, or its file is damaged, so it cannot run here.`,
    );
  const hear = (/** @type {any} */ message, /** @type {DataView[]} */ buffers) => {
    if (message.missing) return lost(message.missing);
    if (!message.model) return;
    let loaded;
    try {
      loaded = read(unpacked(buffers[0]));
    } catch {
      return lost(message.model);
    }
    settle(message.model, loaded);
  };
  /** @type {number[]} */
  const waits = [];
  const ask = (/** @type {string} */ name) => {
    known[name] = null;
    const silence =
      "Nobody has answered with the trained model: it needs a page of the book, or a notebook whose kernel runs.";
    waits.push(
      window.setTimeout(() => known[name] === null && settle(name, silence), PATIENCE),
    );
    model.send({ model: name });
  };
  model.on("msg:custom", hear);
  return {
    /** @param {string} name @returns {Loaded | null} */
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

/** What was recorded, for where no model runs: the site keeps it beside the widget, not in its state. @param {any} model @param {HTMLElement} el */
export function recordedRun(model, el) {
  const place = make("div", "ac-recorded");
  place.innerHTML =
    model.get("fallback") ?? el.parentElement?.querySelector(".ac-fallback")?.innerHTML ?? "";
  return place;
}

/** @param {DataView} bytes */
function unpacked({ buffer, byteOffset, byteLength }) {
  return readTensors(new Uint8Array(buffer, byteOffset, byteLength));
}
