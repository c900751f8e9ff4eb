// The words that scripts write, in the page's language. A Chinese page loads the catalogue of just these sentences
// (guide/translate/scripts.py, which finds them in the sources); an English page loads none, and every sentence is
// as it stands here. What a catalogue lacks stays English, and is marked as the page marks it.
//
//   words("{count} of {all} rows", { count, all })       a sentence, its places filled
//   counted(3, "{count} row", "{count} rows")            the same with a number in it, in the form that it takes
//   phrase("over the budget")                            a sentence that words(…) is given later
//   joined([a, b], ", ")                                 parts with what the language has between them; " " between
//                                                        sentences, ", " in a label, "; " and ": " in a line
//   foreign(link)                                        marks a link to a page of a device
(() => {
  "use strict";
  const catalogue = () => window.hwguideCatalogues?.[document.documentElement.lang];
  const LETTER = /\p{L}/u;

  function words(text, places = {}) {
    const told = catalogue();
    const found = told?.words[text];
    const made = (found ?? text).replace(/\{(\w+)\}/g, (place, name) => (name in places ? places[name] : place));
    if (told && found === undefined && LETTER.test(text.replace(/\{\w+\}/g, ""))) lack([made]);
    return made;
  }
  const counted = (count, one, many, places) =>
    words(count === 1 ? one : many, { count: window.hwguideFigures.fixed(count, 0), ...places });
  const phrase = (text) => text;
  const joined = (parts, mark) => parts.filter(Boolean).join(catalogue()?.marks[mark] ?? mark);
  /** The tag of the catalogue's language; "" where the page is in English. */
  const language = () => (catalogue() ? document.documentElement.lang : "");

  /** A link to a page that is there in English only says so, as the pages' own do. */
  function foreign(link) {
    if (catalogue()) link.hreflang = "en";
    return link;
  }

  // English on a page in another language ---------------------------------------------------------------------

  const lacking = new Set();
  let watching = null;
  /** Sentences that stay English, a script's or those of its data: wherever one appears, it is marked. */
  function lack(sentences = []) {
    for (const sentence of sentences) lacking.add(sentence);
    if (!lacking.size || watching) return;
    watching = new MutationObserver((changes) => {
      for (const { target, addedNodes } of changes) for (const node of [target, ...addedNodes]) mark(node);
    });
    watching.observe(document.body, { childList: true, subtree: true, characterData: true });
  }
  const isLacking = (text) => lacking.has(text) || [...lacking].some((one) => one.includes(" ") && text.includes(one));
  function mark(root) {
    if (!catalogue() || !root.isConnected) return;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let node = root.nodeType === Node.TEXT_NODE ? root : walker.nextNode(); node; node = walker.nextNode())
      if (node.data.trim() && !node.parentElement.closest("[lang='en'], option, script, svg") && isLacking(node.data.trim())) found.push(node);
    for (const node of found) {
      const marked = document.createElement("span");
      marked.lang = "en";
      marked.className = "untranslated";
      node.replaceWith(marked);
      marked.append(node);
    }
  }

  window.hwguideWords = { words, counted, phrase, joined, language, foreign, lack };
})();
