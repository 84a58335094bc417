// Entries that wait for a signal. Each is kept on the phone under its own key until the server has confirmed it; the
// server answers the same key twice with the same entry, so that sending again records nothing twice.

const PLACE = "scorekeeper.waiting";
const PATIENCE = 8000; // milliseconds until a send without an answer counts as no signal
const AGAIN = 5000; // milliseconds between two tries while an entry waits

const read = () => JSON.parse(localStorage.getItem(PLACE) ?? "[]");
const write = (entries) => localStorage.setItem(PLACE, JSON.stringify(entries));
const change = (key, with_) => write(read().map((entry) => (entry.key === key ? { ...entry, ...with_ } : entry)));
const drop = (key) => write(read().filter((entry) => entry.key !== key));

export function keepEntries(form) {
  form.addEventListener("submit", async (event) => {
    const button = event.submitter;
    if (button?.value === "check" || form.dataset.direct) return;
    event.preventDefault();
    if (form.dataset.sending) return;
    form.dataset.sending = "yes";
    const entry = told(form, button);
    if (read().some((other) => other.table === entry.table && other.key !== entry.key)) {
      keep(entry, form);
      return;
    }
    const answer = await post(entry);
    delete form.dataset.sending;
    if (!answer) keep(entry, form);
    else if (answer.recorded) {
      drop(entry.key); // it may have waited here, been refused, and been corrected
      location.assign(answer.at);
    }
    else sendDirectly(form, button); // the page itself says what is wrong, with all taps kept
  });
}

export function waitingEntries(place) {
  let isSending = false;

  show();
  send();
  window.addEventListener("online", send);
  document.addEventListener("signal", send);
  document.addEventListener("visibilitychange", () => document.hidden || send());
  setInterval(() => document.hidden || !read().some((entry) => entry.state === "waiting") || send(), AGAIN);
  window.addEventListener("storage", show);
  document.addEventListener("kept", show);
  place.addEventListener("click", (event) => {
    const key = event.target.closest("[data-key]")?.dataset.key;
    const what = event.target.dataset.do;
    if (what === "send") send();
    if (what === "drop") drop(key);
    if (what === "both") change(key, { state: "waiting", seen: read().find((entry) => entry.key === key).now });
    if (what === "correct") correct(key);
    if (what === "both") send();
    show();
  });

  async function send() {
    if (isSending) return;
    isSending = true;
    try {
      // Of several windows one sends; the others would be answered the same, only later.
      if (navigator.locks) await navigator.locks.request(PLACE, { ifAvailable: true }, (lock) => lock && sendAll());
      else await sendAll();
    } finally {
      isSending = false;
      show();
    }
  }

  async function sendAll() {
    const held = new Set(); // tables with an entry that a person must decide on: what follows it waits too
    for (const { key } of read()) {
      const entry = read().find((other) => other.key === key);
      if (!entry || held.has(entry.table)) continue;
      if (entry.state !== "waiting") {
        held.add(entry.table);
        continue;
      }
      const answer = await post(entry);
      if (!answer) return; // no signal yet
      if (answer.recorded) {
        // What this phone entered next was entered knowing of this one, and of nothing else that is new.
        for (const next of read()) if (next.after === key && answer.seen === Number(entry.seen) + 1) change(next.key, { seen: answer.seen });
        drop(key);
        if (place.dataset.at === entry.table) document.dispatchEvent(new Event("sent"));
      } else {
        change(key, { state: answer.stale ? "stale" : "refused", reason: answer.stale ?? answer.refused, now: answer.seen });
        held.add(entry.table);
      }
      show();
    }
  }

  function show() {
    const entries = read();
    place.hidden = !entries.length;
    place.querySelector("[data-list]").replaceChildren(...entries.map(item));
  }

  function item(entry) {
    const copy = place.querySelector(`template[data-state=${entry.state}]`).content.cloneNode(true);
    const li = copy.querySelector("li");
    li.dataset.key = entry.key;
    copy.querySelector("[data-told]").textContent = entry.told;
    copy.querySelector("[data-table]").href = entry.table;
    const at = copy.querySelector("[data-at]");
    at.textContent = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(new Date(entry.at));
    const reason = copy.querySelector("[data-reason]");
    if (reason) reason.innerHTML = entry.reason ?? ""; // rendered, and escaped, by our own server
    return copy;
  }
}

function told(form, button) {
  const data = new FormData(form);
  if (button?.name) data.set(button.name, button.value);
  // Who deals is said only where somebody chose it: deals that wait are dealt in turn, whoever it is by then.
  if (form.querySelector("[name=dealer]:checked")?.defaultChecked) data.delete("dealer");
  const others = read().filter((entry) => entry.table === form.dataset.table);
  return {
    key: data.get("key"),
    action: form.action,
    table: form.dataset.table,
    seen: data.get("seen"),
    data: [...data].filter(([name]) => name !== "seen"),
    told: inWords(form, button),
    at: new Date().toISOString(),
    after: others.at(-1)?.key ?? null,
    state: "waiting",
  };
}

// What was tapped, as it is read on the pad: each strip's title and the cell.
function inWords(form, button) {
  const cells = [...form.querySelectorAll("input:checked")].filter((cell) => cell.name !== "dealer");
  const typed = [...form.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox])")];
  const words = [
    form.dataset.title,
    button?.value === "misdeal" ? button.textContent.trim() : "",
    ...cells.map((cell) => cell.getAttribute("aria-label") ?? cell.parentElement.textContent),
    ...typed.map((field) => field.value),
  ];
  return words.map((word) => word.trim().replace(/\s+/g, " ")).filter(Boolean).join(" · ");
}

function keep(entry, form) {
  const entries = read();
  const isKnown = entries.some((other) => other.key === entry.key);
  write(isKnown ? entries.map((other) => (other.key === entry.key ? entry : other)) : [...entries, entry]);
  if (navigator.serviceWorker?.controller) location.assign(entry.table);
  else stayHere(form);
}

// Where no service worker keeps the table's page (an address without HTTPS), the pad itself is all there is to go on with.
function stayHere(form) {
  delete form.dataset.sending;
  for (const cell of form.querySelectorAll(".cell input:checked:not([name=dealer])")) cell.click(); // a tap takes a tap back
  form.elements.key.value = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16)).join("");
  document.dispatchEvent(new Event("kept"));
  scrollTo({ top: 0 });
}

// The server's answer, or nothing where it could not be reached or could not say.
async function post(entry) {
  const body = new URLSearchParams([...entry.data, ["seen", entry.seen]]);
  try {
    const answer = await fetch(entry.action, {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    });
    if (answer.status >= 500 || answer.status === 429) return null; // it can be tried again
    if (answer.headers.get("Content-Type").startsWith("application/json")) return await answer.json();
    // A page of its own says why: the link was renewed, the table is not this phone's any more.
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    return { refused: page.querySelector("main").innerHTML };
  } catch {
    return null;
  }
}

// To the pad with everything as it was tapped; it leaves the list when the corrected entry is recorded under its key.
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

function sendDirectly(form, button) {
  form.dataset.direct = "yes";
  form.requestSubmit(button ?? undefined);
}
