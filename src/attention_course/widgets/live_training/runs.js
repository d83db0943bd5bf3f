// The two trainings, each in a worker of its own, that go on side by side.

/** @typedef {import("./worker.js").Progress} Progress */
/** @typedef {{worker: string, setting: import("./training.js").Setting, words: import("./training.js").Words}} Given */

const CHUNK = 5; // steps between two pictures

/**
 * Both models, from one seed.
 * @param {Given} given @param {number} seed
 * @param {() => void} react called when both have come further
 * @param {(message: string) => void} fail
 */
export function trainings({ worker, setting, words }, seed, react, fail) {
  const address = URL.createObjectURL(new Blob([worker], { type: "text/javascript" }));
  const names = Object.keys(setting.models);
  const runs = names.map((name) => {
    const at = new Worker(address);
    const run = {
      name,
      at,
      asked: 0,
      waits: false,
      own: "",
      losses: /** @type {number[]} */ ([]),
      exact: /** @type {Record<string, number>} */ ({}),
      shown: /** @type {Progress["shown"] | null} */ (null),
    };
    at.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "the worker did not start");
    };
    at.onmessage = ({ data }) => {
      run.losses.push(...data.losses);
      Object.assign(run.exact, data.exact);
      run.shown = data.shown;
      run.waits = false;
      if (runs.every(({ waits }) => !waits)) react();
    };
    return run;
  });
  const reached = () => Math.min(...runs.map(({ losses }) => losses.length));
  return {
    runs,
    reached,
    /** Ask for the next steps, or for the same with another sentence, unless some are on their way; whether there are any left to come. @param {number} goal @param {string} own a sentence of the reader's */
    towards(goal, own) {
      const now = reached();
      if (runs.some(({ waits }) => waits)) return true;
      if (now >= goal && runs.every((run) => run.own === own)) return false;
      const to = Math.max(now, Math.min(goal, now - (now % CHUNK) + CHUNK));
      for (const run of runs) {
        run.at.postMessage({
          to,
          own,
          ...(run.asked ? {} : { setting, words, name: run.name, seed }),
        });
        Object.assign(run, { asked: to, waits: true, own });
      }
      return true;
    },
    end() {
      for (const { at } of runs) at.terminate();
      URL.revokeObjectURL(address);
    },
  };
}
