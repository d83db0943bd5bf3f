/* Ticks in a list: for a page whose recap was on the screen (place.js), for an exercise that Check
 * found right (tryit.js), or that was answered in words (words.js). In the landing page's list of
 * chapters (site/chapter_map.py) also how much of each was guessed, solved and answered in words, and
 * a fold with its objectives, what tests them, what it needs and what of it the review has due. */
(() => {
  "use strict";
  const { all, parsed, recall } = globalThis.acStorage;
  const { element, load } = globalThis.acPage;
  const REVIEW = "attention-course: review: ";

  const solved = (slug) =>
    // Not parsed: what somebody else wrote there is no tick, and no error.
    recall(`attention-course: attempts: ${slug}`)?.includes('"held":"right"');

  const answered = (page, name) =>
    recall(`attention-course: words: ${page} ${name}`) !== undefined;

  /* What was done with what a link leads to, if anything. */
  function done({ href, pathname, dataset }) {
    const [, slug] = /(?:#exercise-|\/exercises\/)([a-z0-9-]+)/.exec(href) ?? [];
    if (slug) return solved(slug) && "solved";
    const [, chapter, asked] = /([^/]+\/[^/]+)\.html#words-([a-z0-9-]+)/.exec(href) ?? [];
    if (asked) return answered(chapter, asked) && "answered";
    const read = recall(`attention-course: read: ${pathname}`) && "read";
    const { page, code, guesses, words } = JSON.parse(dataset.parts ?? "{}");
    if (!page) return read;
    const guessed = (question) =>
      recall(`attention-course: ${pathname}: ${question}`) !== undefined;
    const some = (all, was, what) =>
      all.some(was) && `${all.filter(was).length} of ${all.length} ${what}`;
    return [
      read,
      some(guesses, guessed, "guessed"),
      some(code, solved, "solved"),
      some(words, (name) => answered(page, name), "answered in words"),
    ]
      .filter(Boolean)
      .join(", ");
  }

  function tell() {
    for (const link of document.querySelectorAll(".ac-ticks li a:first-of-type")) {
      const entry = link.parentElement;
      const said = done(/** @type {HTMLAnchorElement} */ (link));
      const tick = { className: "ac-ticked", textContent: ` ✓ ${said}` };
      entry.querySelector(".ac-ticked")?.remove();
      if (said) entry.append(element("span", tick));
    }
  }

  /* Its objectives; and how many of its cards that were answered before are due today. */
  async function fill(place, page) {
    await load("chapter-map.js");
    place.innerHTML = globalThis.acMap[page];
    tell();
    if (!all(REVIEW).size) return;
    await load("review-cards.js");
    const dueOn = ({ id }) => new Date(parsed(REVIEW + id)?.due).setHours(0, 0, 0, 0);
    const due = globalThis.acCards.filter(
      (card) => card.page === page && dueOn(card) <= Date.now(),
    );
    const textContent = `Questions that the review has due: ${due.length}`;
    if (due.length)
      place.append(element("p", {}, element("a", { href: "review.html", textContent })));
  }

  for (const link of document.querySelectorAll(".ac-ticks a[data-parts]")) {
    const place = element("div");
    const summary = element("summary", { textContent: "Objectives" });
    const fold = element("details", { className: "ac-map" }, summary, place);
    const failed = () => place.append("This could not be loaded. Reload the page.");
    fold.ontoggle = () =>
      fold.open && fill(place, JSON.parse(link.dataset.parts).page).catch(failed);
    link.closest("li").append(fold);
  }

  // Also when Back shows the page as it was left, and when another tab solves something.
  addEventListener("pageshow", tell);
  addEventListener("storage", tell);
  tell();
})();
