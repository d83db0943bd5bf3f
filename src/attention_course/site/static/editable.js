/* *Edit and run*: the code of a chapter, changed and run where it stands.
 *
 * Until a reader asks, the page is as it was built. The click brings the editor and the chapter's
 * code (a script that site/editable.py writes), Run brings Python (python.js). What a reader makes
 * of a cell is kept in this browser, and counts when another cell runs. */
(() => {
  "use strict";
  const { chapter, cells: where } = document.currentScript.dataset;
  const { recall, keep, all } = globalThis.acStorage;
  const { load, element, button } = globalThis.acPage;
  const [KEY, ANSWER] = [`attention-course: cell: ${chapter} `, "attention-course: answer: "];
  const CODE = ":scope > .cell_input, :scope .cell_output > .highlight-python";
  const code = new URL(where, location.href).href;
  const idOf = (cell) => cell.id.slice("cell-".length);
  const firstLine = (text) =>
    text.split("\n").find((line) => line && !/^(#|@)/.test(line)) ?? "";

  function prepare(cell) {
    const open = button("", () =>
      openEditor(cell, bar).catch((error) => {
        note.textContent = `The editor did not start: ${error.message}. Reload the page.`;
      }),
    );
    const note = element("span");
    const bar = element("p", { className: "ac-edit-open" }, open, note);
    const [shown] = cell.querySelectorAll(CODE);
    const say = () => {
      open.textContent =
        recall(KEY + idOf(cell)) === undefined ? "Edit and run" : "Go on with your edit";
      const line = firstLine(shown?.textContent ?? "the code of this result").trim();
      open.ariaLabel = `${open.textContent}: ${line}`;
    };
    say();
    addEventListener("storage", say);
    cell.append(bar);
  }

  /* What a reader has made of the chapter's cells, by id. */
  function edits() {
    const written = new Map(globalThis.acChapter.cells.map(({ id, code }) => [id, code]));
    return new Map(
      [...all(KEY)].filter(([id, text]) => written.has(id) && written.get(id) !== text),
    );
  }

  const clear = () =>
    document.querySelectorAll(".ac-changed").forEach((block) => block.remove());

  /* Show what a cell prints now, under what it printed. */
  function change(id, text) {
    const cell = document.getElementById(`cell-${id}`);
    if (!cell) return;
    let now = cell.querySelector(".ac-changed pre");
    if (!now) {
      const region = { tabIndex: 0, role: "region", ariaLabel: "Changed output" };
      now = element("pre", { className: "ac-try-output", ...region });
      const said = element("p", { textContent: "Changed. With your edits this prints:" });
      (cell.querySelector(".cell_output") ?? cell).append(
        element("div", { className: "ac-changed" }, said, now),
      );
    }
    now.append(text);
  }

  /* How many results changed, with a link to each. */
  function changes(own) {
    const cells = [...document.querySelectorAll(".ac-edit:has(.ac-changed)")].filter(
      (cell) => cell !== own,
    );
    if (!cells.length) return [" No other printed result on this page changes."];
    const links = cells.map(({ id }, i) => {
      const ariaLabel = `Changed result ${i + 1}`;
      return element("a", { href: `#${id}`, textContent: `${i + 1}`, ariaLabel });
    });
    const many =
      cells.length > 1
        ? `${cells.length} other printed results on this page change: `
        : "One other printed result on this page changes: ";
    return [` ${many}`, ...links.flatMap((link, i) => (i ? [", ", link] : [link])), "."];
  }

  async function openEditor(cell, bar) {
    await load(code);
    const id = idOf(cell);
    const { code: original } = globalThis.acChapter.cells.find((one) => one.id === id);
    const name = `the code that begins with ${firstLine(original)}`;
    const place = element("div", { className: "ac-try-here" });
    const { field, how, text, status, loaded, output, stop, wait, say, go, focus } =
      await globalThis.acRunning.editor({
        place,
        name,
        noun: "code",
        key: KEY + id,
        original,
        label: `Your code: ${firstLine(original)}`,
        lost: ", so what you type is gone when you leave",
        elsewhere: "The chapter's notebook has this code: it runs in Jupyter or Colab.",
      });
    if (!bar.isConnected) return;
    const run = button("Run", start);
    const reset = button("Reset", () => {
      place.acSet(original);
      keep(KEY + id);
      status.textContent = "This is the chapter's own code. Undo (Ctrl-Z) brings yours back.";
      if (document.querySelector(".ac-changed") || !output.hidden) start();
      focus();
    });
    const buttons = element("div", { className: "ac-try-buttons" }, run, stop, wait, reset);
    place.append(field, how, buttons, loaded, status, output);
    const result = [...cell.children].find(
      (e) => e.matches(".cell_output") || e.querySelector(".cell_output"),
    );
    cell.insertBefore(place, result ?? null);
    cell.querySelectorAll(CODE).forEach((shown) => (shown.hidden = true));
    bar.remove();
    const stored = cell.querySelector(".cell_output > :not([hidden], .ac-changed)");
    const both = "Above: what your code prints. Below: what the chapter's own prints.";
    const captioned = { className: "ac-as-stored", hidden: true, textContent: both };
    const caption = element("p", captioned);
    stored?.before(caption);
    focus();

    function start() {
      const mine = edits();
      const others = mine.size - (mine.has(id) ? 1 : 0);
      const count = `${others} other cell${others > 1 ? "s" : ""}`;
      const left = " Left out here: what draws, checks a claim or needs torch.";
      const stay = " Figures, guesses and ✓ marks stay those of the chapter’s own code.";
      const asked = JSON.stringify(Object.fromEntries([...all(ANSWER), ...mine]));
      const tell = (more, at) => {
        if (at && at !== id) return change(at, more);
        caption.hidden = false;
        say(more);
      };
      clear();
      caption.hidden = true;
      return go(
        { chapter: JSON.stringify(globalThis.acChapter), at: id, edits: asked, say: tell },
        {
          doing: "Running …",
          buttons: [run],
          most: 20 + +(/\bseconds=(\d+)/.exec(text())?.[1] ?? 0), // as the cell asks for
          done(seconds, { whole }) {
            if (!whole)
              return `It stopped at an error after ${seconds} s; what comes after it did not run.`;
            return [
              `Ran in ${seconds} s.`,
              output.hidden ? " It printed nothing by itself." : "",
              whole === "part" ? left : "",
              others ? ` Your edits of ${count} count too.` : "",
              ...(mine.size ? [...changes(cell), stay] : []),
            ];
          },
        },
      );
    }
  }

  /* Say of a cell what it needs, and where it runs. */
  function send(/** @type {Element} */ cell, /** @type {string} */ needs) {
    const ways = document.querySelectorAll(
      ".article-header-buttons a:is([download], [href*=colab], [href*=binder])",
    );
    const links = [...ways].map((a) => {
      const link = element("a", { href: a.href, textContent: a.textContent.trim() || a.title });
      link.toggleAttribute("download", a.hasAttribute("download"));
      return link;
    });
    const said = element("p", { className: "ac-edit-open" });
    said.append(`This needs ${needs}, which the page lacks: `);
    said.append(...links.flatMap((link, i) => (i ? [", ", link] : [link])), ".");
    cell.append(said);
  }

  document.querySelectorAll(".ac-edit").forEach(prepare);
  document.querySelectorAll(".tag_needs-torch").forEach((cell) => send(cell, "torch"));
  document.querySelectorAll(".tag_needs-triton").forEach((cell) => send(cell, "Triton"));
})();
