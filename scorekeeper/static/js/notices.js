// The page of notices: says why this phone can have none, or gets none any more; when the form is sent, asks for the
// browser's permission and adds the browser's address at its push service.

const form = document.querySelector("[data-notices]");
const whys = document.querySelectorAll("[data-why]");
const fields = form.elements;

say(obstacle());
if (form.dataset.endpoint && obstacle() === "") sayIfDeaf();
form.addEventListener("submit", (event) => {
  if (!wantsSome() || fields.endpoint.value) return;
  event.preventDefault();
  document.querySelector(".recorded")?.remove(); // it was said of the form before
  turnOn();
});

function say(found) {
  for (const why of whys) why.hidden = why.dataset.why !== found;
  form.querySelector("[data-asks]").hidden = found !== "";
}

// Why this browser cannot have notices, as far as can be seen. On iOS only an app on the home screen can: navigator.standalone
// exists there alone.
function obstacle() {
  if (!window.isSecureContext) return "https";
  if (!("PushManager" in window && "Notification" in window && navigator.serviceWorker)) {
    return navigator.standalone === false ? "home-screen" : "browser";
  }
  return Notification.permission === "denied" ? "blocked" : "";
}

// The browser may have dropped the address to which the server sends.
async function sayIfDeaf() {
  const { pushManager } = await navigator.serviceWorker.ready;
  const subscription = await pushManager.getSubscription();
  if (subscription?.endpoint !== form.dataset.endpoint) say("deaf");
}

function wantsSome() {
  return form.querySelector("[type=checkbox]:checked") !== null;
}

async function turnOn() {
  if (["https", "home-screen", "browser"].includes(obstacle())) return say(obstacle());
  if ((await Notification.requestPermission()) !== "granted") return say("blocked");
  try {
    const { endpoint, keys } = (await subscribe()).toJSON();
    Object.assign(fields.endpoint, { value: endpoint });
    Object.assign(fields.p256dh, { value: keys.p256dh });
    Object.assign(fields.auth, { value: keys.auth });
  } catch {
    return say("failed");
  }
  form.requestSubmit();
}

// A subscription with an earlier key of the site is of no use any more.
async function subscribe() {
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: form.dataset.notices };
  try {
    return await pushManager.subscribe(options);
  } catch {
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  }
}
