// Updates the progress of a run. Without this script the browser reloads the page every few seconds. Each response has one
// event, and EventSource asks again.
"use strict";
const live = document.getElementById("live");
if (live) {
  const announce = document.getElementById("announce");
  let said = -1;
  const source = new EventSource(live.dataset.events);
  source.addEventListener("progress", event => {
    live.innerHTML = event.data; // the server has escaped it
    const percent = /(\d+)\s%/.exec(live.textContent);
    const tens = percent ? Math.floor(percent[1] / 10) * 10 : said;
    if (tens !== said) {
      said = tens;
      announce.textContent = tens + " % done";
    }
  });
  source.addEventListener("end", () => {
    source.close();
    location.reload();
  });
}
