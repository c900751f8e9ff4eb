// A browser starts no worker from a folder on a disk. In an unpacked copy of the guide this stands in for one:
// the theme's search runs in a hidden frame instead.
(() => {
  "use strict";
  if (location.protocol !== "file:") return;
  const here = document.currentScript.src;

  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      frame.title = "Search";
      const loaded = new Promise((resolve) => {
        addEventListener("message", ({ source, data }) => {
          if (source !== frame.contentWindow) return;
          if (data === "ready") resolve();
          else this.dispatchEvent(new MessageEvent("message", { data }));
        });
      });
      frame.src = `${new URL("frame.html", here)}#${new URL(address, document.baseURI)}`;
      document.body.append(frame);
      this.postMessage = (data) => loaded.then(() => frame.contentWindow.postMessage(data, "*"));
      this.terminate = () => frame.remove();
    }
  };
})();
