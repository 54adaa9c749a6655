// Answers on their way to one part of a page, which all of them write anew. Of several the one that was asked for last is shown, for it alone knows what is looked at now; and since none of
// them may know what the others did, the part is asked for once more when the last of them is here. After /page/session.js, and before /page/forms.js and the script of the page.
"use strict";
const answers = (() => {
  // The part with this id; `refresh` asks for it.
  const to = (id, refresh) => {
    const onTheirWay = new Map();
    let latest = null;
    let isOutOfDate = false;
    // Nobody asked for this: what they were told stays.
    const again = () => {
      const told = document.getElementById("problem").textContent;
      refresh();
      session.tell(told);
    };
    document.addEventListener("htmx:beforeSend", ({ detail: { target, xhr, requestConfig } }) => {
      if (target.id !== id) return;
      isOutOfDate ||= onTheirWay.size > 0;
      onTheirWay.set(xhr, requestConfig.verb);
      latest = xhr;
      xhr.addEventListener("loadend", () => {
        // Nobody waits for what an earlier session asked for.
        if (!onTheirWay.delete(xhr) || onTheirWay.size > 0 || !isOutOfDate) return;
        isOutOfDate = false;
        again();
      });
    });
    document.addEventListener("htmx:beforeSwap", ({ detail }) => {
      if (detail.target.id === id && detail.xhr !== latest) detail.shouldSwap = false;
    });
    // Who goes elsewhere waits no longer for what they wanted to read: it may never come.
    const giveUpReading = () => {
      for (const [xhr, verb] of onTheirWay) {
        if (verb !== "get") continue;
        onTheirWay.delete(xhr);
        xhr.abort();
      }
      isOutOfDate &&= onTheirWay.size > 0;
    };
    // As long as something is on its way, htmx sends nothing else from the same place.
    const forget = () => {
      giveUpReading();
      onTheirWay.clear();
      latest = null;
      isOutOfDate = false;
    };
    return { again, giveUpReading, forget, isLatest: (xhr) => xhr === latest };
  };
  return { to };
})();
