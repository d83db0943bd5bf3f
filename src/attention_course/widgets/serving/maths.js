// A server step by step: as reference/scale/serving.py.
import { quantile } from "../kit/numbers.js";

/**
 * @typedef {{way: string, cache: number, budget: number, speed: number, prompts: string, short: string, gpus: string, window: number}} State
 * @typedef {{parameters: number, cache_bytes: number, pair_operations: number, peak: number, bandwidth: number, memory: number,
 *   host: number, layers: number, width: number, gpus: number, link: number, latency: number}} Model
 * @typedef {{requests: [number, number, number][], played: number, shown: [number, number], beginning: number, whole: number, wire: number,
 *   limits: [number, number], price: number, watts: number, measures: [string, string][], model: Model}} Constants
 * @typedef {{came: number, prompt: number, answer: number, known?: number}} Request
 * @typedef {{way: string, budget: number, kept: number, short: string, once: boolean, replicas: number, readers: number, wire: number}} How
 * @typedef {{number: number, request: Request, computed: number, shared: number, blocks: number, times: number[], lost: number, began: number}} Running
 * @typedef {{blocks: number, together: number, fetching: number, computing: number, exchanging: number}} Use most blocks and most requests at a time on one server; seconds of steps that bytes or operations bound, and of exchanges
 * @typedef {{began: number, times: number[], lost: number}} Fared when its first step began, when each token was written, how often its blocks were lost
 */

const [BLOCK, MOST] = [16, 256];

/** The seconds of a step as bound by bytes, bound by operations, and of two exchanges a layer. @param {Model} model @param {number} fresh @param {number} kept @param {number} pairs @returns {[number, number, number]} */
export function stepSeconds(model, fresh, kept, pairs) {
  const operations = 2 * model.parameters * fresh + model.pair_operations * pairs;
  const moved = 2 * model.parameters + model.cache_bytes * (kept + fresh);
  const [computing, fetching] = [operations / model.peak, moved / model.bandwidth];
  const bound = computing > fetching ? [0, computing] : [fetching, 0];
  const [a, b] = bound.map((seconds) => seconds / model.gpus);
  if (model.gpus === 1) return [a, b, 0];
  const sent = ((2 * (model.gpus - 1)) / model.gpus) * 2 * model.width * fresh;
  return [a, b, 2 * model.layers * (model.latency + sent / model.link)];
}

/** The bytes for keys and values of those who hold a model together: they hold it once. @param {Model} model */
const roomOf = (model) => model.gpus * model.memory - 2 * model.parameters;

/** The requests as they come in this setting. @param {State} state @param {Constants} constants @param {string[]} prompts */
export function requestsOf(state, { requests, played, beginning }, prompts) {
  const { speed, prompts: chosen, window } = state;
  const some = requests.slice((window - 1) * played, window * played);
  const more = chosen === prompts[0] ? 0 : beginning;
  return some.map(([came, prompt, answer]) => ({
    came: (came - some[0][0]) / speed,
    prompt: prompt + more,
    answer,
  }));
}

const done = (/** @type {Running} */ r) => r.times.length === r.request.answer;
const pending = (/** @type {Running} */ r) => r.request.prompt + r.times.length - r.computed;
const writes = (/** @type {Running} */ r) => r.times.length > 0 && pending(r) === 1;

/** Answer what has been asked of one server. @param {Running[]} queue @param {Model} model @param {How} how @param {Use} use is added to */
function run(queue, model, { way, budget, kept, short, once }, use) {
  const capacity = Math.floor(roomOf(model) / model.cache_bytes / BLOCK);
  const places = way === "one by one" ? 1 : MOST;
  let [now, used, carried, known] = [0, 0, 0, false];
  /** @type {Running[]} */
  let running = [];
  const needs = (/** @type {Running} */ r, /** @type {number} */ tokens) =>
    Math.ceil(Math.max(tokens - r.shared, 0) / BLOCK);
  const preempt = (/** @type {Running} */ r) => {
    running = running.filter((other) => other !== r);
    queue.unshift(r);
    used -= r.blocks;
    [r.blocks, r.lost] = [0, r.lost + 1];
    if (short === "swap") carried += model.cache_bytes * (r.computed - r.shared);
    else [r.computed, r.shared] = [0, 0];
  };
  /** Give each request that writes room for a token; say whether others had to go. */
  const makeRoom = () => {
    const before = running.length;
    for (const r of running.filter((one) => writes(one) && !done(one))) {
      while (running.includes(r)) {
        const more = needs(r, r.computed + 1) - r.blocks;
        if (more <= 0) break;
        if (used + more <= capacity) {
          used += more;
          r.blocks += more;
        } else preempt(/** @type {Running} */ (running.findLast((one) => !done(one))));
      }
    }
    return running.length < before;
  };
  /** Let in those who have come, in order, as long as there are places and blocks. */
  const admit = () => {
    if (way !== "continuous" && running.length) return;
    while (queue.length && running.length < places && queue[0].request.came <= now) {
      const r = queue[0];
      if (known) r.shared = kept;
      const last = short === "reserve" ? r.request.answer - 1 : r.times.length;
      const need = needs(r, r.request.prompt + last);
      if (used + need > capacity) return;
      carried += model.cache_bytes * Math.max(r.computed - r.shared, 0);
      const found = Math.max(r.computed, r.shared, r.lost ? 0 : (r.request.known ?? 0));
      r.computed = Math.min(found, r.request.prompt + r.times.length - 1);
      r.blocks = need;
      used += need;
      running.push(/** @type {Running} */ (queue.shift()));
    }
  };
  /** Who takes part in the next step, with tokens computed and tokens written. */
  const take = () => {
    const active = running.filter((r) => !done(r));
    const writing = active.filter(writes).slice(0, budget);
    /** @type {[Running, number, number][]} */
    const parts = writing.map((r) => [r, 1, 1]);
    let room = budget - writing.length;
    for (const r of active) {
      const n = writes(r) ? 0 : Math.min(pending(r), room);
      if (n) parts.push([r, n, n === pending(r) ? 1 : 0]);
      room -= n;
    }
    return parts;
  };
  while (queue.length || running.length) {
    if (!running.length) now = Math.max(now, queue[0].request.came);
    if (!makeRoom()) admit();
    const parts = take();
    if (parts.length) {
      let [fresh, fetched, pairs, readers] = [0, 0, 0, 0];
      for (const [r, n] of parts) {
        fresh += n;
        fetched += r.computed;
        pairs += n * r.computed + (n * (n + 1)) / 2;
        if (once && r.shared && readers++) fetched -= r.shared;
      }
      const begin = now;
      const [fetching, computing, exchanging] = stepSeconds(model, fresh, fetched, pairs);
      const crossing = exchanging + carried / model.host;
      now += fetching + computing + crossing;
      use.blocks = Math.max(use.blocks, used);
      use.together = Math.max(use.together, running.length);
      use.fetching += fetching;
      use.computing += computing;
      use.exchanging += crossing;
      carried = 0;
      for (const [r, n, wrote] of parts) {
        if (Number.isNaN(r.began)) r.began = begin;
        r.computed += n;
        if (!wrote) continue;
        r.times.push(now);
        if (kept && !known) {
          [known, r.shared] = [true, kept];
          r.blocks -= kept / BLOCK;
        }
      }
    }
    if (way === "continuous" || running.every(done)) {
      for (const r of running) if (done(r)) used -= r.blocks;
      running = running.filter((r) => !done(r));
    }
  }
}

/** Give requests to servers in turn. @param {[number, Request][]} asked @param {number} servers @param {Model} model @param {How} how @param {Use} use */
function pool(asked, servers, model, how, use) {
  const all = asked.map(([number, request]) => ({
    ...{ number, request, computed: 0, shared: 0, blocks: 0, lost: 0, began: NaN },
    times: /** @type {number[]} */ ([]),
  }));
  for (let turn = 0; turn < servers; turn++)
    run(
      all.filter((_, i) => i % servers === turn),
      model,
      how,
      use,
    );
  return new Map(all.map((r) => [r.number, r]));
}

/** Answer all requests. @param {Request[]} requests @param {Model} model @param {How} given @param {Use} use is added to @returns {Fared[]} */
export function serve(requests, model, given, use) {
  const how = { ...given, kept: given.kept - (given.kept % BLOCK) };
  const { replicas, readers, wire } = how;
  const asked = requests.map((r, i) => /** @type {[number, Request]} */ ([i, r]));
  if (!readers) return [...pool(asked, replicas, model, how, use).values()];
  const onlyRead = asked.map(
    ([i, r]) => /** @type {[number, Request]} */ ([i, { ...r, answer: 1 }]),
  );
  const read = pool(onlyRead, readers, model, how, use);
  const free = Array(readers).fill(0);
  /** @type {number[]} */
  const sent = [];
  const ready = [...read.values()].sort(
    (a, b) => a.times[0] - b.times[0] || a.number - b.number,
  );
  for (const { number, times, request } of ready) {
    const turn = number % readers;
    free[turn] = Math.max(free[turn], times[0]) + (model.cache_bytes / wire) * request.prompt;
    sent[number] = free[turn];
  }
  const arrived = asked
    .filter(([, r]) => r.answer > 1)
    .sort(([a], [b]) => sent[a] - sent[b])
    .map(([i, { prompt, answer }]) => {
      const request = { came: sent[i], prompt: prompt + 1, answer: answer - 1, known: prompt };
      return /** @type {[number, Request]} */ ([i, request]);
    });
  const written = pool(arrived, replicas - readers, model, how, use);
  return [...read.values()].map(({ number, began, times, lost }) => {
    const rest = written.get(number);
    return { began, times: [...times, ...(rest?.times ?? [])], lost: lost + (rest?.lost ?? 0) };
  });
}

/** The numbers of a way to serve in a setting, and the bytes of a model's cache. @param {State} state @param {Constants} constants @param {{prompts: string[], layouts: string[]}} names */
export function play(state, constants, { prompts, layouts }) {
  const requests = requestsOf(state, constants, prompts);
  const [layout, chosen] = [layouts.indexOf(state.gpus), prompts.indexOf(state.prompts)];
  const gpus = layout ? 2 : 1;
  const memory = 2 * constants.model.parameters + 1e9 * state.cache;
  const model = { ...constants.model, memory, gpus: layout === 2 ? 2 : 1 };
  const how = {
    ...{ way: state.way, budget: state.budget, short: state.short, wire: constants.wire },
    kept: chosen >= 2 ? constants.beginning : 0,
    once: chosen === 3,
    replicas: layout % 2 || layout === 3 ? 2 : 1,
    readers: layout === 3 ? 1 : 0,
  };
  const use = { blocks: 0, together: 0, fetching: 0, computing: 0, exchanging: 0 };
  const fared = serve(requests, model, how, use);
  const blocks = Math.floor(roomOf(model) / model.cache_bytes / BLOCK);
  const all = use.fetching + use.computing + use.exchanging;
  /** @type {Record<string, number>} */
  const now = {
    ...measure(requests, fared, constants, gpus),
    blocks: (100 * use.blocks) / blocks,
    fetching: (100 * use.fetching) / all,
    computing: (100 * use.computing) / all,
    exchanging: (100 * use.exchanging) / all,
  };
  return { requests, fared, now, room: roomOf(model), together: use.together };
}

/** The longest wait between two tokens. @param {number[]} times */
export function stall(times) {
  return times.reduce((most, time, i) => (i ? Math.max(most, time - times[i - 1]) : 0), 0);
}

/** The numbers that are shown: seconds, but milliseconds a token and for a pause. @param {Request[]} requests @param {Fared[]} fared @param {Constants} constants @param {number} gpus @returns {Record<string, number>} */
export function measure(requests, fared, { limits, price, watts }, gpus) {
  const first = fared.map(({ times }, i) => times[0] - requests[i].came);
  const each = fared.map(
    ({ times }) => (times[times.length - 1] - times[0]) / Math.max(times.length - 1, 1),
  );
  const several = each.filter((_, i) => fared[i].times.length > 1);
  const sorted = (/** @type {number[]} */ xs) => [...xs].sort((a, b) => a - b);
  const end = Math.max(...fared.map(({ times }) => times[times.length - 1])) - requests[0].came;
  const tokens = requests.reduce((sum, { answer }) => sum + answer, 0);
  const good = first.filter((x, i) => x <= limits[0] && each[i] <= limits[1]).length;
  const hours = (gpus * end * 1e6) / tokens / 3600;
  return {
    first: quantile(sorted(first), 0.5),
    slow: quantile(sorted(first), 0.99),
    token: 1000 * quantile(sorted(several.length ? several : each), 0.5),
    stall: 1000 * Math.max(...fared.map(({ times }) => stall(times))),
    kept: (100 * good) / requests.length,
    lost: fared.reduce((sum, { lost }) => sum + lost, 0),
    cost: hours * price,
    energy: (hours * watts) / 1000,
  };
}
