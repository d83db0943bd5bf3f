/* Chooses among a page's claims by verdict and by topic. A claim is a paragraph with an anchor,
 * its verdict in italics; its topic is the section around it. */
(() => {
  "use strict";
  const claims = [...document.querySelectorAll("article section > p[id]:has(> strong + em)")]
    .filter(({ firstElementChild: claim }) => claim.nextSibling.textContent.startsWith(": "))
    .map((entry) => ({
      entry,
      topic: entry.closest("section"),
      verdict: entry.querySelector(":scope > strong + em").textContent.replace(/\.$/, ""),
    }));
  const topics = [...new Set(claims.map(({ topic }) => topic))];
  const bar = document.createElement("form");
  bar.className = "ac-verdicts";

  /** A menu that begins with all. @param {string} label @param {[string, string][]} choices */
  function menu(label, choices) {
    const around = bar.appendChild(document.createElement("label"));
    const select = document.createElement("select");
    for (const [value, text] of [["", "all"], ...choices]) select.add(new Option(text, value));
    around.append(`${label} `, select);
    return select;
  }

  const verdicts = [...new Set(claims.map(({ verdict }) => verdict))].sort();
  const byVerdict = menu(
    "Verdict",
    verdicts.map((verdict) => [verdict, verdict]),
  );
  const byTopic = menu(
    "Topic",
    topics.map(({ id, children: [head] }) => [id, head.firstChild.textContent]),
  );
  const count = bar.appendChild(document.createElement("output"));

  function show() {
    const fits = ({ verdict, topic }) =>
      (byVerdict.value || verdict) === verdict && (byTopic.value || topic.id) === topic.id;
    const shown = claims.filter(fits);
    for (const claim of claims) claim.entry.hidden = !shown.includes(claim);
    for (const topic of topics) topic.hidden = !shown.some((claim) => claim.topic === topic);
    count.value = `${shown.length} of ${claims.length} claims`;
  }

  for (const { entry } of claims) entry.querySelector("strong + em").className = "ac-verdict";
  topics[0].before(bar);
  bar.addEventListener("input", show);
  addEventListener("hashchange", () => {
    // an address leads to its claim whatever is chosen
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target?.closest("[hidden]")) return;
    bar.reset();
    show();
    target.scrollIntoView({ behavior: "instant" });
  });
  show();
})();
