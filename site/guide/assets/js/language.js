// Instant navigation replaces a page's content and keeps its header and its language: both follow here.
(() => {
  "use strict";
  function follow() {
    const links = [...document.querySelectorAll(".foot .versions a")];
    const english = links.every((link) => link.hreflang !== "en");
    document.documentElement.lang = english ? "en" : document.querySelector(".version")?.dataset.language || "en";
    document.querySelector(".md-header .languages")?.replaceChildren(
      ...links.map((link) => {
        const made = link.cloneNode(true);
        made.className = "md-header__button language";
        made.href = link.href;
        return made;
      }),
    );
  }
  window.document$?.subscribe(follow);
})();
