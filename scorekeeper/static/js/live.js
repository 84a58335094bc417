// Live updates: shows what other phones record, without touching what is being typed on this one. A stream of events says
// that something has changed, and the page fetches what. Without a stream, it polls.

export const BASE = new URL(".", document.querySelector("link[rel=manifest]").href).pathname; // of the home page
export const TIMEOUT = 5000; // milliseconds without a response that count as no signal
const MIN_PAUSE = 1500; // milliseconds between two polls, at first
const MAX_PAUSE = 10_000; // while nothing changes
const MAX_PAUSE_WITHOUT_SIGNAL = 5000;
const SILENCE = 75_000; // milliseconds after which a stream is lost; the server sends something every 25 seconds
const SPREAD = 7000; // milliseconds within which the followers of a server that restarts come back
const MAX_WAIT = 60_000; // milliseconds until a stream is tried again

const CLICK = 400; // milliseconds within which a click follows when a finger has let go

// Nothing may move below a finger, or the click would go elsewhere: whatever shows something by itself waits until nothing
// is pressed, and until the click has done its work.
let isPressed = false;
let pressTimer = 0;
const waiting = [];

export function untilStill() {
  return new Promise((resolve) => (isPressed ? waiting.push(resolve) : resolve()));
}

addEventListener("pointerdown", () => {
  clearTimeout(pressTimer);
  isPressed = true;
}, true);
for (const [end, delay] of [["pointerup", CLICK], ["click", 0], ["pointercancel", 0], ["contextmenu", 0]]) {
  addEventListener(end, () => {
    clearTimeout(pressTimer);
    pressTimer = setTimeout(() => {
      isPressed = false;
      for (const resolve of waiting.splice(0)) resolve();
    }, delay);
  }, true);
}

export function followTable(element, onUpdate) {
  const notice = document.querySelector("[data-signal]");
  let { seen, mark } = element.dataset; // the number of the last revision that is shown, and the mark of all that is shown
  let lastUpdate = new Date(document.body.dataset.served);

  keepFollowing(element.dataset.stream, fetchNow, showSignal);
  cachePages();
  navigator.serviceWorker?.addEventListener("controllerchange", cachePages);
  keepScreenAwake();

  // Show what is new, and return whether anything is. Throws if there is no signal.
  async function fetchNow() {
    const response = await fetch(element.dataset.follow, {
      headers: { "If-None-Match": `"${mark}"` },
      cache: "no-store",
      signal: AbortSignal.timeout(TIMEOUT),
    });
    const html = await response.text();
    await untilStill();
    if (response.status === 200) update(parse(html));
    else if (response.status === 404 || response.status === 403) location.reload();
    else if (response.status !== 304) throw new Error(response.status);
    return response.status === 200;
  }

  function update(page) {
    const contents = page.querySelector("[data-contents]");
    const isSame = seen === contents.dataset.seen; // something around the deals has changed, which a pad does not show
    ({ seen, mark } = contents.dataset);
    if (isSame && "followOnly" in element.dataset) return;
    const news = document.querySelector("[data-news]");
    news.textContent = page.querySelector("[data-news]").textContent.trim();
    news.hidden = !news.textContent;
    if ("followOnly" in element.dataset && renewPad(page)) return;
    document.dispatchEvent(new CustomEvent("table-changed", { detail: page.querySelector("[data-spoken]") }));
    if ("followOnly" in element.dataset) return; // a pad: what is tapped refers to the table as it was when the pad opened
    document.title = page.title || document.title; // the score display has always the same
    const isOnAction = document.activeElement?.id === "main-action";
    const folded = element.querySelector(".ending:not([open])");
    element.innerHTML = contents.innerHTML; // rendered and escaped by our own server
    if (folded) document.getElementById(folded.id)?.removeAttribute("open");
    for (const part of ["heading", "bar"]) { // around the page's contents; the score display has none
      const followed = document.querySelector(`[data-follow-${part}]`);
      if (followed) followed.innerHTML = page.querySelector(`[data-${part}]`).innerHTML;
    }
    if (isOnAction) document.getElementById("main-action")?.focus();
    onUpdate(element);
    cachePad();
  }

  function cachePages() {
    // On the first visit the service worker starts only while this page is being loaded, or later, and has not seen it.
    if (!performance.getEntriesByType("navigation")[0]?.workerStart) cachePage(location.pathname);
    cacheHome();
    cachePad();
    cacheTable();
  }

  // Fetch the pad so that the service worker caches its current version, for when there is no signal.
  function cachePad() {
    const pad = document.querySelector("[data-follow-bar] a[data-pad-page]");
    if (pad) cachePage(new URL(pad.href).pathname, `data-seen="${seen}"`);
  }

  // A pad that lies open since the last deal was recorded, and has no taps yet: show it as it is now, with what another
  // phone has recorded. If no deal follows, show the table. Return whether the page is left.
  function renewPad(page) {
    const pad = document.querySelector("form[data-resting]");
    const isTouched = (field) => field.checked !== field.defaultChecked || (field.matches("[data-amount]") && field.value);
    if (!pad || pad.dataset.sending || [...pad.elements].some(isTouched)) return false;
    const hasNext = page.querySelector("[data-bar] [data-pad-page]");
    location.replace(`${hasNext ? location.pathname : pad.dataset.table}?changed=${seen}`);
    return true;
  }

  // Between two deals nobody opens the table's page while the pad of the next one lies open.
  function cacheTable() {
    const pad = document.querySelector("form[data-resting]");
    if (pad) cachePage(pad.dataset.table, `data-seen="${seen}"`);
  }

  // The home page leads to this table, so it has to be available without a signal too.
  function cacheHome() {
    cachePage(BASE, location.pathname.replace(/deals\/.*/, ""));
  }

  async function showSignal(isOnline) {
    await untilStill();
    if (isOnline) {
      lastUpdate = new Date();
      if (!notice.hidden) document.dispatchEvent(new Event("back-online"));
    } else {
      const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(lastUpdate);
      notice.textContent = notice.dataset.cannot.replace("{time}", time);
    }
    notice.hidden = isOnline;
  }
}

const parse = (html) => new DOMParser().parseFromString(html, "text/html");

// Call `fetchNow` when the stream says that something has changed, and from time to time while nothing is heard from a
// stream. A hidden page does nothing. Of many followers, each waits at random: up to `spread` milliseconds before it
// fetches, and `rest` and up to `comeback` more before it opens a lost stream again.
export function keepFollowing(address, fetchNow, showSignal, { spread = 0, rest = 1000, comeback = SPREAD } = {}) {
  let stream, openTimer, silenceTimer, pollTimer, spreadTimer;
  let isLive = false; // the stream has been heard
  let losses = 0; // since a stream lasted for a while
  let pause = MIN_PAUSE;
  let hasSignal = true;
  let isFetching = false;
  let isDue = false; // something has changed meanwhile

  document.addEventListener("visibilitychange", () => (document.hidden ? close() : wake()));
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", (event) => event.persisted && wake());
  window.addEventListener("online", () => {
    close();
    wake();
  });
  window.addEventListener("offline", () => {
    lose();
    poll();
  });
  document.addEventListener("entry-recorded", () => {
    pause = MIN_PAUSE;
    poll();
  });
  open();
  if (document.documentElement.dataset.cached) poll();
  else pollLater();

  function wake() {
    if (document.hidden) return;
    losses = 0;
    pause = MIN_PAUSE;
    poll();
    open();
  }

  // --- polls

  async function poll() {
    isDue = true;
    if (document.hidden || isFetching) return;
    isFetching = true;
    try {
      while (isDue) {
        isDue = false;
        if (await fetchNow()) pause = MIN_PAUSE;
      }
      setSignal(true);
    } catch {
      setSignal(false);
      pause = Math.min(pause, MAX_PAUSE_WITHOUT_SIGNAL);
      if (stream) lose();
    }
    isFetching = false;
    pollLater();
  }

  function pollLater() {
    clearTimeout(pollTimer);
    if (isLive || document.hidden) return;
    pollTimer = setTimeout(poll, pause * (1 + Math.random() / 2));
    pause = Math.min(2 * pause, MAX_PAUSE);
  }

  function setSignal(isOnline) {
    const isBack = isOnline && !hasSignal;
    hasSignal = isOnline;
    showSignal(isOnline);
    if (!isBack) return;
    losses = 0;
    open();
  }

  // --- the stream

  function open() {
    clearTimeout(openTimer);
    if (stream || !address || !window.EventSource || document.hidden) return;
    stream = new EventSource(address);
    stream.addEventListener("message", hear);
    stream.addEventListener("error", lose);
    expectMore();
  }

  function hear({ data }) {
    isLive = true;
    clearTimeout(pollTimer);
    expectMore();
    if (data === "alive") {
      losses = 0; // it has lasted for a while
      setSignal(true);
    } else if (spread) {
      spreadTimer ??= setTimeout(pollSpread, spread * Math.random());
    } else poll();
  }

  function pollSpread() {
    spreadTimer = null;
    poll();
  }

  function expectMore() {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(lose, SILENCE);
  }

  // The stream has ended, as all do now and then, or is silent, or none was to be had. Poll until another one is heard. All
  // followers of a server that restarts lose theirs at once, and come back at random times.
  function lose() {
    if (isLive) {
      pause = MIN_PAUSE;
      pollTimer = setTimeout(poll, Math.random() * 2 * MIN_PAUSE);
    }
    close();
    const wait = (rest + Math.random() * comeback) * 2 ** losses++;
    openTimer = setTimeout(open, Math.min(wait, MAX_WAIT * (1 - Math.random() / 2)));
  }

  function close() {
    isLive = false;
    clearTimeout(openTimer);
    clearTimeout(silenceTimer);
    stream?.close();
    stream = null;
  }
}

// Fetch the page through the service worker, unless a cached copy already contains `text`.
async function cachePage(path, text) {
  if (!navigator.serviceWorker?.controller) return;
  const cached = text && (await caches.match(path, { ignoreVary: true }));
  if (!cached || !(await cached.text()).includes(text)) await fetch(path).catch(() => {});
}

// The phone lies on the table between two deals; its screen stays on where the browser supports that.
export function keepScreenAwake() {
  const request = () => {
    if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", request);
  request();
}
