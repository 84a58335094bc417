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
  body.set("do", "preview");
  for (const row of form.querySelectorAll("[data-row]")) body.set(`shape.${row.dataset.row}`, row.dataset.shape);
  let answer;
  try {
    const response = await fetch(location.pathname, { method: "POST", body });
    if (!response.ok) return;
    answer = await response.json();
  } catch {
    return; // no signal: what is typed stays, and is checked when it is sent
  }
  if (request === requests && !timer) show(answer.rows); // otherwise a newer request is under way, or about to be
}

// The HTML was rendered and escaped by our own server.
function show(rows) {
  for (const element of form.querySelectorAll("[data-row]")) {
    const row = rows[element.dataset.row];
    if (!row) continue;
    element.querySelector("[data-status]").innerHTML = row.status;
    if (row.shape) replaceFields(element, row);
  }
}

// Other players, or another dealer: the row gets the labels of the server, and the field keeps the focus.
function replaceFields(element, { fields, shape }) {
  const focused = document.activeElement?.id;
  element.querySelector("[data-fields]").innerHTML = fields;
  element.dataset.shape = shape;
  if (focused && document.activeElement?.id !== focused) document.getElementById(focused)?.focus();
}
