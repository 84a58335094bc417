// Everything works without this file; it only makes things quicker.

import { follow } from "./follow.js";
import { livePad } from "./pad.js";
import { keepEntries, waitingEntries } from "./waiting.js";

for (const pad of document.querySelectorAll("[data-pad]")) livePad(pad);
for (const form of document.querySelectorAll("[data-keep]")) keepEntries(form);
for (const place of document.querySelectorAll("[data-waiting]")) waitingEntries(place);
for (const place of document.querySelectorAll("[data-follow]")) follow(place, localTimes);
localTimes(document);
navigator.serviceWorker?.register("/worker.js");
for (const button of document.querySelectorAll("[data-share]")) share(button);
for (const button of document.querySelectorAll("[data-print]")) printing(button);

function localTimes(part) {
  for (const time of part.querySelectorAll("time[datetime]")) localTime(time);
}

// The server knows the moment, the browser the reader's time zone.
function localTime(time) {
  const at = new Date(time.dateTime);
  const today = at.toDateString() === new Date().toDateString();
  const style = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, style).format(at);
}

// Hand the link, or the text, to the phone's share sheet; where there is none, to the clipboard.
function share(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { share: url, text, title } = button.dataset;
    if (navigator.share) {
      await navigator.share(url ? { title, url } : { title, text }).catch(() => {});
    } else {
      document.querySelector(".link").select();
      // Without HTTPS there is no clipboard to write to, but what is selected can be copied.
      const copied = await (navigator.clipboard?.writeText(url || text).then(() => true, () => false) ?? document.execCommand("copy"));
      if (copied) button.textContent = button.dataset.copied;
    }
  });
}

function printing(button) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// A button tapped twice by a hasty thumb sends once; the entry's key makes sure of it on the server too.
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
