// With no signal the app opens from here: its styles and scripts, the home page, and each table as it was last seen,
// with its pad. Entries themselves are kept by waiting.js. SHELL and VERSION stand before this text.

const PAGES = "scorekeeper-pages";
const PATIENCE = 6000; // milliseconds to wait for the network before the kept page is shown
const KEPT = [/^\/$/, /^\/tables\/[\w-]+\/$/, /^\/tables\/[\w-]+\/deals\/new$/];

self.addEventListener("install", (event) => {
  event.waitUntil(
    caches
      .open(VERSION)
      .then((cache) => cache.addAll(SHELL))
      .then(() => self.skipWaiting()),
  );
});

self.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => ![VERSION, PAGES].includes(name)).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin) return;
  if (url.pathname.startsWith("/static/")) event.respondWith(fromShell(request));
  else if (KEPT.some((pattern) => pattern.test(url.pathname))) event.respondWith(page(request, url.pathname));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match("/offline")));
});

async function fromShell(request) {
  return (await caches.match(request, { ignoreVary: true })) ?? fetch(request);
}

async function page(request, path) {
  const pages = await caches.open(PAGES);
  try {
    const answer = await fetch(request, { signal: AbortSignal.timeout(PATIENCE) });
    if (answer.ok && !answer.redirected) await pages.put(path, answer.clone());
    else if (answer.status === 404 || answer.status === 403) await pages.delete(path);
    return answer;
  } catch {
    const kept = await pages.match(path, { ignoreVary: true });
    return kept ? marked(kept) : ((await caches.match("/offline", { ignoreVary: true })) ?? Response.error());
  }
}

// A page from here says so, and its forms get keys of their own: each entry that is made on it is a new one.
async function marked(kept) {
  const html = (await kept.text())
    .replace("<html ", '<html data-kept="yes" ')
    .replace(/(name="key" value=")[^"]*/g, (_, before) => before + crypto.randomUUID());
  return new Response(html, { headers: kept.headers });
}
