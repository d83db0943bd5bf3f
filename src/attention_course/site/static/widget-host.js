/* Runs the course's widgets on a page that has no kernel and perhaps no network.
 *
 * A classic script, because module scripts are refused on file://. It reads the widget state
 * that the build embedded, gives every widget a small model with the methods of anywidget's
 * front-end modules, and imports the widget's own code from a Blob. Code and trained weights lie
 * beside this file as scripts: a page that was opened from disk may load one and fetch nothing. */
(() => {
  "use strict";
  const holder = document.querySelector('script[type$="jupyter.widget-state+json"]');
  const places = [...document.querySelectorAll(".ac-widget[data-model-id]")];
  if (!holder || !places.length) return;
  const states = JSON.parse(holder.textContent).state;
  const here = document.currentScript.src;
  const modules = new Map();
  const models = new Map();
  const styled = new Set();

  /* What is made once, unless that failed. */
  function once(made, name, make) {
    const failed = (error) => (made.delete(name), Promise.reject(error));
    if (!made.has(name)) made.set(name, make(name).catch(failed));
    return made.get(name);
  }

  const weights = (name) =>
    loadScript(`models/${name}.js`)
      .then(() => Uint8Array.from(atob(globalThis.acModels[name]), (c) => c.charCodeAt(0)))
      .finally(() => delete globalThis.acModels?.[name]);

  function loadScript(name) {
    return new Promise((onload, failed) => {
      const src = new URL(name, here).href;
      const onerror = () => failed(new Error(`${name} could not be loaded`));
      document.head.append(
        Object.assign(document.createElement("script"), { src, onload, onerror }),
      );
    });
  }

  function makeModel(state) {
    const listeners = new Map();
    const tell = (event, ...args) =>
      [...(listeners.get(event) ?? [])].forEach((listener) => listener(...args));
    const model = {
      get: (key) => state[key],
      set(key, value) {
        const changes = typeof key === "object" ? key : { [key]: value };
        const changed = Object.keys(changes).filter((k) => state[k] !== changes[k]);
        Object.assign(state, changes);
        changed.forEach((k) => tell(`change:${k}`, model, state[k]));
        if (changed.length) tell("change", model);
      },
      on(event, listener) {
        if (!listeners.has(event)) listeners.set(event, new Set());
        listeners.get(event).add(listener);
      },
      off(event, listener) {
        if (listener) listeners.get(event)?.delete(listener);
        else if (event) listeners.delete(event);
        else listeners.clear();
      },
      save_changes() {},
      /* Answers as the widget's Python does: by a message, with the bytes behind it. */
      send({ model: name }) {
        once(models, name, weights).then(
          (bytes) => tell("msg:custom", { model: name }, [new DataView(bytes.buffer)]),
          () => tell("msg:custom", { missing: name }, []),
        );
      },
    };
    return model;
  }

  async function imported(name) {
    await loadScript(`widgets/${name}.js`);
    const { _esm, _css } = globalThis.acSources[name];
    // On a page opened from disk a blob can be imported, a file cannot.
    const url = URL.createObjectURL(new Blob([_esm], { type: "text/javascript" }));
    const found = await import(url).finally(() => URL.revokeObjectURL(url));
    return { found: found.default, css: _css };
  }

  function style(css) {
    if (!css || styled.has(css)) return;
    styled.add(css);
    document.head.append(Object.assign(document.createElement("style"), { textContent: css }));
  }

  async function start(place) {
    // Scrolling, an address and printing may all ask for the same widget.
    if (place.dataset.acState) return;
    place.dataset.acState = "starting";
    const el = Object.assign(document.createElement("div"), { className: "ac-live" });
    try {
      const state = { ...states[place.dataset.modelId]?.state };
      if (!state._source) throw new Error("the page holds no code for it");
      const { found, css } = await once(modules, state._source, imported);
      const widget = typeof found === "function" ? await found() : found;
      style(css);
      const model = makeModel(state);
      place.acModel = model; // what the widget holds, for the console and the tests
      await widget.initialize?.({ model });
      place.prepend(el);
      await widget.render({ model, el });
      place.querySelector(".ac-fallback")?.remove();
      place.dataset.acState = "ready";
    } catch (error) {
      el.remove();
      place.dataset.acState = "failed";
      const textContent = `This widget could not start (${error.message ?? error}).`;
      const note = { className: "ac-error", role: "alert", textContent };
      place.prepend(Object.assign(document.createElement("p"), note));
    }
  }

  /* "#saturation-lab?d_k=512" names a widget and the state that it should show. */
  function followHash() {
    const key = decodeURIComponent(location.hash.slice(1).split("?")[0]);
    const named = key && places.find((place) => place.dataset.acKey === key);
    if (named) start(named).then(() => named.scrollIntoView({ block: "start" }));
  }

  const near = new IntersectionObserver(
    (entries) => entries.filter((e) => e.isIntersecting).forEach((e) => start(e.target)),
    { rootMargin: "600px 0px" },
  );
  places.forEach((place) => near.observe(place));
  addEventListener("hashchange", followHash);
  addEventListener("beforeprint", () => places.forEach(start));
  followHash();
})();
