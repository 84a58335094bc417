// The service worker. Without a signal it serves the styles and scripts, the help, and the home page, every table with
// its pad and every table of an event as last seen. Entries made meanwhile are stored by offline-entries.js. It shows
// notices. The server puts the constants VERSION, SHELL and ICON before this text.

const BASE = new URL(".", location).pathname; // of the home page
const PAGES = `scorekeeper-pages${BASE.slice(0, -1)}`;
const OFFLINE = `${BASE}offline`;
const TIMEOUT = 6000; // milliseconds to wait for the network before the cached page is shown
const CACHED_PATHS = [ // below BASE
  ...[/^$/, /^help$/],
  ...[/^tables\/[\w-]+\/$/, /^tables\/[\w-]+\/deals\/new$/, /^events\/[\w-]+\/tables\/\d+$/],
];

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
      .then((names) => Promise.all(names.filter(isOutdated).map((name) => caches.delete(name))))
      .then(() => self.clients.claim()),
  );
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== "GET" || url.origin !== location.origin || !url.pathname.startsWith(BASE)) return;
  const path = url.pathname.slice(BASE.length);
  if (path.startsWith("static/")) event.respondWith(cachedFile(request));
  else if (CACHED_PATHS.some((pattern) => pattern.test(path))) event.respondWith(page(request, url.pathname));
  else if (request.mode === "navigate") event.respondWith(fetch(request).catch(() => caches.match(OFFLINE)));
});

// A notice says what to show, and which page a tap opens. Another one with the same tag takes its place.
self.addEventListener("push", (event) => {
  const { title, body, url, tag, lang } = event.data.json();
  event.waitUntil(self.registration.showNotification(title, { body, tag, lang, icon: ICON, data: { url } }));
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(openPage(BASE + event.notification.data.url));
});

// The browser may drop its address at its push service, and says so here. Where this fails, the page of notices sees it.
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renewSubscription()));

async function renewSubscription() {
  const { site_key: applicationServerKey, csrf_token } = await (await fetch(`${BASE}notices`)).json();
  const { pushManager } = self.registration;
  const { endpoint, keys } = (await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })).toJSON();
  await fetch(`${BASE}notices`, { method: "POST", body: new URLSearchParams({ csrf_token, endpoint, ...keys }) });
}

async function openPage(url) {
  const windows = await clients.matchAll({ type: "window" });
  const there = windows.find((each) => new URL(each.url).pathname === url);
  return there ? there.focus() : clients.openWindow(url);
}

// Other sites of the same name have caches too. The site's path is at the end of the names of its own.
function isOutdated(name) {
  return name.match(/^scorekeeper-\w+(.*)$/)?.[1] === BASE.slice(0, -1) && ![VERSION, PAGES].includes(name);
}

// Files that are not cached at first, such as a game's styles, are cached when a page first needs them.
async function cachedFile(request) {
  const cache = await caches.open(VERSION);
  const cached = await cache.match(request, { ignoreVary: true });
  if (cached) return cached;
  const response = await fetch(request);
  if (response.ok) cache.put(request, response.clone()).catch(() => {}); // the device may be full
  return response;
}

async function page(request, path) {
  const pages = await caches.open(PAGES);
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(TIMEOUT) });
    if (response.ok && !response.redirected) await pages.put(path, response.clone());
    else if (response.status === 404 || response.status === 403) await pages.delete(path);
    return response;
  } catch {
    const cached = (await pages.match(path, { ignoreVary: true })) ?? (await caches.match(path, { ignoreVary: true }));
    return cached ? asCopy(cached) : ((await caches.match(OFFLINE, { ignoreVary: true })) ?? Response.error());
  }
}

// Mark a cached page as a copy and give its forms new keys, so that each entry made on it counts as a new one.
async function asCopy(cached) {
  const html = (await cached.text())
    .replace("<html ", '<html data-cached="yes" ')
    .replace(/<input\b[^>]*\bname="key"[^>]*>/g, (input) => input.replace(/value="[^"]*"/, `value="${crypto.randomUUID()}"`));
  return new Response(html, { headers: cached.headers });
}
