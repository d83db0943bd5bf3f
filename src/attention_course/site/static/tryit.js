/* *Try it here*: the exercises in NumPy, written, run and checked in the page.
 *
 * Until a reader asks, the page stays as it was built and loads nothing but this. The editor
 * (CodeMirror) comes with the button, Python with the first run (python.js). An answer is kept in
 * this browser's storage alone; it leaves as a notebook, which the grader takes. The page of an
 * assignment (offline.py) has its notebook and all that is loaded in itself. */
(() => {
  "use strict";
  const { recall, keep, all } = globalThis.acStorage;
  const { load, element, button, lost, download } = globalThis.acPage;
  const here = document.currentScript.src;
  const GIVEN = globalThis.acAssignment; // its notebook, the file's name, a name for its answers
  const ALONE = Boolean(GIVEN || document.querySelector(".ac-alone")); // it is all that the page is for
  const KEY = `attention-course: ${GIVEN ? GIVEN.key : "answer"}: `;
  const TRIES = `attention-course: attempts${GIVEN ? ` of ${GIVEN.key}` : ""}: `;
  const NOTEBOOK = "attention-course: notebook";
  const MARKER =
    /^(?:[^\S\n]*(?:[%!#].*|(?:import|from)[^\S\n].*)?\n)*?[^\S\n]*#+[^\S\n]*EXERCISE[\s:]+([\w-]+)[^\S\n]*(?=\n|$)/;
  const WRITTEN = /^\s*<!--\s*WRITTEN\s+(\S+?)\s*-->\s*/;
  const ACCEPTED = /: right[^.]*\. All \d+ propert/;
  const LOST = ": save your answers as a notebook before you leave";
  const places = new Map(); // by slug
  const answers = () => all(KEY);

  /* Who asks: a number of this browser's own, so that not everybody is asked the same. */
  function reader() {
    if (recall("attention-course: reader") === undefined)
      keep("attention-course: reader", String(crypto.getRandomValues(new Uint32Array(1))[0]));
    return recall("attention-course: reader");
  }

  /* The attempts at an exercise, by time, with those of a file: whose numbers, when, what held. */
  function attempts(slug, more = []) {
    const each = new Map(
      [...JSON.parse(recall(TRIES + slug) ?? "[]"), ...[more].flat()]
        .filter(
          (one) =>
            Number.isInteger(one?.numbers) &&
            one.numbers > 0 &&
            one.numbers < 1e9 &&
            Date.parse(one.when) > 0,
        )
        .map(({ numbers, when, held }) => [when, { numbers, when, held: String(held) }]),
    );
    const all = [...each.values()].sort((a, b) => Date.parse(a.when) - Date.parse(b.when));
    if (more?.length) keep(TRIES + slug, JSON.stringify(all));
    return all;
  }

  // ---- notebooks ----

  const textOf = ({ source }) =>
    Array.isArray(source) ? source.join("") : String(source ?? "");
  const named = (source) => MARKER.exec(source)?.[1].toLowerCase().replaceAll("_", "-");
  const marker = (code, source) => (code ? named(source) : WRITTEN.exec(source)?.[1]);

  /* The exercise or question that each cell answers: by its marker or, where that is gone, by its name. */
  function slugsOf(cells) {
    const ids = new Set(cells.map(({ id }) => id));
    return cells.map((cell) => {
      const code = cell.cell_type === "code";
      const given = cell.metadata?.nbgrader;
      return (
        marker(code, textOf(cell)) ||
        (given?.solution
          ? given.grade_id
          : code && ids.has(`${cell.id}-check`)
            ? cell.id
            : undefined)
      );
    });
  }

  /* An answer under its marker, by which the page and the grader know it. */
  function marked(slug, source, code = true) {
    if (marker(code, source) === slug) return source;
    return code
      ? source.replace(/^(%%.*\n)?/, `$1# EXERCISE ${slug}\n`)
      : `<!-- WRITTEN ${slug} -->\n\n${source}`;
  }

  const codeCell = (id, source) => ({
    cell_type: "code",
    execution_count: null,
    id,
    metadata: {},
    outputs: [],
    source,
  });

  /* The notebook that was handed out or loaded, or a new one, with all answers in it. */
  async function notebook() {
    await load("python.js");
    const { setup, targets = {} } = await globalThis.acPython.about();
    const left = answers();
    const base = GIVEN?.notebook ?? recall(NOTEBOOK);
    const made = base
      ? JSON.parse(base)
      : {
          cells: [
            codeCell(
              "setup",
              `${setup}\nimport numpy as np\n\nfrom attention_course.exercises import check, hint`,
            ),
          ],
          metadata: {
            kernelspec: { display_name: "Python 3", language: "python", name: "python3" },
            language_info: { name: "python", file_extension: ".py" },
          },
          nbformat: 4,
          nbformat_minor: 5,
        };
    const slugs = slugsOf(made.cells);
    for (const [slug, source] of left) {
      const cell = made.cells[slugs.lastIndexOf(slug)]; // the one that counts
      const code = cell?.cell_type !== "markdown";
      const fresh = {
        source: marked(slug, source, code),
        ...(code && { outputs: [], execution_count: null }),
      };
      const tried = attempts(slug);
      const metadata = { ...cell?.metadata, ...(tried.length && { attempts: tried }) };
      if (cell) Object.assign(cell, fresh, { metadata });
      else made.cells.push({ ...codeCell(slug), ...fresh, metadata });
      if (!cell && targets[slug])
        made.cells.push(codeCell(`${slug}-check`, `check(${targets[slug]}, "${slug}")`));
    }
    return JSON.stringify(made, null, 1) + "\n";
  }

  /* Take the answers of a notebook; returns the outcome as a sentence. */
  function take(text) {
    let cells = [];
    try {
      cells = JSON.parse(text).cells.filter((cell) => cell instanceof Object);
    } catch {
      /* said below */
    }
    const found = new Map();
    const asked = GIVEN && new Set(slugsOf(JSON.parse(GIVEN.notebook).cells));
    slugsOf(cells).forEach((slug, i) => {
      if (slug && (!asked || asked.has(slug))) found.set(slug, textOf(cells[i]));
    });
    if (!found.size && GIVEN)
      return `This file holds no answer to what is asked here: load ${GIVEN.file} as you saved it. Nothing was changed.`;
    if (!found.size)
      return "This file holds no answers: it is no notebook with cells that begin with # EXERCISE and its name. Nothing was changed.";
    const before = answers();
    const other = [...found.keys()].filter(
      (slug) =>
        before.has(slug) && marked(slug, before.get(slug)) !== marked(slug, found.get(slug)),
    );
    if (other.length && !confirm(`Replace your answers here to ${other.join(", ")}?`))
      return "Nothing was changed.";
    const form = {
      ...JSON.parse(text),
      cells: cells.map((cell) => ("outputs" in cell ? { ...cell, outputs: [] } : cell)),
    };
    let stays = Boolean(GIVEN) || keep(NOTEBOOK, JSON.stringify(form));
    slugsOf(cells).forEach((slug, i) => {
      if (found.has(slug)) attempts(slug, cells[i].metadata?.attempts);
    });
    for (const [slug, source] of found) {
      places.get(slug)?.set(source);
      stays = keep(KEY + slug, source) && stays;
    }
    const rest = GIVEN
      ? "Other cells of that file are not: what an answer uses stands in its own cell."
      : "They are saved in this notebook's form.";
    return `Answers loaded: ${[...found.keys()].join(", ")}. ${stays ? rest : lost(LOST)}`;
  }

  /* The buttons by which answers leave the browser and come back. */
  function filesBar(status) {
    const accept = ".ipynb,application/json";
    const file = element("input", { type: "file", accept, hidden: true });
    file.onchange = async () => {
      if (file.files[0]) status.textContent = take(await file.files[0].text());
      file.value = "";
    };
    const save = button(GIVEN ? `Save ${GIVEN.file}` : "Save as a notebook", async () => {
      try {
        download(GIVEN?.file ?? "answers.ipynb", await notebook(), "application/x-ipynb+json");
        status.textContent = GIVEN
          ? `Saved: hand in ${GIVEN.file}, which has all your answers.`
          : "Saved: answers.ipynb has all your answers that this browser keeps.";
      } catch (error) {
        status.textContent = `Nothing was saved: ${error.message}.`;
      }
    });
    const restore = button("Load a notebook", () => file.click());
    const stays = element("span", { textContent: "Your answers stay in this browser." });
    const bar = { className: "ac-try-buttons ac-try-files" };
    return element("div", bar, save, restore, file, stays);
  }

  // ---- one exercise ----

  function prepare(cell) {
    const stub = cell.querySelector(".cell_input pre").textContent.replace(/\n+$/, "");
    const slug = named(stub);
    if (!slug) return;
    const open = button("", () =>
      openEditor(cell, slug, stub, bar).catch((error) => {
        note.textContent = `The editor did not start: ${error.message}. Reload the page.`;
      }),
    );
    const note = element("span", {
      textContent:
        "Python runs in this page; it is loaded (9 MB) when you first run something.",
    });
    const alone = element("a", {
      href: GIVEN ? "" : new URL(`../../book/exercises/${slug}.html`, here),
      textContent: "On a page of its own",
    });
    const bar = element("p", { className: "ac-try-open" }, open, note, " ", alone);
    bar.hidden = ALONE;
    const say = () =>
      (open.textContent =
        recall(KEY + slug) === undefined ? "Try it here" : "Go on with your answer");
    say();
    addEventListener("storage", say);
    cell.after(bar);
    // What it says is for a notebook; here a button checks.
    if (bar.nextElementSibling?.matches(".cell")) bar.nextElementSibling.remove();
    if (ALONE) open.click();
  }

  /* A question in words of an assignment. */
  function prepareWritten(field) {
    const { item } = field.dataset;
    const status = field.nextElementSibling;
    const set = (source) => (field.value = source.replace(WRITTEN, ""));
    set(recall(KEY + item) ?? "");
    field.disabled = false;
    field.oninput = () => {
      const stays = keep(
        KEY + item,
        field.value.trim() ? `<!-- WRITTEN ${item} -->\n\n${field.value}` : undefined,
      );
      status.textContent = stays ? "" : lost(LOST);
    };
    addEventListener(
      "storage",
      ({ key, newValue }) => key === KEY + item && set(newValue ?? ""),
    );
    places.set(item, { set });
  }

  async function openEditor(cell, slug, stub, bar) {
    const place = element("div", { className: "ac-try-here" });
    const { field, how, status, loaded, output, stop, wait, text, go, focus } =
      await globalThis.acRunning.editor({
        place,
        name: slug,
        noun: "answer",
        key: KEY + slug,
        original: stub,
        label: `Your answer: ${slug}`,
        lost: LOST,
        // What was found of an answer says nothing of another.
        outdated(old) {
          [failing.disabled, defence.hidden, defend.disabled] = [old, old, text() !== accepted];
          if (!old) defend.hidden = defend.disabled;
        },
        elsewhere: GIVEN
          ? `Save ${GIVEN.file} below: opened in Jupyter or Colab, it runs and checks your answers.`
          : "Save your answer as a notebook below: in Jupyter or Colab it is run and checked.",
      });
    if (!bar.isConnected) return;
    const around = [...cell.parentElement.children];
    const at = around.indexOf(cell);
    const start = around.findLastIndex((e, i) => i < at && e.id === `exercise-${slug}`);
    const hints = around
      .slice(start + 1, at)
      .filter(
        (e) =>
          e.matches("details") && e.querySelector("summary").textContent.startsWith("Hint"),
      );
    const rest = around.slice(at + 1).filter((e) => e !== bar);
    const solution = rest[0]?.matches("details") ? rest.shift() : undefined;
    let accepted, acceptedWith; // the text that Check last found right, and the number of its inputs

    const run = button("Run", () => begin(false));
    const check = button("Check", () => begin(true));
    const tries = element("details", { className: "ac-try-attempts" });
    const failing = button("Failing case", () => begin(false, `ac.failing_case("${slug}")`));
    failing.title = "An input on which your answer fails";
    const hint = button("Hint", () => {
      const next = hints.find((e) => !e.open);
      if (next) next.open = true;
      hint.disabled = hints.every((e) => e.open);
      next?.querySelector("summary").focus();
    });
    const reset = button("Reset", () => {
      place.acSet(stub);
      keep(KEY + slug);
      status.textContent =
        "This is how the exercise began. Undo (Ctrl-Z) brings your answer back.";
      focus();
    });
    const show = button("Show the solution", () => {
      solution.hidden = false;
      solution.open = true;
      solution.querySelector("summary").focus();
    });
    show.title = "After your first check";
    const defend = button("Defend it", () => defendIt(text()));
    const defence = element("div", { className: "ac-try-defence", tabIndex: -1 });
    const row = [run, check, stop, wait, defend, failing, hint, reset, show];
    const buttons = element("div", { className: "ac-try-buttons" }, ...row);
    defend.hidden = true;
    [failing.hidden, show.disabled, hint.disabled] = [true, true, !hints.length];
    tell();
    show.hidden = !solution;

    place.append(field, how, buttons, loaded, status, defence, output, tries, ...hints);
    if (!GIVEN) place.append(filesBar(status));
    if (cell.matches("[data-ac-unrun]")) {
      run.hidden = check.hidden = tries.hidden = true;
      status.textContent =
        "This answer needs a package that the page's Python has not: write it here, and check it in the notebook that you save.";
    }
    cell.querySelector(".cell_input").hidden = true;
    if (solution) solution.hidden = true;
    bar.replaceWith(place);
    places.set(slug, { set: (doc) => (tell(), doc !== text() && place.acSet(doc)) });
    if (!ALONE) focus();

    /* How often the answer was checked, when, and with which numbers; what is public. */
    function tell() {
      const all = attempts(slug);
      const style = /** @type {const} */ ({ dateStyle: "medium", timeStyle: "short" });
      const time = new Intl.DateTimeFormat("en-GB", style);
      const rows = all.map(({ numbers, when, held }) =>
        element(
          "li",
          {},
          `${time.format(new Date(when))}, numbers ${numbers}: ${held}. `,
          button("Same numbers", () => (check.focus(), begin(true, text(), numbers))),
        ),
      );
      show.disabled = !all.length;
      tries.replaceChildren(
        element("summary", { textContent: `Attempts: ${all.length || "none yet"}` }),
        element("p", {
          textContent: `Each check ${GIVEN ? "takes the next set of the page's numbers" : "draws new numbers"} for the same properties. The properties are public, and where an answer is graded they are what counts; the numbers that it is graded with are others, and stay hidden. Attempts cost nothing; they are saved with your answers, by number and time.`,
        }),
        element("ol", {}, ...rows),
      );
    }

    const next = () => 1 + Math.max(0, ...attempts(slug).map((one) => one.numbers));

    async function begin(checked, source = text(), numbers = next()) {
      output.classList.toggle("ac-said", checked); // sentences, which may be wrapped
      defence.replaceChildren();
      // The answers of an assignment may call each other, as in its notebook.
      const kept = GIVEN ? [...places.keys()].map((name) => recall(KEY + name) ?? "") : [];
      const beside = kept.filter((code) => ![slug, undefined].includes(named(code)));
      const ended = await go(
        { slug, source, checked, attempt: numbers, beside: JSON.stringify(beside) },
        {
          doing: checked ? "Checking …" : "Running …",
          buttons: [run, check],
          done(seconds, { whole }) {
            if (checked) {
              accepted = ACCEPTED.test(output.textContent) ? source : undefined;
              acceptedWith = numbers;
            }
            const counts = checked && whole !== undefined && source.trim() !== stub.trim();
            const held = accepted
              ? "right"
              : (/: (\d+ of \d+ properties hold)/.exec(output.textContent)?.[1] ?? "an error");
            if (counts)
              attempts(slug, [{ numbers, when: new Date().toISOString(), held }]), tell();
            const said =
              (checked ? "Checked" : "Ran") +
              ` in ${seconds} s${counts ? `, with numbers ${numbers}` : ""}.` +
              (output.hidden
                ? " It printed nothing: the last line's value or print(…) is shown."
                : "");
            const bench = "../practice/workbench.html";
            const link = element("a", { href: bench }, "Put it into its slot.");
            return checked && accepted && cell.matches(".ac-part") ? [`${said} `, link] : said;
          },
        },
      );
      if (checked || ended?.whole === undefined)
        failing.hidden = !/: \d+ of \d+ properties hold/.test(output.textContent);
    }

    /* Ask what one change in an answer, which is right, would do; then do it. */
    async function defendIt(source) {
      let heard = "";
      const asked = {
        doing: "Changing one place of your answer …",
        buttons: [run, check, defend],
        done: () => "",
      };
      const say = (more) => (heard += more);
      const job = { slug, source, seed: reader(), attempt: acceptedWith, say };
      const ended = await go(job, asked);
      if (!ended?.whole) return;
      const question = JSON.parse(heard);
      if (typeof question === "object")
        defence.replaceChildren(...ask(question)), defence.focus();
      else status.textContent = `Nothing is asked: ${question}.`;
    }

    function ask({ what, where, line, before, after, source, choices, right, why }) {
      const lines = (sign, text) => text.replace(/^.*$/gm, `${sign} $&`) + "\n";
      const change = element(
        "pre",
        { className: "ac-try-output", tabIndex: 0 },
        element("del", { textContent: lines("-", before) }),
        element("ins", { textContent: lines("+", after) }),
      );
      const field = element(
        "fieldset",
        {},
        element("legend", { textContent: "Which properties fail then?" }),
        ...choices.map((value) => {
          const input = element("input", { type: "radio", name: `defend ${slug}`, value });
          return element("label", {}, input, ` ${value}`);
        }),
      );
      const see = button("Run the changed answer", async () => {
        const chosen = field.querySelector(":checked").value;
        field.disabled = true;
        output.classList.add("ac-said");
        await go(
          { slug, source, checked: true, attempt: acceptedWith },
          {
            doing: "Running the changed answer …",
            buttons: [run, check, defend, see],
            done() {
              see.hidden = true;
              const said =
                chosen === right ? "You were right." : `You said: ${chosen}. It is: ${right}.`;
              return `${said} ${why}. Below: what check says of the changed answer.`;
            },
          },
        );
      });
      see.disabled = true;
      field.onchange = () => (see.disabled = false);
      return [
        element("p", { textContent: `One change, in line ${line} of ${where}: ${what}.` }),
        change,
        field,
        see,
      ];
    }
  }

  document.querySelectorAll(".ac-try").forEach(prepare);
  document.querySelectorAll("textarea[data-item]").forEach(prepareWritten);
  document.querySelectorAll(".ac-hand-in").forEach((place) => {
    const status = element("p", { className: "ac-try-status", role: "status" });
    place.append(filesBar(status), status);
  });
})();
