// Pages of an event: they show what changes as soon as it does, their clocks run, and the pages of a wall turn.
//
// An element with `data-event-follow` is replaced in place. The attribute is the address that returns its page as it is now,
// or 304. `data-mark` says what is shown. Phones at tables wait up to `data-spread` milliseconds before they show it, so that
// those who look at a display need not wait for all.

import { keepFollowing, keepScreenAwake, TIMEOUT, untilStill } from "./live.js";

const TICK = 250; // milliseconds
const COMEBACK = 2000; // milliseconds within which a lost stream is opened again: there are no more pages than tables
const UNREAD = 3000; // milliseconds until a page looks again whether what is typed was sent

for (const element of document.querySelectorAll("[data-event-follow]")) follow(element);
startClocks(document);
for (const wall of document.querySelectorAll("[data-wall]")) turnPages(wall);
setInterval(showClocks, TICK);

function follow(element) {
  const { stream, eventFollow: address, poll, spread } = element.dataset;
  keepFollowing(stream, fetchNow, showSignal, { spread: Number(spread ?? 0), rest: 0, comeback: COMEBACK });
  if (poll) setInterval(() => document.hidden || fetchNow().catch(() => {}), 1000 * poll);
  keepScreenAwake();

  // Show what is new, and return whether anything is. Throws if there is no signal.
  async function fetchNow() {
    const response = await get(address, { "If-None-Match": `"${element.dataset.mark}"` });
    if (response.status === 304) return false;
    if (response.status === 404 || response.status === 403) location.reload();
    if (response.status !== 200) throw new Error(response.status);
    const html = await response.text();
    await untilStill();
    if (isTyping()) {
      setTimeout(() => document.dispatchEvent(new Event("entry-recorded")), UNREAD);
      return false;
    }
    const page = new DOMParser().parseFromString(html, "text/html");
    replace(page.querySelector("[data-event-follow]").innerHTML); // rendered and escaped by our own server
    element.dataset.mark = response.headers.get("ETag").replace(/^W\/|:\w+|"/g, "");
    return true;
  }

  function replace(html) {
    const focused = document.activeElement?.id;
    const opened = [...element.querySelectorAll("details[open][id]")].map((details) => details.id);
    element.innerHTML = html;
    for (const id of opened) document.getElementById(id)?.setAttribute("open", "");
    if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
    startClocks(element);
    element.dispatchEvent(new Event("event-updated", { bubbles: true }));
  }

  // Nothing that somebody is typing goes away.
  function isTyping() {
    const fields = [...element.querySelectorAll("input:not([type=hidden]), select, textarea")];
    return fields.some((field) => (field.type === "radio" || field.type === "checkbox" ? field.checked !== field.defaultChecked
      : field.options ? [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0
      : field.value !== field.defaultValue));
  }

  async function showSignal(isOnline) {
    await untilStill();
    const notice = document.querySelector("[data-signal]");
    if (!notice) return;
    if (!isOnline) notice.textContent = notice.dataset.cannot.replace("{time}", timeOfDay());
    notice.hidden = isOnline;
  }
}

function get(address, headers = {}) {
  return fetch(address, { headers, cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) });
}

function timeOfDay() {
  return new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date());
}

// --- clocks: `data-clock` is the seconds that are left, or that have passed if `data-clock-up`
//
// Only how much of the phone's own time has passed counts, so it may be wrong; performance.now() stops while a phone sleeps.

function startClocks(root) {
  for (const clock of root.querySelectorAll("[data-clock]")) clock.began = Date.now();
}

function showClocks() {
  for (const clock of document.querySelectorAll("[data-clock][data-clock-runs]")) {
    const passed = Math.floor((Date.now() - clock.began) / 1000);
    const seconds = Number(clock.dataset.clock) + ("clockUp" in clock.dataset ? passed : -passed);
    const text = seconds > 0 || !clock.dataset.clockOver ? minutesAndSeconds(Math.abs(seconds)) : clock.dataset.clockOver;
    if (clock.textContent !== text) clock.textContent = text;
  }
}

function minutesAndSeconds(seconds) {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

// --- the wall: one page at a time

function turnPages(wall) {
  let current = 0;
  const show = () => {
    const pages = [...wall.querySelectorAll("[data-wall-page]")];
    current = pages.length ? current % pages.length : 0;
    pages.forEach((page, index) => (page.hidden = index !== current));
  };
  wall.addEventListener("event-updated", show);
  setInterval(() => {
    current += 1;
    show();
  }, 1000 * wall.dataset.wall);
  show();
}
