// Everything works without this file; it only makes things quicker.

import { livePad } from "./pad.js";
import { seating } from "./seating.js";

for (const pad of document.querySelectorAll("[data-pad]")) livePad(pad);
for (const people of document.querySelectorAll("[data-people]")) seating(people);
for (const time of document.querySelectorAll("time[datetime]")) localTime(time);
for (const button of document.querySelectorAll("[data-share]")) share(button);

// The server knows the moment, the browser the reader's time zone.
function localTime(time) {
  const at = new Date(time.dateTime);
  const today = at.toDateString() === new Date().toDateString();
  const style = today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" };
  time.textContent = new Intl.DateTimeFormat(document.documentElement.lang, style).format(at);
}

// Hand the link to the phone's share sheet; where there is none, to the clipboard.
function share(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const url = button.dataset.share;
    if (navigator.share) {
      await navigator.share({ title: button.dataset.title, url }).catch(() => {});
    } else {
      document.querySelector(".link").select();
      await navigator.clipboard?.writeText(url);
      button.textContent = button.dataset.copied;
    }
  });
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
