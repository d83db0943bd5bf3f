/* What this browser keeps for the course, each thing with the time at which it was last changed.
 * Where its storage is full or forbidden, it is kept as long as the page. And what several scripts
 * of a page do: make elements, load a script, save a file. */
(() => {
  "use strict";
  const here = document.currentScript.src;
  const kept = new Map();
  const loading = new Map();
  const BEGIN = "attention-course: ";
  const whenOf = (key) => key.replace(BEGIN, `${BEGIN}when: `);

  function recall(key) {
    try {
      // Where a browser blocks storage even reading it throws.
      return kept.get(key) ?? localStorage.getItem(key) ?? undefined;
    } catch {
      return kept.get(key);
    }
  }

  /* Whether the browser keeps it beyond this page. */
  function keep(key, value, when = Date.now()) {
    try {
      if (value === undefined) {
        localStorage.removeItem(key);
        localStorage.removeItem(whenOf(key));
      } else if (localStorage.getItem(key) !== value) {
        localStorage.setItem(key, value);
        localStorage.setItem(whenOf(key), String(when));
      }
      kept.delete(key);
      return true;
    } catch {
      if (value === undefined) kept.delete(key);
      else kept.set(key, value);
      return false;
    }
  }

  /* When it was last changed, in milliseconds since 1970; 0 if that is not known. */
  const changed = (key) => Number(recall(whenOf(key))) || 0;

  /* What is kept under keys that begin so, by the rest of its key. */
  function all(beginning) {
    const keys = new Set(kept.keys());
    try {
      Object.keys(localStorage).forEach((key) => keys.add(key));
    } catch {
      /* no storage */
    }
    const mine = [...keys].filter((key) => key.startsWith(beginning)).sort();
    return new Map(mine.map((key) => [key.slice(beginning.length), recall(key)]));
  }

  /* What is kept under a key as JSON; null where nothing is, or what makes no sense. */
  function parsed(key) {
    try {
      return JSON.parse(recall(key) ?? "null");
    } catch {
      return null;
    }
  }

  // ---- what scripts share beside ----

  function element(name, properties = {}, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
  }

  const button = (textContent, onclick) =>
    element("button", { type: "button", textContent, onclick });

  /* Load a script that lies beside this one, once unless that failed. */
  function load(name) {
    if (globalThis.acAssignment) return; // its page has all in itself
    const begun = (onload, failed) => {
      const onerror = () => {
        loading.delete(name);
        failed(new Error(`${name} could not be loaded`));
      };
      const src = new URL(name, here).href;
      document.head.append(element("script", { src, onload, onerror }));
    };
    if (!loading.has(name)) loading.set(name, new Promise(begun));
    return loading.get(name);
  }

  function download(name, text, type) {
    const href = URL.createObjectURL(new Blob([text], { type }));
    element("a", { href, download: name }).click();
    // Revoked at once, some browsers would cancel the download.
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }

  const lost = (so) =>
    `This browser keeps nothing for the page (its storage is full or switched off)${so}.`;

  /* What is typed is the field's alone: elsewhere the key / leads to the search. */
  const ownKeys = (field) =>
    field.addEventListener("keydown", (event) => {
      if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) event.stopPropagation();
    });

  globalThis.acStorage = { recall, keep, changed, all, parsed };
  globalThis.acPage = { element, button, load, download, lost, ownKeys };
})();
