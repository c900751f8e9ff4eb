// Inside the hidden frame: what the theme's search worker finds in a worker. It answers with one argument, the
// page that asks uses two.
(() => {
  "use strict";
  const page = window.parent;
  const worker = location.hash.slice(1);
  const own = window.postMessage.bind(window);
  const load = (address) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = new URL(address, worker);
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${address} could not be loaded`));
      document.head.append(script);
    });
  window.parent = undefined; // a worker has none, and from a disk the search may not look into it
  window.postMessage = (data, ...to) => (to.length ? own(data, ...to) : page.postMessage(data, "*"));
  window.importScripts = (...addresses) => addresses.reduce((done, one) => done.then(() => load(one)), Promise.resolve());
  load(worker).then(() => page.postMessage("ready", "*"));
})();
