// What the worker runs: it is told which model to train, then how far, and says what came.
import { training } from "./training.js";

/** @typedef {{losses: number[], exact: Record<string, number>, shown: import("./training.js").Shown}} Progress losses of the new steps; exact by step, where it was measured */

/** @param {any} place a worker's global scope */
function serve(place) {
  /** @type {ReturnType<typeof training>} */
  let run;
  let [taken, every] = [0, 1];
  place.onmessage = (/** @type {MessageEvent} */ { data }) => {
    if (data.setting) {
      run = training(data.setting, data.words, data.name, data.seed);
      every = data.setting.every;
    }
    const losses = [];
    /** @type {Record<string, number>} */
    const exact = {};
    while (taken < data.to) {
      losses.push(run.step());
      taken += 1;
      if (taken % every === 0) exact[taken] = run.exact();
    }
    place.postMessage({ losses, exact, shown: run.show(data.own) });
  };
}

export default serve;
