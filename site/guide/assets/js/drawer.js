// The navigation by keyboard and for screen readers. The theme opens it, and its parts, with labels of hidden boxes:
// here they become buttons with a name that say whether what they open is open. Without a script they take no focus.
(() => {
  "use strict";
  const NARROW = matchMedia("(max-width: 76.2344em)"); // where the theme makes the navigation a drawer
  const LABELS =
    "label:is(.md-header__button[for=__drawer], .md-nav--primary :is(.md-nav__link, .md-nav__title)[for^=__nav_])";
  const nav = () => document.querySelector(".md-nav--primary");
  const drawer = () => document.getElementById("__drawer");
  const boxOf = (label) => document.getElementById(label.htmlFor);
  const menu = () => document.querySelector(".md-header__button[for=__drawer]");

  function say(label) {
    label.setAttribute("aria-expanded", String(boxOf(label).checked));
  }
  function dress(label) {
    label.setAttribute("role", "button");
    if (label === menu()) label.setAttribute("aria-label", nav().getAttribute("aria-label"));
    say(label);
    // The head of a part is only seen, and pressed, in the drawer.
    label.tabIndex = label.matches(".md-nav__title") && !NARROW.matches ? -1 : 0;
  }
  const start = () => document.querySelectorAll(LABELS).forEach(dress);

  /** Where the focus goes once something was opened or closed by a key. */
  function after(box) {
    if (!NARROW.matches) return;
    if (box.id === "__drawer") {
      const inside = [...nav().querySelectorAll("a[href], [role=button]")];
      const first = inside.find((one) => one.checkVisibility({ visibilityProperty: true }));
      (box.checked ? first : menu())?.focus();
      return;
    }
    const [link, title] = ["link", "title"].map((name) => document.querySelector(`.md-nav__${name}[for=${box.id}]`));
    (box.checked ? title : link)?.focus();
  }
  function press(label) {
    const box = boxOf(label);
    label.click();
    after(box);
  }

  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(".md-toggle"))
      document.querySelectorAll(LABELS).forEach((label) => label.htmlFor === target.id && say(label));
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof Element)) return;
    if ((key === "Enter" || key === " ") && target.matches(LABELS)) {
      event.preventDefault();
      event.stopPropagation(); // the theme would press it a second time
      press(target);
    } else if (key === "Escape" && NARROW.matches && drawer().checked) {
      drawer().click();
      after(drawer());
    }
  });
  NARROW.addEventListener("change", start);

  // From a disk the theme has no instant navigation, and tells nobody that the page is there.
  const instant = window.document$ && location.protocol !== "file:";
  instant ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
