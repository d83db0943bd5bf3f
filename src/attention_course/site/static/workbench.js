/* The workbench: a translator of the reader's own parts, which translates in the page.
 *
 * python/acSlots.js says what may be put where, and whose slots each model has;
 * assembled/workbench.py runs it. What is in a slot is kept in this browser's storage: an answer as
 * it was when it was put there. */
(() => {
  "use strict";
  const { recall, keep, parsed } = globalThis.acStorage;
  const { load, element, button, download, lost, ownKeys } = globalThis.acPage;
  const { runner, editor } = globalThis.acRunning;
  const here = document.currentScript.src;
  const CHOSEN = "attention-course: workbench";
  const SENTENCE = "attention-course: workbench sentence";
  const written = (slot) => `attention-course: part: ${slot}`;
  const answer = ({ exercise }) => recall(`attention-course: answer: ${exercise}`);

  /* What was chosen; nothing where what is kept makes no sense. */
  const read = () => ({ ...parsed(CHOSEN) });

  function build(place, { slots, models, words: known, costs }) {
    const MODEL = `attention-course: workbench model: ${place.dataset.model ?? ""}`;
    const asked = [recall(MODEL), place.dataset.model].find((name) => name in models);
    let model = asked ?? Object.keys(models)[0];
    const chosen = read();
    const rows = new Map(); // by slot: what its row says and asks again
    const { status, loaded, output, stop, wait, go } = runner({
      name: "The workbench",
      noun: "part",
      label: "The workbench",
      elsewhere: "ac.assemble in the chapter's notebook does the same.",
    });
    const value = recall(SENTENCE) ?? place.dataset.sentence;
    const field = { type: "text", className: "ac-bench-sentence", value, spellcheck: false };
    const sentence = element("input", field);
    const translate = button("Translate", () => run());
    const found = element("div", { className: "ac-bench-found" });
    const whole = element("p", { hidden: true });
    let file = "";
    const save = button("Keep it as one file", () =>
      download(`${models[model].file}.py`, file, "text/x-python"),
    );
    save.hidden = true;
    const weights = element("a", { textContent: "its weights", hidden: true });
    const options = Object.entries(models).map(([value, { label }]) =>
      element("option", { value, textContent: label }),
    );
    const which = element("select", {}, ...options);
    which.value = model;
    which.onchange = () => {
      model = which.value;
      keep(MODEL, model);
      showRows();
    };
    ownKeys(sentence);
    sentence.addEventListener("keydown", (event) => {
      if (event.key === "Enter") run();
    });
    sentence.addEventListener("input", () => keep(SENTENCE, sentence.value));

    function keepChosen() {
      if (!keep(CHOSEN, JSON.stringify(chosen))) status.textContent = lost("");
    }

    /* What is run in a slot; nothing where it is the course's, or as that or the stub is written. */
    function given(slot, one = chosen[slot]) {
      if (one?.kind === "wrong") return { mistake: one.mistake };
      const here = one?.kind === "written" && (recall(written(slot)) ?? answer(slots[slot]));
      const text = here || one?.text;
      const { course, stub } = slots[slot];
      return text && text !== course && text !== stub ? { text } : undefined;
    }

    function row(slot) {
      const about = slots[slot];
      const option = (value, textContent, disabled = false) =>
        element("option", { value, textContent, disabled });
      const mine = option("mine", "your answer");
      const wrong = element("optgroup", { label: "Wrong on purpose" });
      const cost = costs[model]?.[slot] ?? {};
      const told = (name) => (name in cost ? `${name} (${cost[name]})` : name);
      wrong.append(...about.mistakes.map((name) => option(`wrong ${name}`, told(name))));
      const select = element("select", {}, option("", "the course’s"));
      if (about.exercise) select.append(mine);
      select.append(option("written", "written here"));
      if (about.mistakes.length) select.append(wrong);
      select.setAttribute("aria-label", `What is in ${slot}`);
      const note = element("div", { className: "ac-bench-note" });
      const under = element("div");

      let error = "";
      function say(told = error) {
        error = told;
        const now = about.exercise ? answer(about) : undefined;
        const one = chosen[slot];
        mine.disabled = now === undefined && one?.kind !== "mine";
        mine.textContent = now === undefined ? "your answer (none yet)" : "your answer";
        note.replaceChildren(told);
        if (one?.kind !== "mine" || now === one.text) return;
        if (now === undefined) return void note.append(" Your answer is no longer kept here.");
        const take = () => ((one.text = now), keepChosen(), say(""));
        const again = button("Take it as it is now", take);
        note.append(" Your answer has changed since you put it here. ", again);
      }

      async function write() {
        under.replaceChildren();
        if (chosen[slot]?.kind !== "written") return;
        const inside = element("div", { className: "ac-try-here" });
        const made = await editor({
          place: inside,
          name: slot,
          noun: "part",
          key: written(slot),
          original: answer(about) ?? about.stub,
          label: `Your part: ${slot}`,
          lost: "",
          elsewhere: "",
        });
        const put = button("Put the course’s part here", () => inside.acSet(about.course));
        inside.append(made.field, made.how, put, made.status);
        under.replaceChildren(inside);
      }

      select.onchange = () => {
        const [kind, ...name] = select.value.split(" ");
        if (!kind) delete chosen[slot];
        else if (kind === "mine") chosen[slot] = { kind, text: answer(about) };
        else if (kind === "wrong") chosen[slot] = { kind, mistake: name.join(" ") };
        else chosen[slot] = { kind };
        keepChosen();
        say("");
        write();
      };
      const one = chosen[slot];
      select.value = one?.kind === "wrong" ? `wrong ${one.mistake}` : (one?.kind ?? "");
      rows.set(slot, { say });
      say();
      write();
      const { href } = new URL(`../../book/exercises/${about.exercise}.html`, here);
      const link = element("a", { href, textContent: about.title });
      const first = element("div", {}, element("code", { textContent: slot }), " ");
      if (about.exercise) first.append(link);
      const line = element("div", { className: "ac-bench-slot" }, first, select, note, under);
      line.id = `bench-${slot}`;
      line.dataset.slot = slot;
      return line;
    }

    async function run() {
      let heard = "";
      try {
        await load(`python/acWeights-${model}.js`);
      } catch (error) {
        status.textContent = `The model did not come: ${error.message}. Try again.`;
        return;
      }
      const own = models[model].slots.filter((slot) => given(slot));
      const asked = {
        model,
        sentence: sentence.value,
        slots: Object.fromEntries(own.map((slot) => [slot, given(slot)])),
        weights: globalThis[`acWeights-${model}`],
      };
      clear();
      const done = (seconds) => show(JSON.parse(heard), seconds);
      await go(
        { bench: JSON.stringify(asked), say: (more) => (heard += more) },
        { doing: "Translating …", buttons: [translate, which], done },
      );
    }

    /* Show what is found, and return what the status says. */
    function show(
      {
        mine,
        course,
        by,
        verdict,
        errors,
        printed,
        yours,
        unused,
        slow,
        sentence: why,
        ...more
      },
      seconds,
    ) {
      rows.forEach(({ say }, slot) => {
        const idle = unused?.[slot] === undefined ? "" : `Not called${unused[slot]}.`;
        say(errors[slot] ? `${errors[slot]}. The course’s part stands in.` : idle);
      });
      [output.hidden, output.textContent] = [!printed, printed];
      if (why) return `Not translated: ${why}`;
      const length = Math.max(mine.length, course.length);
      const at = Array.from({ length }, (_, i) => i).find((i) => mine[i] !== course[i]);
      const cells = (name, words, mark) =>
        element(
          "tr",
          {},
          element("th", { scope: "row", textContent: name }),
          ...Array.from({ length }, (_, i) =>
            element(
              "td",
              {},
              element(mark && i === at ? "mark" : "span", { textContent: words[i] ?? "–" }),
            ),
          ),
        );
      const table = element(
        "table",
        {},
        cells(by === "beam" ? "yours, with three beams" : "yours", mine, true),
        cells("the course’s", course),
      );
      const named = (how, slots) => {
        const links = slots.flatMap((slot) => [
          ", ",
          element("a", { href: `#bench-${slot}`, textContent: slot }),
        ]);
        const end = ". The course’s part stands in. ";
        return links.length ? [how, ...links.slice(1), end] : [];
      };
      const failed = Object.keys(errors).filter((slot) => !slow.includes(slot));
      const instead = [...named("Failed: ", failed), ...named("Too slow here: ", slow)];
      found.replaceChildren(
        element("p", { className: "ac-bench-first" }, ...instead, verdict),
        element("div", { className: "ac-scroll" }, table),
      );
      file = more.file ?? "";
      [save.hidden, weights.hidden] = [!file || !yours.length, !file || !yours.length];
      const name = models[model].file;
      weights.href = new URL(`python/${name}.npz`, here).href;
      weights.download = `${name}.npz`;
      [whole.hidden, whole.textContent] = [!more.whole, more.whole];
      const idle = Object.keys(unused).length;
      const not = idle ? `, ${idle} not called` : "";
      return `Translated in ${seconds} s, ${yours.length} of ${rows.size} parts yours${not}.`;
    }

    /* Forget what was found: it is no longer that of these choices. */
    function clear() {
      [file, status.textContent] = ["", ""];
      for (const one of [whole, save, weights, output]) one.hidden = true;
      found.replaceChildren();
    }

    /* What each named mistake of the model was recorded to cost: the mildest first. */
    function price() {
      if (!prices.open) return;
      const told = Object.entries(costs[model] ?? {}).flatMap(([slot, each]) =>
        Object.entries(each).map(([name, cost]) => [...cost.split(" of "), slot, name]),
      );
      told.sort(([a], [b]) => (Number(b) || 0) - (Number(a) || 0));
      const line = (tag, texts) =>
        element("tr", {}, ...texts.map((textContent) => element(tag, { textContent })));
      const lines = told.map((texts) => line("td", [texts[0], ...texts.slice(-2)]));
      const [, of = ""] = told[0] ?? [];
      lines.unshift(line("th", [`of ${of}`, "slot", "mistake"]));
      const scroll = { className: "ac-scroll", tabIndex: 0, role: "region" };
      const table = element("table", {}, ...lines);
      prices.lastChild.replaceWith(element("div", { ...scroll, ariaLabel: "Costs" }, table));
    }

    function showRows() {
      clear();
      rows.clear();
      prices.open = false;
      bench.replaceChildren(...models[model].slots.map(row));
    }

    /* Show the choices that another tab has made. */
    function choose(others) {
      for (const slot of Object.keys(chosen)) delete chosen[slot];
      Object.assign(chosen, others);
      showRows();
    }
    addEventListener("storage", ({ key }) => {
      if (key === CHOSEN || key === null) choose(read());
      else if (key.startsWith("attention-course: answer: ")) rows.forEach(({ say }) => say());
    });
    addEventListener("focusin", ({ target }) => {
      if (!place.contains(target)) rows.forEach(({ say }) => say()); // an answer above or below
    });
    const reset = button("All the course’s", () => {
      for (const slot of models[model].slots) delete chosen[slot];
      showRows();
      keepChosen();
    });
    const all = button("All mine", () => {
      for (const slot of models[model].slots) {
        const text = answer(slots[slot]);
        const own = [chosen[slot], { kind: "mine", text }, { kind: "written" }];
        chosen[slot] = own.find((one) => given(slot, one)?.text) ?? chosen[slot];
      }
      showRows();
      keepChosen();
    });
    const loading = element("input", { type: "file", accept: ".py", hidden: true });
    loading.onchange = async () => {
      try {
        const held = (await loading.files[0].text()).match(/^# slots: (.*)$/m);
        const texts = Object.entries(JSON.parse(held[1])).filter(([slot]) => slot in slots);
        for (const [slot, text] of texts) {
          keep(written(slot), text);
          chosen[slot] = { kind: "written" };
        }
        showRows();
        keepChosen();
        status.textContent = `Loaded: ${texts.map(([slot]) => slot).join(", ")}.`;
      } catch {
        status.textContent = "Not loaded: the file holds no slots that were kept here.";
      }
      loading.value = "";
    };
    const again = button("Load a kept file", () => loading.click());
    const bench = element("div", { className: "ac-bench-slots" });
    const asks = "What does each named mistake cost? How many translations stay";
    const prices = element("details", { ontoggle: price });
    prices.append(element("summary", { textContent: asks }), "");
    showRows();
    const buttons = element("div", { className: "ac-try-buttons" }, translate, stop, wait);
    buttons.append(save, weights, all, reset, again, loading);
    place.classList.add("ac-try-here");
    place.replaceChildren(
      element("label", {}, "The model ", which),
      element("label", {}, "An English sentence of the small world ", sentence),
      element("details", {}, element("summary", { textContent: "Its words" }), known),
      buttons,
      ...[loaded, status, found, whole, output, bench, prices],
    );
  }

  for (const place of document.querySelectorAll(".ac-bench"))
    load("python/acSlots.js").then(
      () => build(place, globalThis.acSlots),
      (error) => (place.textContent = `The workbench did not start: ${error.message}.`),
    );
})();
