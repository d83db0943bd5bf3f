/* Plays the slides of a chapter: keys, buttons, swipes, notes, print.
 *
 * Without this script the slides are one long page. A slide is 640 by 360 and is enlarged to the
 * window; a figure or a widget takes what room its slide has. Windows of the same slides go on
 * together: one for the class, one with the notes (n). */
(() => {
  "use strict";
  const [WIDTH, HEIGHT, WIDE] = [640, 360, 900];
  const [LARGEST, SMALLEST] = [20, 14]; // pixels of a slide of 640: 40 and 28 at 1280
  let larger = 1; // by + and -
  const root = document.documentElement;
  const pages = [...document.querySelectorAll(".page")];
  const bar = document.querySelector(".bar");
  const steps = (page) => [...page.querySelectorAll(".later")];
  let at = 0;
  let shown = 0; // how many of the slide's later parts
  root.classList.add("deck");
  bar.hidden = false;

  const channel = "BroadcastChannel" in window ? new BroadcastChannel(location.pathname) : null;
  if (channel) channel.onmessage = ({ data }) => show(data[0], data[1], false);

  function show(number, parts = 0, tell = true) {
    if (number !== at) larger = 1;
    root.classList.toggle("large", larger > 1.01);
    at = Math.max(0, Math.min(pages.length - 1, number));
    pages.forEach((page, i) => page.classList.toggle("current", i === at));
    const later = steps(pages[at]);
    shown = Math.min(parts, later.length);
    later.forEach((part, i) => part.classList.toggle("hidden", i >= shown));
    bar.querySelector(".place").textContent = `${at + 1} / ${pages.length}`;
    if (tell) {
      channel?.postMessage([at, shown]);
      // Replaced, so that Back leaves the slides instead of walking through them.
      history.replaceState(null, "", `#${at + 1}`);
    }
    size();
  }
  /* What does not fit is scrolled to first. */
  function go(by) {
    const body = pages[at].querySelector(".body");
    if (by > 0 && body.scrollHeight - body.clientHeight - body.scrollTop > 2)
      return body.scrollBy(0, 0.8 * body.clientHeight);
    if (by > 0 && shown < steps(pages[at]).length) show(at, shown + 1);
    else if (by < 0 && shown > 0) show(at, shown - 1);
    else if (by > 0) show(at + 1);
    else if (at > 0) show(at - 1, Infinity);
  }

  const printing = () => matchMedia("print").matches;
  function size() {
    const page = pages[at];
    const notes = root.dataset.notes ? page.querySelector(".notes").offsetHeight : 0;
    const zoom = Math.min(innerWidth / WIDTH, (innerHeight - notes) / HEIGHT);
    root.style.setProperty("--zoom", innerWidth < WIDTH ? "1" : (larger * zoom).toFixed(4));
    if (!printing()) fit(page);
  }
  /* Type as large as the slide holds; the picture of a figure and the scale of a widget that
   * leave room for the rest. Parts that come later take their place from the beginning. */
  function fit(page) {
    const slide = page.querySelector(".slide");
    const body = slide.querySelector(".body");
    if (innerWidth < WIDTH) return body.removeAttribute("style");
    const plot = body.querySelector(".ac-plot");
    plot?.style.setProperty("--ac-plot-height", "150px");
    body.querySelector(".show-widget")?.style.setProperty("--fit", 0.1);
    const formulas = body.querySelectorAll(".ac-display");
    formulas.forEach((formula) => formula.style.removeProperty("font-size"));
    const sizes = Array.from({ length: LARGEST - SMALLEST + 1 }, (_, i) => LARGEST - i);
    sizes.concat(sizes).find((type, i) => {
      body.classList.toggle("wrapped", i >= sizes.length); // long lines of code, if they must
      body.style.fontSize = `${type}px`;
      return body.scrollHeight <= body.clientHeight && body.scrollWidth <= body.clientWidth;
    });
    for (const formula of formulas) {
      const share = formula.clientWidth / formula.scrollWidth;
      if (share < 1) formula.style.fontSize = `${0.98 * share}em`;
    }
    if (plot) {
      const room = 150 + body.clientHeight - used(body);
      plot.style.setProperty("--ac-plot-height", `${Math.max(120, Math.floor(room))}px`);
      plot.dispatchEvent(new Event("ac-resize", { bubbles: true }));
    }
    const live = body.querySelector(".show-widget");
    if (live) {
      live.style.setProperty("--fit", body.clientWidth / WIDE);
      shrink(page);
      // Once more when the widget has drawn itself in its new width.
      requestAnimationFrame(() => shrink(page));
    }
  }
  function shrink(page) {
    const body = page.querySelector(".body");
    const live = body.querySelector(".show-widget");
    for (let tries = 0; tries < 5; tries++) {
      const over = Math.max(used(body), body.scrollHeight) - body.clientHeight;
      const tall = live.getBoundingClientRect().height / scaleOf(page);
      if (over < 0.5 || tall <= over) return;
      const before = Number(live.style.getPropertyValue("--fit"));
      live.style.setProperty("--fit", Math.max(0.2, 0.995 * before * (1 - over / tall)));
    }
  }
  // Rectangles are measured after the zoom, offsets before it.
  const scaleOf = (page) => {
    const slide = page.querySelector(".slide");
    return slide.getBoundingClientRect().width / slide.offsetWidth;
  };
  function used(body) {
    const { top } = body.firstElementChild.getBoundingClientRect();
    const { bottom } = body.lastElementChild.getBoundingClientRect();
    return (bottom - top) / scaleOf(body.closest(".page"));
  }

  const typing = (target) =>
    target.closest?.(
      ".ac-widget, input, select, textarea, button, .bar, a, summary, [tabindex]",
    );
  addEventListener("keydown", (event) => {
    const printed = (event.ctrlKey || event.metaKey) && event.key === "p";
    if ((event.ctrlKey || event.metaKey || event.altKey) && !printed) return;
    const inWidget = typing(event.target);
    const key = event.key === " " && event.shiftKey ? "PageUp" : event.key;
    if (inWidget && !["PageDown", "PageUp", "n", "p", "d"].includes(key)) return;
    if (inWidget?.matches?.("input, textarea") && key.length === 1) return;
    const acts = { n: notes, p: print, d: dark, "-": () => enlarge(0.8) };
    acts.Home = () => show(0);
    acts.End = () => show(pages.length - 1);
    for (const on of ["ArrowRight", "ArrowDown", "PageDown", " "]) acts[on] = () => go(1);
    for (const back of ["ArrowLeft", "ArrowUp", "PageUp"]) acts[back] = () => go(-1);
    for (const plus of ["+", "="]) acts[plus] = () => enlarge(1.25);
    if (!Object.hasOwn(acts, key)) return;
    event.preventDefault();
    acts[key]();
  });
  bar.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button?.dataset.go) go(Number(button.dataset.go));
    if (button?.dataset.do === "notes") notes();
    if (button?.dataset.do === "print") print();
  });
  let from = null;
  const touched = (event) => {
    const touch = event.touches.length === 1 && !typing(event.target) && event.touches[0];
    from = touch ? [touch.clientX, touch.clientY] : null;
  };
  addEventListener("touchstart", touched, { passive: true });
  addEventListener("touchend", ({ changedTouches: [touch] }) => {
    if (!from) return;
    const [x, y] = [touch.clientX - from[0], touch.clientY - from[1]];
    if (Math.abs(x) > 50 && Math.abs(x) > 2 * Math.abs(y)) go(x < 0 ? 1 : -1);
  });

  function notes() {
    if (root.dataset.notes) delete root.dataset.notes;
    else root.dataset.notes = "shown";
    bar.querySelector('[data-do="notes"]').ariaPressed = String(!!root.dataset.notes);
    size();
  }
  /* Of a slide that is enlarged one sees a part, and scrolls. */
  function enlarge(by) {
    larger = Math.max(1, Math.min(3, larger * by));
    root.classList.toggle("large", larger > 1.01);
    size();
  }
  function dark() {
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  }
  /* On paper every slide stands with its notes: draw them all first. */
  async function print() {
    root.dataset.theme = "light";
    const [here, parts] = [at, shown];
    for (let i = 0; i < pages.length; i++) {
      show(i, Infinity, false);
      await ready(pages[i]);
      fit(pages[i]);
    }
    show(here, parts, false);
    root.dataset.ready = "print";
    window.print();
  }
  async function ready(page) {
    const waits = [...page.querySelectorAll(".ac-figure, .ac-widget")];
    const done = (e) => ["drawn", "ready", "failed"].includes(e.dataset.acState);
    for (let tries = 0; tries < 100 && !waits.every(done); tries++) {
      await new Promise((resume) => setTimeout(resume, 50));
    }
  }
  const changed = new MutationObserver(() => size());
  const grown = new ResizeObserver(() => {
    if (!printing() && innerWidth >= WIDTH && pages[at].querySelector(".show-widget"))
      shrink(pages[at]);
  });
  for (const widget of document.querySelectorAll(".ac-widget")) {
    changed.observe(widget, { attributeFilter: ["data-ac-state"] });
    grown.observe(widget);
  }
  addEventListener("resize", size);
  document.fonts.ready.then(size);

  function fromHash() {
    const name = decodeURIComponent(location.hash.slice(1)).split("?")[0];
    const named =
      name &&
      document.querySelector(`[data-ac-key="${CSS.escape(name)}"], #${CSS.escape(name)}`);
    const page = named ? pages.indexOf(named.closest(".page")) : Number(name) - 1;
    if (page !== at && pages[page]) show(page, 0, false);
  }
  addEventListener("hashchange", fromHash);
  show(0, 0, false);
  fromHash();
})();
