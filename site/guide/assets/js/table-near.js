// A table has its filter box once it is near the screen. A browser asks each field of a page whether it could be filled
// in, and lays out whatever is folded or far away to find out: with fields everywhere, nothing is skipped.
(() => {
  "use strict";
  const make = (box) => {
    for (const mould of box.querySelectorAll(".data__filter > template")) mould.replaceWith(mould.content);
  };
  const near = new IntersectionObserver(
    (seen) => {
      for (const { target, isIntersecting } of seen) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        make(target);
      }
    },
    { rootMargin: "100% 0px" },
  );
  document.addEventListener("hwguide:dressed", ({ target }) => {
    if (target === document) near.disconnect();
    for (const mould of target.querySelectorAll(".data__filter > template")) near.observe(mould.closest(".data"));
  });
})();
