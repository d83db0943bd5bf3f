// Sphinx's search with what it lacks: the page that introduces what was asked for comes first
// (search.py writes its names into the index), then the one that says it most, and the teachers'
// pages come last; a word is found from its beginning, not from within; and a result shows the
// words around the first place, taken from its page when it comes into view.
"use strict";

{
  const TITLE = 15;
  const TEXT = 5;
  const MOST = 4; // what the page that says a word most has over the one that says it least
  const AROUND = 240;
  // Sphinx would mark the words of a search on the next page, whichever it is.
  const forget = () => globalThis.acStorage.keep("sphinx_highlight_terms");
  forget();

  /** The entries of an index under a word, or under all words that begin with it. */
  const entries = (table, word) => {
    if (Object.hasOwn(table, word)) return [table[word]].flat();
    if (word.length < 3) return [];
    const longer = Object.keys(table).filter((term) => term.startsWith(word));
    return [...new Set(longer.flatMap((term) => table[term]))];
  };

  Search.performTermsSearch = (searchTerms) => {
    const { docnames, filenames, terms, titles, titleterms } = Search._index;
    const found = [...searchTerms].map((word) => {
      const points = new Map();
      const count = (table, least) =>
        table.forEach((page, i) => points.set(page, least + MOST * (1 - i / table.length)));
      count(entries(terms, word), TEXT);
      count(entries(titleterms, word), TITLE);
      return points;
    });
    const must = found.filter((points, i) => points.size || [...searchTerms][i].length > 2);
    return docnames.flatMap((name, page) => {
      if (!must.length || !must.every((points) => points.has(page))) return [];
      const points = must.reduce((sum, word) => sum + word.get(page), 0) / must.length;
      return [[name, titles[page], "", null, points, filenames[page]]];
    });
  };

  /** The words of a phrase; case, hyphens and American spelling make no difference. */
  const words = (phrase) => {
    const plain = phrase.toLowerCase().replace(/([iy])z/g, "$1s");
    const all = plain.match(/[\p{L}\p{N}]+/gu) ?? [];
    return all.filter((word) => !stopwords.includes(word));
  };
  const stem = (word) => new Stemmer().stemWord(word);

  /** The page that introduces a phrase, or else the longest half of it: number, and its name. */
  const introduces = (phrase) => {
    const { names, titles } = Search._index;
    const chapters = titles.map((title, page) => [page, title.split(": ")[0]]);
    const known = new Map();
    for (const [page, ...all] of [...(names ?? []), ...chapters]) {
      for (const said of all.map(words)) {
        for (const key of [said.join(""), `${said.map(stem).join("")} stems`]) {
          if (!known.has(key)) known.set(key, [page, all[0]]);
        }
      }
    }
    const asked = words(phrase);
    for (let length = asked.length; length && 2 * length >= asked.length - 1; length--) {
      for (let start = 0; start + length <= asked.length; start++) {
        const part = asked.slice(start, start + length);
        const found = known.get(part.join("")) ?? known.get(`${part.map(stem).join("")} stems`);
        if (found) return found;
      }
    }
    return [];
  };

  /** All results, the best first, as Sphinx gives them; the first has the term that was meant. */
  Search.results = (query) => {
    const asked = Search._parseQuery(query);
    const { docnames, titles } = Search._index;
    const [page, term] = introduces(query);
    const found = Search._performSearch(...asked)
      .reverse()
      .filter(([name, , anchor]) => anchor || name !== docnames[page]);
    const first =
      page === undefined ? [] : [[docnames[page], titles[page], "", null, 0, "", term]];
    const taught = ([name]) => name.startsWith("book/teach/");
    return [...first, ...found.filter((r) => !taught(r)), ...found.filter(taught)];
  };

  /** What a page says, or the part of it that an anchor names, without what is no prose. */
  const prose = (html, anchor) => {
    const page = new DOMParser().parseFromString(html, "text/html");
    const article = page.querySelector("article.bd-article");
    const part = (anchor && article?.querySelector(anchor)) || article;
    const other =
      "h1, pre, script, style, summary, table, .headerlink, .katex-mathml, .ac-time, " +
      ".ac-widget, .ac-diagram, .ac-figure";
    for (const e of part?.querySelectorAll(other) ?? []) e.remove();
    return (part?.textContent ?? "").replace(/\s+/g, " ").trim();
  };

  /** The words around the first place where one of the terms stands, else the beginning. */
  const summary = (text, terms) => {
    const places = terms.map((term) => {
      const said = term.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
      return text.search(new RegExp(`(^|[^\\p{L}\\p{N}])${said}`, "iu"));
    });
    const first = places.find((place) => place >= 0) ?? 0;
    const start = first < AROUND / 2 ? 0 : text.indexOf(" ", first - AROUND / 2) + 1;
    const end = text.indexOf(" ", start + AROUND);
    const found = text.slice(start, end < 0 ? text.length : end);
    return (start ? "…\u00a0" : "") + found + (end < 0 ? "" : "\u00a0…");
  };

  const show = ([name, title, anchor, , , , term], terms, words) => {
    const item = document.createElement("li");
    const link = item.appendChild(document.createElement("a"));
    const marked = encodeURIComponent([...words, term ?? ""].join(" ").trim());
    link.href = `${name}.html?highlight=${marked}${anchor}`; // folds.js leads there
    const [subject, question = ""] = title.split(/: (?=.*[?]$)/);
    link.innerHTML = subject;
    const asks = question.charAt(0).toUpperCase() + question.slice(1);
    if (question) item.appendChild(document.createElement("div")).innerHTML = asks;
    const said = item.appendChild(document.createElement("p"));
    said.className = "context";
    if (location.protocol === "file:") return item; // where a page may not read another
    new IntersectionObserver(async ([seen], observer) => {
      if (!seen.isIntersecting) return;
      observer.disconnect();
      const answer = await fetch(`${name}.html`);
      const [asked, ...parts] = terms;
      const shown = term ? [asked, term.toLowerCase(), ...parts] : terms;
      said.textContent = summary(prose(await answer.text(), anchor), shown);
      for (const one of shown) _highlightText(said, one, "highlighted");
    }).observe(item);
    return item;
  };

  Search.query = (query) => {
    const results = Search.results(query);
    const [, stemmed, , words] = Search._parseQuery(query);
    forget();
    const terms = [query.trim().toLowerCase(), ...words, ...stemmed];
    Search.output.append(...results.map((result) => show(result, terms, words)));
    _finishSearch(results.length);
  };
}
