/* Python in the page: a worker that starts Pyodide, and runs and checks what a reader typed.
 *
 * All of it lies beside this file (python/about.js lists it). From a server the files are fetched
 * as they are; on file://, where nothing can be fetched, each comes as a script; the page of an
 * assignment (offline.py) brings these scripts in itself. The worker gets the bytes and needs no
 * network; it has none. No thread can stop a loop there, so to stop means to end the worker; the
 * next run starts another one. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const inside = "acPythonAbout" in globalThis; // the page of an assignment has all in itself
  const waiting = new Map(); // files, by name: asked for once, unless that failed
  let worker, ready, running;

  function once(key, make) {
    const failed = (error) => (waiting.delete(key), Promise.reject(error));
    if (!waiting.has(key)) waiting.set(key, make().catch(failed));
    return waiting.get(key);
  }

  async function bytesOf(name, version, got) {
    if (inside || location.protocol === "file:") {
      await globalThis.acPage.load(`python/${name}.js`);
      const text = globalThis.acPythonData?.[name];
      if (text === undefined)
        throw new Error(`${name} is missing here: was all of the page copied?`);
      delete globalThis.acPythonData[name];
      const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
      got(bytes.length);
      return bytes;
    }
    const answer = await fetch(new URL(`python/${name}?v=${version}`, here));
    if (!answer.ok) throw new Error(`${name} could not be loaded (${answer.status})`);
    const parts = [];
    const reader = answer.body.getReader();
    for (let part; !(part = await reader.read()).done; got(part.value.length))
      parts.push(part.value);
    return new Uint8Array(await new Blob(parts).arrayBuffer());
  }

  const isGzip = (bytes) => bytes[0] === 0x1f && bytes[1] === 0x8b;

  /* All files, with `progress(loaded, all)` in bytes. */
  async function load(progress) {
    await globalThis.acPage.load("python/about.js");
    const { files } = globalThis.acPythonAbout;
    const all = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
    let loaded = 0;
    const got = (bytes) => progress((loaded += bytes), all);
    const entries = Object.entries(files).map(async ([name, { v, bytes }]) => {
      const content = await once(`bytes of ${name}`, () => bytesOf(name, v, got));
      // Some servers let the browser unpack what ends in .gz.
      const whole = content.length === bytes || (name.endsWith(".gz") && !isGzip(content));
      if (!whole) throw (waiting.delete(`bytes of ${name}`), new Error(`${name} is damaged`));
      return [name, content];
    });
    return Object.fromEntries(await Promise.all(entries));
  }

  /* Runs inside the worker. */
  function work() {
    let run, runCells, runBench, defended;
    let [text, at, length, sent] = ["", "", 0, 0];
    const LONGEST = 200_000; // characters that a run may print into one place of the page
    const send = () => {
      if (text) postMessage({ text, at });
      [text, sent] = ["", performance.now()];
    };
    const say = (more, cell = "") => {
      if (cell !== at) send(), ([at, length] = [cell, 0]);
      if (length > LONGEST) return;
      length += more.length;
      text += more.slice(0, LONGEST);
      if (length > LONGEST) text += "\n… and more, which the page leaves out.\n";
      // A message for each print would keep the page busy: at most twenty a second.
      if (length > LONGEST || performance.now() > sent + 50) send();
    };

    async function unpacked(bytes) {
      // Some servers unpack .gz files on the way: only what begins as gzip is unpacked.
      if (bytes[0] !== 0x1f) return bytes;
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      return new Uint8Array(await new Response(stream).arrayBuffer());
    }

    async function start({ files, lock }) {
      const held = { "pyodide-lock.json": new TextEncoder().encode(lock) };
      for (const name of Object.keys(files)) {
        try {
          held[name.replace(/\.gz$/, "")] = name.endsWith(".gz")
            ? await unpacked(files[name])
            : files[name];
        } catch {
          throw new Error(`${name} is damaged`);
        }
      }
      const kinds = { wasm: "application/wasm", js: "text/javascript" };
      const refuse = () => {
        throw new TypeError("there is no network in the page's Python");
      };
      // Pyodide fetches its parts, which are here already; an answer must reach no network.
      self.fetch = async (/** @type {any} */ address) => {
        const name = String(address.url ?? address).replace(/.*\//, "");
        if (!Object.hasOwn(held, name)) refuse();
        const kind = kinds[name.split(".").pop()] ?? "application/octet-stream";
        return new Response(held[name], { headers: { "content-type": kind } });
      };
      for (const name of ["pyodide.asm.js", "pyodide.js"]) {
        // As blobs: on a page opened from disk a worker may load no script by its address.
        importScripts(URL.createObjectURL(new Blob([held[name]], { type: kinds.js })));
      }
      const indexURL = "https://python.invalid/"; // nothing is asked of it
      const py = await loadPyodide({ indexURL, lockFileURL: `${indexURL}pyodide-lock.json` });
      for (const name of ["XMLHttpRequest", "WebSocket", "EventSource", "importScripts"])
        self[name] = function () {
          refuse();
        };
      const wheel = Object.keys(held).find((name) => name.endsWith(".whl"));
      for (const [name, format, extractDir] of [
        [wheel, "whl"],
        ["course.zip", "zip", "/course"],
      ]) {
        try {
          py.unpackArchive(held[name], format, { extractDir });
        } catch {
          throw new Error(`${name} is damaged`);
        }
      }
      for (const name of Object.keys(held)) delete held[name];
      py.runPython(`
import sys
sys.path.insert(0, "/course")
from attention_course.exercises.in_page import defended, run
from attention_course.exercises.in_page_cells import run_cells
def run_bench(bench, say):
    from attention_course.assembled.workbench import run_bench
    return run_bench(bench, say)`);
      [run, runCells, runBench, defended] = ["run", "run_cells", "run_bench", "defended"].map(
        (name) => py.globals.get(name),
      );
    }

    self.onmessage = async ({ data }) => {
      try {
        if (data.files) await start(data);
        else {
          [at, length] = ["", 0];
          const { source, slug, attempt = 1, beside = "[]" } = data;
          const whole = data.chapter
            ? runCells(data.chapter, data.at, data.edits, say)
            : data.bench
              ? runBench(data.bench, say)
              : data.seed
                ? defended(source, slug, data.seed, say, attempt)
                : run(source, slug, data.checked, say, attempt, beside);
          send();
          return void postMessage({ done: true, whole });
        }
        postMessage({ ready: true });
      } catch (error) {
        send();
        const said = String(error.message ?? error).trim();
        postMessage({ died: said.split("\n").at(-1) });
      }
    };
  }

  function end() {
    worker?.terminate();
    worker = ready = undefined;
  }

  function begin(progress) {
    if (ready) return ready;
    const asked = (ready = load(progress)
      .then(
        (files) =>
          new Promise((done, failed) => {
            if (ready !== asked) return;
            progress();
            // From a blob: on a page opened from disk no worker starts from an address.
            const url = URL.createObjectURL(
              new Blob([`(${work})()`], { type: "text/javascript" }),
            );
            worker = new Worker(url);
            const hear = (/** @type {{ data: any }} */ { data }) => {
              if (data.ready || data.died) URL.revokeObjectURL(url);
              if (data.ready) done();
              else if (data.died && running) running.finish({ died: data.died });
              else if (data.died) failed(new Error(data.died));
              else if (data.done) running?.finish({ whole: data.whole });
              else running?.say(data.text, data.at);
            };
            worker.onmessage = hear;
            worker.onerror = (event) => {
              event.preventDefault();
              hear({ data: { died: event.message || "it ended by itself" } });
            };
            worker.postMessage({ files, lock: globalThis.acPythonAbout.lock });
          }),
      )
      .catch((error) => {
        if (ready === asked) end();
        throw error;
      }));
    return asked;
  }

  let stopStarting = () => {};
  globalThis.acPython = {
    /* Run an exercise (`slug`, `source`, `checked`, `attempt`, `beside`), ask about a change in it (`slug`, `source`, `seed`, `attempt`), or
     * run a chapter's code (`chapter`, `at`, `edits`) or the workbench (`bench`); resolves to how it ended: `whole` (to its end or by an error), `stopped`, `died`.
     * Rejects if Python cannot be started. `progress()` without numbers: loaded, and starting. */
    async run({ say, progress, began, ...job }) {
      const stopped = new Promise((stop) => (stopStarting = () => stop(true)));
      if (await Promise.race([begin(progress), stopped])) return { stopped: true };
      began();
      const ended = await new Promise((finish) => {
        running = { say, finish };
        worker.postMessage(job);
      });
      running = undefined;
      if (!("whole" in ended)) end();
      return ended;
    },
    stop() {
      if (running) running.finish({ stopped: true });
      else end(), stopStarting();
    },
    async about() {
      await globalThis.acPage.load("python/about.js");
      return globalThis.acPythonAbout;
    },
  };
})();
