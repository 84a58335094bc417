// Live updates: polls the server and shows what other phones record, without touching what is being typed on this one.

const POLL_INTERVAL = 1500; // milliseconds
const TIMEOUT = 5000; // milliseconds without a response that count as no signal

export function followTable(element, onUpdate) {
  const notice = document.querySelector("[data-signal]");
  let seen = element.dataset.seen; // the number of the last revision on the page
  let flags = element.dataset.flags; // how often flags have changed, if the page shows them
  let lastUpdate = new Date(document.body.dataset.served);
  let isPolling = false;

  setInterval(poll, POLL_INTERVAL);
  document.addEventListener("visibilitychange", poll);
  window.addEventListener("online", poll);
  document.addEventListener("entry-recorded", poll);
  if (document.documentElement.dataset.cached) poll();
  cacheHome();
  cachePad();
  // On the first visit the service worker starts only after this page was loaded, so the page is not cached yet.
  navigator.serviceWorker?.addEventListener("controllerchange", () => {
    cachePage(location.pathname);
    cacheHome();
    cachePad();
  });
  keepScreenAwake();

  async function poll() {
    if (document.hidden || isPolling) return;
    isPolling = true;
    try {
      const response = await fetch(element.dataset.follow, {
        headers: { "If-None-Match": flags ? `"${seen}-${flags}"` : `"${seen}"` },
        cache: "no-store",
        signal: AbortSignal.timeout(TIMEOUT),
      });
      if (response.status === 200) update(await response.text());
      else if (response.status === 404 || response.status === 403) location.reload();
      else if (response.status !== 304) throw new Error(response.status);
      showSignal(true);
    } catch {
      showSignal(false);
    } finally {
      isPolling = false;
    }
  }

  function update(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const now = page.querySelector("[data-now]");
    seen = now.dataset.seen;
    if (flags) flags = now.dataset.flags;
    const news = document.querySelector("[data-news]");
    news.textContent = page.querySelector("[data-news]").textContent.trim();
    news.hidden = !news.textContent;
    if ("followOnly" in element.dataset) return; // a pad: what is tapped refers to the table as it was when the pad opened
    const isOnAction = document.activeElement?.id === "main-action";
    element.innerHTML = now.innerHTML; // rendered and escaped by our own server
    document.querySelector("[data-follow-bar]").innerHTML = page.querySelector("[data-bar]").innerHTML;
    if (isOnAction) document.getElementById("main-action")?.focus();
    onUpdate(element);
    cachePad();
  }

  // Fetch the pad so that the service worker caches its current version, for when there is no signal.
  function cachePad() {
    const pad = document.querySelector("[data-follow-bar] a[data-pad-page]");
    if (pad) cachePage(new URL(pad.href).pathname, `data-seen="${seen}"`);
  }

  // The home page leads to this table, so it has to be available without a signal too.
  function cacheHome() {
    cachePage("/", location.pathname.replace(/deals\/.*/, ""));
  }

  function showSignal(isOnline) {
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

// Fetch the page through the service worker, unless a cached copy already contains `text`.
async function cachePage(path, text) {
  if (!navigator.serviceWorker?.controller) return;
  const cached = text && (await caches.match(path, { ignoreVary: true }));
  if (!cached || !(await cached.text()).includes(text)) await fetch(path).catch(() => {});
}

// The phone lies on the table between two deals; its screen stays on where the browser supports that.
function keepScreenAwake() {
  const request = () => {
    if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", request);
  request();
}
