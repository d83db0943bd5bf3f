/* What runs a reader's code in the page: an editor, its buttons, and what is printed.
 *
 * tryit.js (exercises) and editable.js (the cells of a chapter) use it. The editor (CodeMirror)
 * comes when it is asked for, Python with the first run (python.js). What a reader types is kept
 * in this browser's storage alone. */
(() => {
  "use strict";
  const { recall, keep } = globalThis.acStorage;
  const { element, button, load, lost, ownKeys } = globalThis.acPage;
  const ASK_S = 10,
    END_S = 60;
  let busy = "";

  /* What runs jobs: a status, an output, Stop and Wait, which the caller puts into the page.
   * `name`: what runs, in words; `noun`: what one types ("answer"); `label`: of what the output is;
   * `elsewhere`: where it runs if this browser cannot run it; `starts`, `ends`: called around a run. */
  function runner({ name, noun, label, elsewhere, starts = () => {}, ends = () => {} }) {
    let patience;
    const status = element("p", { className: "ac-try-status", role: "status" });
    const ariaLabel = `Output of ${label[0].toLowerCase()}${label.slice(1)}`;
    const bar = { hidden: true, max: 1, value: 0, ariaLabel: "Loading Python" };
    const loaded = element("progress", bar);
    const region = { className: "ac-try-output", hidden: true, tabIndex: 0, role: "region" };
    const output = element("pre", { ...region, ariaLabel });
    const stop = button("Stop", () => globalThis.acPython.stop());
    const wait = button("Wait", () => {
      [patience, wait.hidden] = [Infinity, true];
      status.textContent = "Running. Stop ends it.";
    });
    [stop.hidden, wait.hidden] = [true, true];
    const say = (more) => {
      output.hidden = false;
      output.append(more);
    };

    /* Run a job in the page's Python (acPython.run), `buttons` waiting; the status says `doing`, then
     * `done(seconds, ended)`; it ends after `most` seconds, if that is more than END_S. */
    async function go(job, { doing, done, buttons, most = 0 }) {
      if (busy) {
        status.textContent =
          busy === name ? "It is still running." : `${busy} is still running: stop it first.`;
        return;
      }
      if (!("WebAssembly" in globalThis)) {
        status.textContent = `This browser has WebAssembly switched off, as Lockdown Mode and strict security settings do, and Python needs it here. ${elsewhere}`;
        return;
      }
      busy = name;
      const pressed = document.activeElement; // which a button that waits loses
      buttons.forEach((one) => (one.disabled = true));
      [stop.hidden, output.textContent, output.hidden] = [false, "", true];
      starts();
      const longest = Math.max(END_S, most);
      patience = longest;
      let clock, late;
      let began = 0;
      try {
        status.textContent = "Loading Python …";
        await load("python.js");
        const ended = await globalThis.acPython.run({
          say,
          ...job,
          progress(bytes, all) {
            loaded.hidden = bytes === undefined;
            if (bytes === undefined) status.textContent = "Starting Python …";
            else {
              loaded.value = bytes / all;
              status.textContent = `Loading Python, once: ${(bytes / 1e6).toFixed(1)} of ${(all / 1e6).toFixed(1)} MB`;
            }
          },
          began() {
            began = performance.now();
            status.textContent = doing;
            clock = setInterval(() => {
              const seconds = (performance.now() - began) / 1000;
              if (seconds > patience) (late = true), globalThis.acPython.stop();
              else if (seconds > ASK_S && wait.hidden && patience === longest) {
                wait.hidden = false;
                status.textContent = `It has been running for ${ASK_S} seconds: stop it, or wait? Without an answer it ends after ${longest}.`;
              }
            }, 250);
          },
        });
        const seconds = ((performance.now() - began) / 1000).toFixed(1);
        const anew = `Your ${noun} is as you typed it; the next run starts Python anew.`;
        if (ended.stopped && late)
          status.textContent = `It ran out of time and was ended after ${longest} seconds. Look for a loop that does not end, or press Wait when it asks. ${anew}`;
        else if (ended.stopped) status.textContent = `Stopped. ${anew}`;
        else if (ended.died)
          say(
            `Python ended: ${ended.died}\nThe next run starts it anew; your ${noun} is as you typed it.\n`,
          ),
            (status.textContent = "Python ended.");
        else status.replaceChildren(...[done(seconds, ended)].flat());
        return ended;
      } catch (error) {
        status.textContent = `Python did not start: ${error.message}. Your ${noun} is kept; try again, or reload the page.`;
      } finally {
        clearInterval(clock);
        busy = "";
        buttons.forEach((one) => (one.disabled = false));
        [stop.hidden, wait.hidden, loaded.hidden] = [true, true, true];
        ends();
        // A focused button that is hidden loses the focus to the page: put it back.
        if (document.activeElement === document.body)
          (pressed.hidden ? output : pressed).focus();
      }
    }

    return { status, loaded, output, stop, wait, say, go };
  }

  /* An editor in `place`, with Stop, Wait, a status and an output that the caller puts around it.
   * `name`, `noun`, `label`, `elsewhere`: as `runner` takes them; `key`: where it is kept; `outdated`: told whether it has changed since it last ran. */
  async function editor(given) {
    const { place, noun, key, original, label, lost: so, outdated = () => {} } = given;
    await load("python/codemirror.min.js");
    let text = recall(key) ?? original,
      ran;
    const id = `try-${key.split(" ").at(-1)}`;
    const leave = "Tab indents. To leave the editor by the keyboard, press Escape, then Tab.";
    const how = element("p", { id, className: "ac-try-how", textContent: leave });
    const starts = () => ((ran = text), compare());
    const made = runner({ ...given, starts, ends: () => compare() });
    const { status, output } = made;
    const field = element("div", { className: "ac-try-editor" });
    const view = globalThis.acEditor({
      parent: field,
      doc: text,
      label,
      describedBy: how.id,
      changed(now) {
        text = now;
        compare();
        if (!keep(key, now)) status.textContent = lost(so);
      },
    });
    ownKeys(field);
    place.acEditor = view;
    place.acSet = (doc) =>
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: doc } });
    addEventListener("storage", ({ key: which, newValue }) => {
      if (which !== key || newValue === null || newValue === text) return;
      status.replaceChildren(
        `Your ${noun} was changed in another tab. `,
        button("Take it over here", () => {
          place.acSet(newValue);
          status.textContent = "";
        }),
      );
    });

    function compare() {
      const old = ran !== undefined && text !== ran;
      if (old !== output.classList.contains("ac-old"))
        status.textContent = old ? `Your ${noun} has changed since it last ran.` : "";
      output.classList.toggle("ac-old", old);
      outdated(old);
    }

    return { ...made, field, how, text: () => text, focus: () => view.focus() };
  }

  globalThis.acRunning = { runner, editor };
})();
