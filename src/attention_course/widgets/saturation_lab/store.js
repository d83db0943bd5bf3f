// What the lab has computed: tables of one seed, and the numbers of settings met before.
import { buildDraws, buildTable, saturation } from "./maths.js";

/**
 * @typedef {import("./maths.js").Table} Table
 * @typedef {import("./maths.js").Draws} Draws
 * @typedef {import("./maths.js").Setting} Setting
 * @typedef {import("./maths.js").Numbers} Numbers
 */

const KEPT = 400;

/** Tables are built in slices so that the page stays alive. @param {import("./maths.js").Sizes} sizes @param {() => void} ready */
export function makeStore(sizes, ready) {
  /** @type {Draws | null} */
  let draws = null;
  /** @type {Map<string, Table>} */
  const tables = new Map();
  /** @type {Map<string, Numbers>} */
  const known = new Map();
  let [wanted, timer, idle] = ["", 0, 0];

  /** @param {Table} table @param {Setting} setting @returns {Numbers} */
  const numbers = (table, setting) => {
    const { d_k, n_keys, scale, scale_value, spread, query, offsets } = setting;
    const name = [
      table.seed,
      table.format,
      d_k,
      n_keys,
      scale,
      scale === "custom" && scale_value,
      spread,
      query,
      offsets,
    ].join(" ");
    const found = known.get(name) ?? saturation(table, setting);
    if (known.size >= KEPT) known.delete(/** @type {string} */ (known.keys().next().value));
    known.set(name, found);
    return found;
  };

  /** @param {number} seed @param {string} format */
  function* build(seed, format) {
    if (draws?.seed !== seed) {
      tables.clear();
      known.clear();
      draws = null;
      draws = yield* buildDraws(seed, sizes);
    }
    tables.set(format, yield* buildTable(draws, format));
  }
  return {
    /** The table, or null while it is being built. @param {Setting} setting @returns {Table | null} */
    table({ seed, number_format: format }) {
      const name = `${seed} ${format}`;
      const there = draws?.seed === seed ? tables.get(format) : undefined;
      if (there || wanted === name) return there ?? null;
      clearTimeout(timer);
      wanted = name;
      const steps = build(seed, format);
      const slice = () => {
        const until = performance.now() + 10;
        while (performance.now() < until) {
          if (!steps.next().done) continue;
          wanted = "";
          ready();
          return;
        }
        timer = window.setTimeout(slice);
      };
      timer = window.setTimeout(slice);
      return null;
    },
    /** The numbers of a setting, computed once. */
    numbers,
    /** Compute what a drag would need, a few milliseconds at a time, once nothing has moved for a while. @param {Table} table @param {Setting[]} settings */
    foresee(table, settings) {
      clearTimeout(idle);
      const next = () => {
        const until = performance.now() + 4;
        while (settings.length && performance.now() < until)
          numbers(table, /** @type {Setting} */ (settings.pop()));
        if (settings.length) idle = window.setTimeout(next, 12);
      };
      idle = window.setTimeout(next, 300);
    },
    end() {
      clearTimeout(timer);
      clearTimeout(idle);
    },
  };
}

/**
 * The setting that stood before: what a change is seen against. A drag is one change.
 * @template T
 */
export function makeGhost() {
  /** @type {{name: string, seen: T} | null} */
  let now = null;
  /** @type {T | null} */
  let ghost = null;
  let last = -Infinity;
  return {
    /** @param {string} name of the setting @param {T} seen what is drawn of it @returns {T | null} */
    before(name, seen) {
      if (now && now.name !== name) {
        const time = performance.now();
        if (time - last > 700) ghost = now.seen;
        last = time;
      }
      now = { name, seen };
      return ghost;
    },
    forget: () => void ([now, ghost] = [null, null]),
  };
}
