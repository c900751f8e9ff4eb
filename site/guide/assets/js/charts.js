// Turns the static pictures of charts into live ones, when a chart is near the screen and the page is idle,
// or at once when the reader touches it. Whatever fails, the static picture stays.
(() => {
  "use strict";
  const NARROW = matchMedia("(max-width: 44.98em)");
  const live = new Map(); // chart element -> what vega-embed returned
  let generation = 0; // of the page; a chart that arrives for an older one is thrown away
  let vega = null; // promise of window.vegaEmbed
  const whenIdle = window.requestIdleCallback || ((run) => setTimeout(run, 200));

  const loadVega = (address) =>
    (vega ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = () => resolve(window.vegaEmbed);
      script.onerror = () => {
        vega = null;
        reject(new Error("Vega could not be loaded"));
      };
      document.head.append(script);
    }));

  const address = (element, name) => new URL(element.dataset[name], document.baseURI).href;

  const drop = (element) => {
    live.get(element)?.finalize();
    live.delete(element);
    element.querySelector(".chart__live")?.remove();
    element.classList.remove("is-live");
  };

  async function draw(element) {
    const mine = generation;
    const narrow = NARROW.matches;
    if (element.dataset.drawing) return;
    element.dataset.drawing = "yes";
    try {
      const [embed, answer] = await Promise.all([
        loadVega(address(element, "vega")),
        fetch(address(element, narrow ? "specNarrow" : "spec")),
        document.fonts.ready,
      ]);
      if (!answer.ok) throw new Error(`${answer.status} for the chart's specification`);
      const given = await answer.json();
      const yours = window.hwguideReader?.chart(element, given) ?? given; // with the reader's numbers
      element.dataset.ownSerial = window.hwguideOwn?.serial ?? 0;
      const spec = (await window.hwguideOwn?.chart(element, yours)) ?? yours; // the reader's machine in it
      if (mine !== generation || !element.isConnected) return;
      const box = document.createElement("div");
      box.className = "chart__live";
      box.setAttribute("aria-hidden", "true"); // the chart itself carries the description
      element.append(box);
      const height = element.offsetHeight;
      element.style.minHeight = `${height}px`; // the page does not jump while the picture is replaced
      // No eval, and no style element either: the policy refuses both (guide/publish/policy.py).
      const result = await embed(box, spec, {
        actions: false,
        renderer: "svg",
        ast: true,
        mode: "vega-lite",
        defaultStyle: false,
        tooltip: { disableDefaultStyle: true },
      });
      if (mine !== generation || !element.isConnected) {
        result.finalize();
        box.remove();
        return;
      }
      live.set(element, result);
      element.classList.add("is-live");
      element.dataset.layout = narrow ? "narrow" : "wide";
      sizes.observe(element);
      window.dispatchEvent(new Event("resize")); // Vega measured its box before it was shown
    } catch (error) {
      drop(element);
      element.dataset.failed = error.message;
    } finally {
      delete element.dataset.drawing;
      element.style.minHeight = "";
      if (element.dataset.again) again(element);
    }
  }

  // Once more, with other rows; a drawing that is under way is followed by another.
  function again(element) {
    if (element.dataset.drawing) {
      element.dataset.again = "yes";
      return;
    }
    delete element.dataset.again;
    if (!live.has(element)) return; // its picture is drawn when the reader gets there
    drop(element);
    draw(element);
  }

  // A chart inside a hidden tab or a closed box has no width until it is shown; Vega listens to the window only.
  const sizes = new ResizeObserver((entries) => {
    if (entries.some(({ target, contentRect }) => contentRect.width > 0 && live.has(target)))
      window.dispatchEvent(new Event("resize"));
  });

  const near = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        near.unobserve(target);
        const mine = generation;
        whenIdle(() => mine === generation && draw(target), { timeout: 4000 });
      }
    },
    { rootMargin: "200px" },
  );

  function start() {
    generation += 1;
    for (const element of [...live.keys()]) drop(element);
    near.disconnect();
    sizes.disconnect();
    if (location.protocol === "file:") return; // a browser does not let a page read files beside it
    for (const element of document.querySelectorAll(".chart[data-spec]")) {
      near.observe(element);
      element.addEventListener("pointerenter", () => live.has(element) || draw(element), { once: true });
    }
  }

  window.addEventListener("hwguide-own", () => {
    for (const element of [...live.keys()]) {
      if (!element.dataset.own || element.dataset.ownSerial === String(window.hwguideOwn.serial)) continue;
      drop(element);
      draw(element);
    }
  });

  window.addEventListener("hwguide-reader", ({ detail }) => again(detail));

  NARROW.addEventListener("change", start); // the other layout is another specification
  window.document$ ? window.document$.subscribe(start) : document.addEventListener("DOMContentLoaded", start);
})();
