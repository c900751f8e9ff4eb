// Instant navigation replaces a page's content and keeps its header and its language: both follow here.
(() => {
  "use strict";
  function follow() {
    const links = [...document.querySelectorAll(".foot .versions a")];
    const english = links.every((link) => link.hreflang !== "en");
    const lang = english ? "en" : document.querySelector(".version")?.dataset.language || "en";
    const root = document.documentElement;
    if (root.lang !== lang) root.lang = lang; // even the same one again would style the whole page anew
    document.querySelector(".md-header .languages")?.replaceChildren(
      ...links.map((link) => {
        const made = link.cloneNode(true);
        made.className = "md-header__button language";
        made.href = link.href;
        return made;
      }),
    );
  }
  // A view that the address keeps, such as a reader's own numbers, is the same in every language.
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[target=_self][hreflang]");
    if (link) link.hash = location.hash;
  });
  window.document$?.subscribe(follow);
})();
