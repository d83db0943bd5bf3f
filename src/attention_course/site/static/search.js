// Sphinx's search with what it lacks: a word is found from its beginning, not from within; the
// page that says it most comes first (search.py sorts the index); and a result shows the words
// around the first place, taken from its page when it comes into view.
"use strict";

{
  const TITLE = 15;
  const TEXT = 5;
  const MOST = 4; // what the page that says a word most has over the one that says it least
  const AROUND = 240;

  /** The entries of an index under a word, or under all words that begin with it. */
  const entries = (table, word) => {
    if (Object.hasOwn(table, word)) return [table[word]].flat();
    if (word.length < 3) return [];
    const longer = Object.keys(table).filter((term) => term.startsWith(word));
    return [...new Set(longer.flatMap((term) => table[term]))];
  };

  Search.performTermsSearch = (searchTerms) => {
    const { docnames, filenames, terms, titles, titleterms } = Search._index;
    const words = [...searchTerms].map((word) => {
      const points = new Map();
      for (const [table, least] of [[terms, TEXT], [titleterms, TITLE]]) {
        const pages = entries(table, word);
        pages.forEach((page, i) => points.set(page, least + MOST * (1 - i / pages.length)));
      }
      return points;
    });
    const must = words.filter((points, i) => points.size || [...searchTerms][i].length > 2);
    return docnames.flatMap((name, page) => {
      if (!must.length || !must.every((points) => points.has(page))) return [];
      const points = must.reduce((sum, word) => sum + word.get(page), 0) / must.length;
      return [[name, titles[page], "", null, points, filenames[page]]];
    });
  };

  /** What a page says, or the part of it that an anchor names, without what is no prose. */
  const prose = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const article = page.querySelector("article.bd-article");
    const part = (anchor && article?.querySelector(anchor)) || article;
    const other = "h1, pre, script, style, summary, table, .headerlink, .katex-mathml, .ac-time, "
      + ".ac-widget, .ac-diagram, .ac-figure";
    for (const e of part?.querySelectorAll(other) ?? []) e.remove();
    return (part?.textContent ?? "").replace(/\s+/g, " ").trim();
  };

  /** The words around the first place where one of the terms stands, else the beginning. */
  const summary = (text, terms) => {
    const places = terms.map((term) =>
      text.search(new RegExp(`(?<![\\p{L}\\p{N}])${_escapeRegExp(term)}`, "iu")));
    const first = places.find((place) => place >= 0) ?? 0;
    const start = first < AROUND / 2 ? 0 : text.indexOf(" ", first - AROUND / 2) + 1;
    const end = text.indexOf(" ", start + AROUND);
    const found = text.slice(start, end < 0 ? text.length : end);
    return (start ? "…\u00a0" : "") + found + (end < 0 ? "" : "\u00a0…");
  };

  const show = ([name, title, anchor], terms) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    link.href = `${name}.html${anchor}`;
    const [subject, question = ""] = title.split(/: (?=.*[?]$)/);
    link.innerHTML = subject;
    if (question) item.appendChild(document.createElement("div")).innerHTML = question;
    const said = item.appendChild(document.createElement("p"));
    said.className = "context";
    if (location.protocol === "file:") return item; // where a page may not read another
    new IntersectionObserver(async ([seen], observer) => {
      if (!seen.isIntersecting) return;
      observer.disconnect();
      const answer = await fetch(`${name}.html`);
      said.textContent = summary(prose(await answer.text(), anchor), terms);
      for (const term of terms) _highlightText(said, term, "highlighted");
    }).observe(item);
    return item;
  };

  Search.query = (query) => {
    const [asked, stems, without, words, objects] = Search._parseQuery(query);
    const results = Search._performSearch(asked, stems, without, words, objects).reverse();
    const terms = [query.trim().toLowerCase(), ...words, ...stems];
    Search.output.append(...results.map((result) => show(result, terms)));
    _finishSearch(results.length);
  };
}
