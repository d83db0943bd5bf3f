// A server step by step: as reference/scale/serving.py.
import { quantile } from "../kit/numbers.js";

/**
 * @typedef {{way: string, places: number, chunk: number, speed: number, prompts: string}} State
 * @typedef {{parameters: number, cache_bytes: number, pair_operations: number, peak: number, bandwidth: number}} Model
 * @typedef {{requests: [number, number, number][], shown: [number, number], beginning: number, whole: number,
 *   measures: [string, string][], model: Model}} Constants
 * @typedef {{came: number, prompt: number, answer: number}} Request
 * @typedef {{number: number, request: Request, read: number, times: number[], began: number}} Running
 * @typedef {{began: number, times: number[]}} Fared when its first step began, and when each token was written
 */

/** The least time of a step: its operations or its bytes. @param {Model} model @param {number} fresh @param {number} kept @param {number} pairs */
export function stepSeconds(model, fresh, kept, pairs) {
  const operations = 2 * model.parameters * fresh + model.pair_operations * pairs;
  const moved = 2 * model.parameters + model.cache_bytes * (kept + fresh);
  return Math.max(operations / model.peak, moved / model.bandwidth);
}

/** Tokens that a request reads and writes in a step with so much room. @param {Running} r @param {number} room */
function workOf({ request, read, times }, room) {
  const left = request.prompt - read;
  if (!left) return [0, times.length < request.answer ? 1 : 0];
  return [Math.min(left, room), left <= room ? 1 : 0];
}

/** The requests as they come in this setting. @param {State} state @param {Constants} constants @param {string[]} prompts */
export function requestsOf({ speed, prompts: chosen }, { requests, beginning }, prompts) {
  const more = chosen === prompts[0] ? 0 : beginning;
  return requests.map(([came, prompt, answer]) => ({
    came: came / speed,
    prompt: prompt + more,
    answer,
  }));
}

/** Answer all requests. @param {Request[]} requests @param {Model} model @param {string} way @param {number} places @param {number} chunk @param {number} beginning @returns {Fared[]} */
export function serve(requests, model, way, places, chunk, beginning) {
  const most = way === "one by one" ? 1 : places;
  let [now, next, reusable, ended] = [0, 0, 0, 0];
  /** @type {Running[]} */
  let running = [];
  /** @type {Fared[]} */
  const fared = [];
  const done = (/** @type {Running} */ r) => r.times.length === r.request.answer;
  while (ended < requests.length) {
    if (way === "continuous" || running.every(done)) {
      running = running.filter((r) => !done(r));
      while (next < requests.length && requests[next].came <= now && running.length < most) {
        const request = requests[next];
        running.push({
          number: next++,
          request,
          read: Math.min(reusable, request.prompt - 1),
          times: [],
          began: NaN,
        });
      }
    }
    if (!running.length) {
      now = requests[next].came;
      continue;
    }
    let [room, fresh, kept, pairs] = [chunk, 0, 0, 0];
    /** @type {[Running, number, number][]} */
    const parts = [];
    for (const r of running) {
      const [read, wrote] = workOf(r, room);
      if (!read && !wrote) continue;
      room -= read;
      const before = r.read + r.times.length;
      const through = read || 1;
      fresh += through;
      kept += before;
      pairs += through * before + Math.floor((through * (through + 1)) / 2);
      parts.push([r, read, wrote]);
    }
    const begin = now;
    now += stepSeconds(model, fresh, kept, pairs);
    for (const [r, read, wrote] of parts) {
      if (Number.isNaN(r.began)) r.began = begin;
      r.read += read;
      if (wrote) {
        r.times.push(now);
        reusable = beginning;
      }
      if (done(r)) {
        fared[r.number] = { began: r.began, times: r.times };
        ended += 1;
      }
    }
  }
  return fared;
}

/** The numbers of a way to serve in a setting. @param {State} state @param {Constants} constants @param {string[]} prompts */
export function play(state, constants, prompts) {
  const requests = requestsOf(state, constants, prompts);
  const kept = state.prompts === prompts[2] ? constants.beginning : 0;
  const fared = serve(requests, constants.model, state.way, state.places, state.chunk, kept);
  return { requests, fared, now: measure(requests, fared) };
}

/** The longest wait between two tokens. @param {number[]} times */
export function stall(times) {
  return times.reduce((most, time, i) => (i ? Math.max(most, time - times[i - 1]) : 0), 0);
}

/** The numbers that are shown: seconds, but milliseconds for a pause. @param {Request[]} requests @param {Fared[]} fared @returns {Record<string, number>} */
export function measure(requests, fared) {
  const sorted = (/** @type {(f: Fared, came: number) => number} */ of) =>
    fared.map((f, i) => of(f, requests[i].came)).sort((a, b) => a - b);
  const first = sorted(({ times }, came) => times[0] - came);
  const last = (/** @type {Fared} */ { times }) => times[times.length - 1];
  return {
    first: quantile(first, 0.5),
    slow: quantile(first, 0.99),
    whole: quantile(
      sorted((f, came) => last(f) - came),
      0.5,
    ),
    stall: 1000 * Math.max(...fared.map(({ times }) => stall(times))),
    end: Math.max(...fared.map(last)),
  };
}
