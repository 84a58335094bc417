// The entry point on every page. All pages work without scripts; these make them quicker.

import { BASE, followTable } from "./live.js";
import { livePreview } from "./pad.js";
import { keepEntries, showNumbers, showQueue } from "./offline-entries.js";

const OFFLINE_MS = 3000; // between two questions whether the server answers again

for (const pad of document.querySelectorAll("[data-pad]")) livePreview(pad);
keepEntries();
for (const element of document.querySelectorAll("[data-waiting]")) showQueue(element);
for (const element of document.querySelectorAll("[data-follow]")) followTable(element, showUpdate);
if (document.querySelector("[data-event-follow], [data-clock]")) import("./events.js");
if (document.querySelector("[data-understood]")) import("./amounts.js");
if (document.querySelector("[data-paper]")) import("./paper.js");
if (document.querySelector("[data-notices]")) import("./notices.js");
if (document.querySelector("[data-copy]")) import("./copying.js");
deviceTimes(document);
if (document.querySelector("select[data-time-zone]")) import("./time-zones.js");
navigator.serviceWorker?.register(`${BASE}worker.js`);
// A worker that has just taken over did not see this page being loaded: it stores the page now.
navigator.serviceWorker?.addEventListener("controllerchange", () => fetch(location.href).catch(() => {}));
const isInPlace = location.pathname !== `${BASE}offline`;
if (isInPlace && document.querySelector("[data-offline]")) setInterval(reloadIfAnswered, OFFLINE_MS);
if (window.speechSynthesis) {
  for (const button of document.querySelectorAll("[data-read-aloud]")) readAloudSwitch(button);
  if (isReadAloud() && document.querySelector("[data-follow]")) import("./read-aloud.js");
}
for (const button of document.querySelectorAll("[data-share]")) shareButton(button);
if (document.querySelector("[data-recap]")) import("./recap.js");
for (const button of document.querySelectorAll("[data-print]")) printButton(button);

// Opens the page that was asked for once the server answers: the worker shows "No connection" in its place.
async function reloadIfAnswered() {
  const response = await fetch(location.href, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (response && response.status < 500) location.reload();
}

// Where other fields depend on a choice, making it shows them; without scripts a button does.
for (const line of document.querySelectorAll("[data-shown-by]")) {
  const button = line.querySelector("button");
  line.hidden = true;
  for (const name of line.dataset.shownBy.split(" ")) button.form.elements[name].addEventListener("change", () => button.click());
}

// A form that may create a circle says which time zone the device is in.
for (const field of document.querySelectorAll("input[data-time-zone]")) {
  field.value = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";
}

function showUpdate(root) {
  deviceTimes(root);
  showNumbers();
}

function deviceTimes(root) {
  for (const time of root.querySelectorAll("time[datetime]")) deviceTime(time);
}

// Times are those of the circle's time zone, for everybody at the table. On a device in another one, say what it shows.
function deviceTime(time) {
  const date = new Date(time.dateTime);
  const [sign, hours, minutes] = time.dateTime.match(/([+-])(\d\d):(\d\d)/)?.slice(1) ?? ["+", 0, 0];
  const offset = Number(`${sign}1`) * (60 * hours + Number(minutes));
  if (offset === -date.getTimezoneOffset()) return;
  const style = { year: "numeric", month: "short", day: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" };
  time.title = new Intl.DateTimeFormat(document.documentElement.lang, style).format(date);
}

// Pass the link or the text to the phone's share sheet, or copy it where there is none.
function shareButton(button) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { share: url, text, title } = button.dataset;
    if (navigator.share) {
      await navigator.share(url ? { title, url } : { title, text }).catch(() => {});
    } else {
      const copied = await copy(url || text);
      if (copied) button.textContent = button.dataset.copied;
    }
  });
}

// Copy a text, and select it where the page shows it. Without HTTPS there is no clipboard API, but the browser can still
// copy a selection.
async function copy(text) {
  const shown = [...document.querySelectorAll(".link")].find((field) => field.value === text);
  const field = shown ?? document.createElement("textarea");
  if (!shown) {
    field.value = text;
    document.getElementById("main").append(field);
  }
  field.select();
  const copied = await (navigator.clipboard?.writeText(text).then(() => true, () => false) ?? document.execCommand("copy"));
  if (!shown) field.remove();
  return copied;
}

// The switch of a phone that reads aloud. Nothing more is loaded while it is off. Some browsers speak only after a tap.
function readAloudSwitch(button) {
  const show = () => button.setAttribute("aria-pressed", isReadAloud());
  button.parentElement.hidden = false;
  button.addEventListener("click", async () => {
    localStorage.setItem("scorekeeper.read-aloud", isReadAloud() ? "off" : "on");
    show();
    const { say } = await import("./read-aloud.js");
    say(isReadAloud() ? button.dataset.readAloud : "");
  });
  show();
}

function isReadAloud() {
  return localStorage.getItem("scorekeeper.read-aloud") === "on";
}

// Where a phone's key says "next", Enter goes on to the next empty field, and to the main button after the last one. By
// itself it would send the form with the other fields empty.
document.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.defaultPrevented || !event.target.matches("[enterkeyhint=next]")) return;
  event.preventDefault();
  const fields = [...event.target.form.querySelectorAll("[enterkeyhint=next]")].filter((field) => !field.closest("details:not([open])"));
  const next = fields.slice(fields.indexOf(event.target) + 1).find((field) => !field.value);
  (next ?? event.target.form.querySelector("button.main")).focus();
});

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
