// The entry point on every page. All pages work without scripts; these make them quicker.

import { followTable } from "./live.js";
import { livePreview } from "./pad.js";
import { queueWhenOffline, showQueue } from "./offline-entries.js";

for (const pad of document.querySelectorAll("[data-pad]")) livePreview(pad);
for (const form of document.querySelectorAll("[data-keep]")) queueWhenOffline(form);
for (const element of document.querySelectorAll("[data-waiting]")) showQueue(element);
for (const element of document.querySelectorAll("[data-follow]")) followTable(element, localTimes);
if (document.querySelector("[data-understood]")) import("./amounts.js");
localTimes(document);
navigator.serviceWorker?.register("/worker.js");
for (const button of document.querySelectorAll("[data-share]")) shareButton(button);
for (const button of document.querySelectorAll("[data-print]")) printButton(button);

function localTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) localTime(time);
}

// The server sends UTC; only the browser knows the reader's time zone.
function localTime(time) {
  const date = new Date(time.dateTime);
  const isToday = date.toDateString() === new Date().toDateString();
  const style = isToday ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, style).format(date);
}

// Pass the link or the text to the phone's share sheet, or copy it where there is none.
function shareButton(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { share: url, text, title } = button.dataset;
    if (navigator.share) {
      await navigator.share(url ? { title, url } : { title, text }).catch(() => {});
    } else {
      document.querySelector(".link").select();
      // Without HTTPS there is no clipboard API, but the browser can still copy the selection.
      const copied = await (navigator.clipboard?.writeText(url || text).then(() => true, () => false) ?? document.execCommand("copy"));
      if (copied) button.textContent = button.dataset.copied;
    }
  });
}

function printButton(button) {
  button.hidden = false;
  button.addEventListener("click", () => window.print());
}

// A double tap submits a form once. (The entry's key makes the server record it once in any case.)
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  if (event.target.dataset.sent) event.preventDefault();
  event.target.dataset.sent = "yes";
});
window.addEventListener("pageshow", () => {
  for (const form of document.forms) delete form.dataset.sent;
});
