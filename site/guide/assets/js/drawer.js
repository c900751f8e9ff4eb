// The navigation by keyboard and for screen readers. The theme opens it, and its parts, with labels of hidden boxes:
// here the icon of each becomes a button with a name that says whether what it opens is open. Without a script they
// take no focus. (A label itself may not be called a button.)
(() => {
  "use strict";
  const NARROW = matchMedia("(max-width: 76.2344em)"); // where the theme makes the navigation a drawer
  const LABELS =
    "label:is(.md-header__button[for=__drawer], .md-nav--primary :is(.md-nav__link, .md-nav__title)[for^=__nav_])";
  const nav = () => document.querySelector(".md-nav--primary");
  const drawer = () => document.getElementById("__drawer");
  const menu = () => document.querySelector(".md-header__button[for=__drawer]");
  const boxOf = (label) => document.getElementById(label.htmlFor);
  const labelOf = (node) => (node.matches("[role=button]") ? node.closest(LABELS) : null);

  function buttonOf(label) {
    const found = label.querySelector("[role=button]") || label.querySelector(".md-nav__icon");
    if (found || !label.firstElementChild) return found;
    const made = document.createElement("span");
    label.prepend(made);
    made.append(made.nextElementSibling);
    return made;
  }
  function say(label) {
    buttonOf(label)?.setAttribute("aria-expanded", String(boxOf(label).checked));
  }
  function dress(label) {
    const button = buttonOf(label);
    if (!button) return;
    button.setAttribute("role", "button");
    const name = label === menu() ? nav().getAttribute("aria-label") : label.getAttribute("aria-label");
    button.setAttribute("aria-label", name || label.textContent.trim());
    // The head of a part is only seen, and pressed, in the drawer.
    button.tabIndex = label.matches(".md-nav__title") && !NARROW.matches ? -1 : 0;
    say(label);
  }
  const start = () => document.querySelectorAll(LABELS).forEach(dress);

  /** Where the focus goes once something was opened or closed by a key. */
  function after(box) {
    if (!NARROW.matches) return;
    if (box.id === "__drawer") {
      const inside = [...nav().querySelectorAll("a[href], [role=button]")];
      const first = inside.find((one) => one.checkVisibility({ visibilityProperty: true }));
      (box.checked ? first : buttonOf(menu()))?.focus();
      return;
    }
    const label = document.querySelector(`.md-nav__${box.checked ? "title" : "link"}[for=${box.id}]`);
    label && buttonOf(label).focus();
  }

  document.addEventListener("change", ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(".md-toggle"))
      document.querySelectorAll(LABELS).forEach((label) => label.htmlFor === target.id && say(label));
  });
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (!(target instanceof Element)) return;
    const label = labelOf(target);
    if (label && (key === "Enter" || key === " ")) {
      event.preventDefault();
      const box = boxOf(label);
      box.click();
      after(box);
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
