// What the site's scripts find on a page: Sphinx's search, plotly, Pyodide. A page's elements are
// selected by class, so that TypeScript knows no closer type than Element and EventTarget.
declare var Search: any;
declare var Stemmer: any;
declare var stopwords: any;
declare var _highlightText: any;
declare var _finishSearch: any;
declare var loadPyodide: any;
declare var define: any;
declare var Plotly: any;
declare function importScripts(...urls: string[]): void;
interface EventTarget {
  closest(selector: string): Element | null;
  contains(other: any): boolean;
  open: boolean;
}
interface Element {
  hidden: boolean;
  open: boolean;
  href: string;
  hash: string;
  title: string;
  offsetHeight: number;
  dataset: DOMStringMap;
}
interface SVGScriptElement {
  src: string;
}
