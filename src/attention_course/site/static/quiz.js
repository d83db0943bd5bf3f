/* Makes a quiz of a page's questions: an anchored question, a list of options, and a fold that
 * says of each option, in the same order, whether it is right and why. What was answered is kept
 * in this browser; without storage it lasts until the page is left. */
(() => {
  "use strict";
  const { keep, parsed } = globalThis.acStorage;
  const { element, button } = globalThis.acPage;
  const KEY = `attention-course: quiz: ${location.pathname}`;
  /** @type {Record<string, number>} */
  let kept = { ...parsed(KEY) };

  function question(asked) {
    const list = asked.nextElementSibling;
    const told = [...list.nextElementSibling.querySelectorAll(":scope > ul > li")];
    const right = told.findIndex((li) => li.querySelector("em").textContent === "right.");
    const form = element("form", { className: "ac-quiz" });
    const group = form.appendChild(element("fieldset"));
    group.setAttribute("aria-labelledby", asked.id);
    const choices = [...list.children].map((option, value) => {
      const input = element("input", { type: "radio", name: asked.id, value, required: true });
      const { innerHTML } = option.querySelector("p") ?? option;
      group.append(element("label", {}, input, element("span", { innerHTML })));
      return input;
    });
    const said = element("output");
    form.append(element("button", { textContent: "Check" }), said);
    list.replaceWith(form);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      // Another tab, or a file (kept.js), may have answered others since.
      kept = { ...parsed(KEY), [asked.id]: choices.findIndex((input) => input.checked) };
      keep(KEY, JSON.stringify(kept));
      tell();
    });

    function show() {
      const chosen = kept[asked.id];
      choices.forEach((input, i) => (input.checked = i === chosen));
      said.replaceChildren(...(told[chosen]?.cloneNode(true).childNodes ?? []));
      return chosen in told ? chosen === right : undefined;
    }
    return show;
  }

  const all = [...document.querySelectorAll("article p[id^='quiz-']")];
  const bar = element("div", { className: "ac-quiz-bar" });
  const count = bar.appendChild(element("output"));
  const again = bar.appendChild(button("Start again"));
  all[0].before(bar);
  const questions = all.map(question);

  function tell() {
    const found = questions.map((show) => show()).filter((right) => right !== undefined);
    const right = found.filter(Boolean).length;
    count.value = `${found.length} of ${questions.length} answered, ${right} right`;
  }
  again.addEventListener("click", () => {
    kept = {};
    keep(KEY);
    tell();
  });
  tell();
})();
