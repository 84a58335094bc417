// Entries made without a signal. Each is stored on the phone under its key until the server confirms it. The server
// answers a repeated key with the entry it has recorded already, so sending one again never records it twice.

import { BASE, untilStill } from "./live.js";
import { dropDraft } from "./pad.js";

// In localStorage, which all sites of this name share, and the name of the lock for sending.
const STORAGE_KEY = `scorekeeper.waiting${BASE.slice(0, -1)}`;
const TIMEOUT = 8000; // milliseconds without a response that count as no signal
const RETRY_INTERVAL = 5000; // milliseconds

const read = () => JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
const write = (entries) => localStorage.setItem(STORAGE_KEY, JSON.stringify(entries));
const change = (key, changes) => write(read().map((entry) => (entry.key === key ? { ...entry, ...changes } : entry)));
const remove = (key) => write(read().filter((entry) => entry.key !== key));

// Send forms with `data-keep` by script, and store the entry if there is no response.
export function keepEntries() {
  document.addEventListener("submit", async (event) => {
    const form = event.target;
    const button = event.submitter;
    if (!("keep" in form.dataset)) return;
    if (["check", "zeros"].includes(button?.value) || form.dataset.direct) return; // nothing is recorded
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    const entry = makeEntry(form, button);
    if (read().some((other) => other.table === entry.table && other.key !== entry.key)) {
      store(entry, form, button); // after the entries of this table that are waiting already
      return;
    }
    const answer = await post(entry);
    if (!answer?.recorded) {
      delete form.dataset.sending;
      if (answer) submitDirectly(form, button); // the server's page says what is wrong and keeps all taps
      else store(entry, form, button);
      return;
    }
    // Until the page that follows is there, a live update must not lead to another one.
    window.addEventListener("pagehide", () => delete form.dataset.sending);
    dropDraft(form);
    remove(entry.key); // it may have been stored, refused and corrected
    if (["next", "misdeal"].includes(button?.value)) location.replace(answer.at); // the way back is to the table, not to this pad
    else location.assign(answer.at);
  });
}

// Show the stored entries in `element` and send them when there is a signal again.
export function showQueue(element) {
  let isSending = false;

  show();
  send();
  window.addEventListener("online", send);
  document.addEventListener("back-online", send);
  document.addEventListener("visibilitychange", () => document.hidden || send());
  setInterval(() => document.hidden || !read().some((entry) => entry.state === "waiting") || send(), RETRY_INTERVAL);
  window.addEventListener("storage", show);
  document.addEventListener("entry-stored", show);
  element.addEventListener("click", (event) => {
    const key = event.target.closest("[data-key]")?.dataset.key;
    const action = event.target.dataset.do;
    if (action === "send") send();
    if (action === "drop") remove(key);
    if (action === "both") {
      const entry = read().find((entry) => entry.key === key);
      change(key, { state: "waiting", seen: entry.now, data: [...entry.data, ["another", "yes"]] });
    }
    if (action === "correct") correct(key);
    if (action === "both") send();
    show();
  });

  async function send() {
    if (isSending) return;
    isSending = true;
    try {
      // Only one of several windows sends; the others would get the same answers later.
      if (navigator.locks) await navigator.locks.request(STORAGE_KEY, { ifAvailable: true }, (lock) => lock && sendAll());
      else await sendAll();
    } finally {
      isSending = false;
      show();
    }
  }

  async function sendAll() {
    const blocked = new Set(); // tables with an entry that needs a decision: later entries of the table wait for it
    for (const { key } of read()) {
      const entry = read().find((other) => other.key === key);
      if (!entry || blocked.has(entry.table)) continue;
      if (entry.state !== "waiting") {
        blocked.add(entry.table);
        continue;
      }
      const answer = await post(entry);
      if (!answer) return; // still no signal
      if (answer.next) renumber(entry.table, answer.next);
      if (answer.recorded) {
        // The next entry on this phone was made knowing this one. It counts as up to date if nothing else came between.
        for (const next of read()) if (next.after === key && answer.after === entry.seen) change(next.key, { seen: answer.seen });
        for (const form of document.querySelectorAll("form[data-pad]")) {
          const { seen } = form.elements; // of the next deal, which is tapped meanwhile
          if (form.dataset.table === entry.table && seen.value === answer.after) seen.value = answer.seen;
        }
        remove(key);
        if (element.dataset.at === entry.table) document.dispatchEvent(new Event("entry-recorded"));
      } else {
        change(key, { state: answer.stale ? "stale" : "refused", reason: answer.stale ?? answer.refused, now: answer.seen });
        blocked.add(entry.table);
      }
      show();
    }
  }

  async function show() {
    await untilStill();
    const entries = read();
    element.hidden = !entries.length;
    element.querySelector("[data-list]").replaceChildren(...entries.map(item));
    const notIncluded = element.querySelector("[data-not-included]");
    if (notIncluded) notIncluded.hidden = !entries.some((entry) => entry.table === element.dataset.at);
    showNumbers();
  }

  function item(entry, index, entries) {
    const copy = element.querySelector(`template[data-state=${entry.state}]`).content.cloneNode(true);
    const li = copy.querySelector("li");
    li.dataset.key = entry.key;
    const summary = entry.summary.replace("{number}", numberOf(entry, entries.slice(0, index)));
    const game = entry.table === element.dataset.at ? "" : entry.game; // the result of an event's table has none
    copy.querySelector("[data-summary]").textContent = game ? `${game} · ${summary}` : summary;
    copy.querySelector("[data-table]").href = entry.table;
    const at = copy.querySelector("[data-at]");
    at.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date(entry.at));
    const reason = copy.querySelector("[data-reason]");
    if (reason) reason.innerHTML = entry.reason ?? ""; // rendered and escaped by our own server
    return copy;
  }
}

function makeEntry(form, button) {
  const data = new FormData(form);
  if (button?.name) data.set(button.name, button.value);
  // The dealer is sent only if somebody chose one. Otherwise the server works out whose turn it is, after all entries
  // that are recorded before this one.
  if (form.querySelector("[name=dealer]:checked")?.defaultChecked) data.delete("dealer");
  const others = read().filter((entry) => entry.table === form.dataset.table);
  return {
    key: data.get("key"),
    action: form.action,
    table: form.dataset.table,
    game: document.querySelector("[data-waiting]").dataset.game,
    seen: data.get("seen"),
    data: [...data].filter(([name]) => name !== "seen"),
    summary: summarise(form, button),
    next: button?.value === "announce" ? null : Number(form.dataset.number) || null,
    at: new Date().toISOString(),
    after: others.at(-1)?.key ?? null,
    state: "waiting",
  };
}

// Those of the entries that record a new deal at a table.
const newDeals = (entries, table) => entries.filter((entry) => entry.table === table && entry.next);

// The number that a new deal will have if nothing else is recorded before it. `next` is the number of the first entry of
// its table that waits; `earlier` are the entries before it.
function numberOf({ table, next }, earlier) {
  return new Intl.NumberFormat(document.documentElement.lang).format(next + newDeals(earlier, table).length);
}

// The number of the deal on a pad that records a new one, after those that wait.
export function numberNow(form) {
  const { number, table } = form.dataset;
  return number ? Number(number) + newDeals(read(), table).length : "";
}

function renumber(table, next) {
  write(read().map((entry) => (entry.table === table && entry.next ? { ...entry, next } : entry)));
  for (const form of document.querySelectorAll("form[data-number]")) if (form.dataset.table === table) form.dataset.number = next;
}

// The number of the next deal, on the button that leads to its pad and in the pad's title. While deals wait, scores and
// dealer are those before them, and the pad says so.
export function showNumbers() {
  const table = document.querySelector("[data-waiting]").dataset.at;
  const waiting = newDeals(read(), table);
  const titled = ({ number, title }) => title.replace("{number}", numberOf({ table, next: Number(number) }, waiting));
  const button = document.querySelector("a[data-pad-page][data-number]");
  if (button) button.textContent = titled(button.dataset);
  const form = document.querySelector("form[data-pad][data-number]");
  if (!form) return;
  document.querySelector("[data-deal-title]").textContent = titled(form.dataset);
  const dealer = document.querySelector("[data-behind]");
  dealer.dataset.now ??= dealer.textContent;
  dealer.textContent = waiting.length ? dealer.dataset.behind : dealer.dataset.now;
}

// What was tapped, in the pad's own words: the title, the chosen cells, what was typed. The title of a new deal keeps its
// placeholder {number}.
function summarise(form, button) {
  const cells = [...form.querySelectorAll("input:checked")].filter(({ name, value }) => name !== "dealer" && value !== "none");
  const typed = [...form.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox])")];
  const { colon } = document.querySelector("[data-waiting]").dataset;
  const words = [
    form.dataset.title,
    button?.value === "misdeal" ? button.textContent.trim() : "",
    ...cells.map((cell) => cell.getAttribute("aria-label") ?? cell.parentElement.textContent),
    ...typed.map((field) => (field.matches("[data-amount]") && field.value ? `${field.ariaLabel}${colon} ${field.value}` : field.value)),
  ];
  return words.map((word) => word.trim().replace(/\s+/g, " ")).filter(Boolean).join(" · ");
}

function store(entry, form, button) {
  const entries = read();
  dropDraft(form);
  const isStored = entries.some((other) => other.key === entry.key);
  write(isStored ? entries.map((other) => (other.key === entry.key ? entry : other)) : [...entries, entry]);
  if (!navigator.serviceWorker?.controller) clearForm(form);
  else if (["next", "misdeal"].includes(button?.value)) location.replace(location.pathname);
  else location.assign(entry.table);
}

// Without a service worker (no HTTPS) the table's page cannot be opened offline: stay on this page, for the next entry.
function clearForm(form) {
  delete form.dataset.sending;
  if ("pad" in form.dataset) {
    for (const cell of form.querySelectorAll(".cell input:checked:not([name=dealer])")) cell.click(); // a tap clears a cell
    for (const field of form.querySelectorAll("[data-amount]")) field.value = "";
    for (const tap of form.querySelectorAll("[data-set-aside]")) tap.remove();
  } else form.reset();
  document.querySelector(".just-recorded")?.remove();
  form.elements.key.value = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16)).join("");
  document.dispatchEvent(new Event("entry-stored"));
  scrollTo({ top: 0 });
}

// The server's answer, or null if it could not be reached or is temporarily unable to answer.
async function post(entry) {
  const body = new URLSearchParams([...entry.data, ["seen", entry.seen]]);
  try {
    const response = await fetch(entry.action, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(TIMEOUT),
    });
    if (response.status >= 500 || response.status === 429) return null; // can be retried
    if (response.headers.get("Content-Type").startsWith("application/json")) return await response.json();
    // An error page says why: the link was renewed, or this phone no longer has access to the table.
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    return { refused: page.querySelector("main").innerHTML };
  } catch {
    return null;
  }
}

// Open the pad with everything as it was tapped. The stored entry is removed when the corrected one is recorded, as
// both have the same key.
function correct(key) {
  const entry = read().find((other) => other.key === key);
  const form = document.createElement("form");
  form.method = "post";
  form.action = entry.action;
  for (const [name, value] of [...entry.data.filter(([name]) => name !== "do"), ["seen", entry.seen], ["do", "check"]]) {
    form.append(Object.assign(document.createElement("input"), { type: "hidden", name, value }));
  }
  document.body.append(form);
  form.submit();
}

function submitDirectly(form, button) {
  form.dataset.direct = "yes";
  form.requestSubmit(button ?? undefined);
}
