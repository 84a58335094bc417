// Following the table: what another phone records is here within two seconds, and what is being typed is left alone.

const EVERY = 1500; // milliseconds between two questions
const PATIENCE = 5000; // milliseconds until a question without an answer counts as no signal

export function follow(place, shown) {
  const notice = document.querySelector("[data-signal]");
  let seen = place.dataset.seen;
  let asOf = new Date(document.body.dataset.served);
  let isAsking = false;

  setInterval(ask, EVERY);
  document.addEventListener("visibilitychange", ask);
  window.addEventListener("online", ask);
  document.addEventListener("sent", ask);
  if (document.documentElement.dataset.kept) ask();
  keepHome();
  keepPad();
  // On a first visit this page came before there was anybody to keep it.
  navigator.serviceWorker?.addEventListener("controllerchange", () => {
    keepPage(location.pathname);
    keepHome();
    keepPad();
  });
  stayAwake();

  async function ask() {
    if (document.hidden || isAsking) return;
    isAsking = true;
    try {
      const answer = await fetch(place.dataset.follow, {
        headers: { "If-None-Match": `"${seen}"` },
        cache: "no-store",
        signal: AbortSignal.timeout(PATIENCE),
      });
      if (answer.status === 200) show(await answer.text());
      else if (answer.status === 404 || answer.status === 403) location.reload();
      else if (answer.status !== 304) throw new Error(answer.status);
      signal(true);
    } catch {
      signal(false);
    } finally {
      isAsking = false;
    }
  }

  function show(html) {
    const page = new DOMParser().parseFromString(html, "text/html");
    const now = page.querySelector("[data-now]");
    seen = now.dataset.seen;
    const news = document.querySelector("[data-news]");
    news.textContent = page.querySelector("[data-news]").textContent.trim();
    news.hidden = !news.textContent;
    if ("followOnly" in place.dataset) return; // a pad: its taps mean what they meant when it was opened
    place.innerHTML = now.innerHTML; // rendered, and escaped, by our own server
    document.querySelector("[data-follow-bar]").innerHTML = page.querySelector("[data-bar]").innerHTML;
    shown(place);
    keepPad();
  }

  // The pad as it now is lies ready for when there is no signal: the service worker keeps what it sees.
  function keepPad() {
    const pad = document.querySelector("[data-follow-bar] a[data-pad-page]");
    if (pad) keepPage(new URL(pad.href).pathname, `data-seen="${seen}"`);
  }

  // So does the home page, from which one comes here.
  function keepHome() {
    keepPage("/", location.pathname.replace(/deals\/.*/, ""));
  }

  function signal(isThere) {
    if (isThere) {
      asOf = new Date();
      if (!notice.hidden) document.dispatchEvent(new Event("signal"));
    } else {
      const time = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "short" }).format(asOf);
      notice.textContent = notice.dataset.cannot.replace("{time}", time);
    }
    notice.hidden = isThere;
  }
}

// Nothing is sent for a page that is kept already, and has in it what it is kept for.
async function keepPage(path, part) {
  if (!navigator.serviceWorker?.controller) return;
  const kept = part && (await caches.match(path, { ignoreVary: true }));
  if (!kept || !(await kept.text()).includes(part)) await fetch(path).catch(() => {});
}

// The phone lies on the table between two deals: its screen stays awake, where the browser can do that.
function stayAwake() {
  const hold = () => {
    if (!document.hidden) navigator.wakeLock?.request("screen").catch(() => {});
  };
  document.addEventListener("visibilitychange", hold);
  hold();
}
