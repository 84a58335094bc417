// A paper sheet that is entered: the server scores all rows while one types, and says what is wrong with each.

const DEBOUNCE = 250; // milliseconds after the last key

const form = document.querySelector("[data-paper]");
let requests = 0;
let timer = 0; // of what was typed and not sent yet

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(update, DEBOUNCE);
});

async function update() {
  timer = 0;
  const request = ++requests;
  // Not multipart, which servers limit to fewer fields than a long sheet has.
  const body = new URLSearchParams(new FormData(form));
  body.set("do", "check");
  let page;
  try {
    const response = await fetch(location.pathname, { method: "POST", body });
    if (!response.ok) return;
    page = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    return; // no signal: what is typed stays, and is checked when it is sent
  }
  if (request === requests && !timer) show(page); // otherwise a newer request is under way, or about to be
}

function show(page) {
  for (const row of form.querySelectorAll(".paper-row")) {
    const checked = page.getElementById(row.id);
    row.querySelector("[data-status]").replaceWith(checked.querySelector("[data-status]"));
    replaceFields(row.querySelector("[data-fields]"), checked.querySelector("[data-fields]"));
  }
}

// Where the players, the dealer or a choice call for other fields or labels; the field keeps the focus.
function replaceFields(shown, checked) {
  if (shown.textContent === checked.textContent) return;
  const focused = document.activeElement?.id;
  shown.replaceWith(checked);
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
