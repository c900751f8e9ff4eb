// Inside the hidden frame: what the theme's search worker finds in a worker. It answers with one argument, the
// page that asks uses two.
(() => {
  "use strict";
  const own = window.postMessage.bind(window);
  const load = (address) =>
    new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = address;
      script.onload = resolve;
      script.onerror = () => reject(new Error(`${address} could not be loaded`));
      document.head.append(script);
    });
  window.postMessage = (data, ...to) => (to.length ? own(data, ...to) : parent.postMessage(data, "*"));
  window.importScripts = (...addresses) => addresses.reduce((done, one) => done.then(() => load(one)), Promise.resolve());
  load(location.hash.slice(1)).then(() => parent.postMessage("ready", "*"));
})();
