// The pad's live preview: the server scores what has been tapped so far and says what would follow from it.

import { untilStill } from "./live.js";

const DEBOUNCE = 60; // milliseconds, so that two quick taps send one request
const TYPING = 250; // milliseconds after the last digit

export function livePreview(form) {
  const preview = form.querySelector("[data-working]");
  const groups = form.querySelector("[data-groups]");
  const cells = () => [...groups.querySelectorAll(".cell input")];
  const amounts = () => [...groups.querySelectorAll("[data-amount]")];
  let requests = 0;
  let timer = 0; // of a tap that was not sent yet

  form.querySelector("[data-check]").hidden = true;
  form.classList.add("live");
  allowUntap(form);
  if (form.querySelector("[data-keypad]")) import("./keypad.js").then(({ keypad }) => keypad(form));
  if (form.querySelector("[data-in-order]")) import("./places.js").then(({ placesInOrder }) => placesInOrder(form));
  form.addEventListener("change", () => updateIn(DEBOUNCE));
  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-amount]")) updateIn(TYPING);
  });
  const isRestored = cells().some((cell) => cell.checked !== cell.defaultChecked) || amounts().some((field) => field.value !== field.defaultValue);
  document.addEventListener("back-online", update);
  if (isRestored) update(); // by the browser; the server knows the rest
  else showTotal(form);

  function updateIn(delay) {
    clearTimeout(timer);
    timer = setTimeout(update, delay);
  }

  async function update() {
    timer = 0;
    const request = ++requests;
    const body = new FormData(form);
    body.set("do", "preview");
    body.set("shape", groups.dataset.groups);
    let answer = null;
    try {
      const response = await fetch(form.action, { method: "POST", body });
      if (response.ok) answer = await response.json();
    } catch {
      // no signal
    }
    await untilStill();
    if (request !== requests || timer) return; // a newer request is under way, or about to be
    if (answer) return show(answer);
    preview.replaceChildren(); // it said what follows from other taps
    showTotal(form);
  }

  function show({ working: html, withheld, worked_out: follows, groups: changed, shape }) {
    preview.innerHTML = html; // rendered and escaped by our own server
    for (const earlier of groups.querySelectorAll(".problem")) earlier.remove(); // the preview says what is wrong now
    if (changed) {
      replaceGroups(groups, changed);
      groups.dataset.groups = shape;
    }
    for (const cell of cells()) {
      const name = `${cell.name}=${cell.value}`;
      const isRuledOut = withheld.includes(name) && !cell.checked;
      cell.disabled = isRuledOut;
      cell.parentElement.classList.toggle("withheld", isRuledOut);
      cell.parentElement.classList.toggle("follows", follows.includes(name));
    }
    for (const field of amounts()) {
      const number = follows.find((cell) => cell.startsWith(`${field.name}=`))?.slice(field.name.length + 1);
      field.placeholder = number ?? field.dataset.amount;
    }
    showTotal(form);
    form.dispatchEvent(new Event("preview-shown"));
  }
}

// A tap that needs other groups, or makes some needless: the focus stays on its cell.
function replaceGroups(groups, html) {
  const { name, value } = document.activeElement ?? {};
  groups.innerHTML = html;
  const fields = [...groups.querySelectorAll(".cell input, [data-amount]")];
  fields.find((field) => field.name === name && field.value === value)?.focus();
  rememberTapped(groups);
}

// A browser cannot uncheck a radio button; here a second tap does.
function allowUntap(form) {
  form.addEventListener("click", (event) => {
    const cell = event.target;
    if (cell.type !== "radio" || cell.name === "dealer") return;
    if (cell.dataset.tapped) {
      cell.checked = false;
      delete cell.dataset.tapped;
      cell.dispatchEvent(new Event("change", { bubbles: true }));
      return;
    }
    for (const other of form.elements[cell.name].length ? form.elements[cell.name] : [cell]) delete other.dataset.tapped;
    cell.dataset.tapped = "yes";
  });
  rememberTapped(form);
}

function rememberTapped(part) {
  for (const cell of part.querySelectorAll("input[type=radio]:checked")) cell.dataset.tapped = "yes";
}

// Show the total of what was tapped beside the strips too, as the preview has it.
function showTotal(form) {
  const output = form.querySelector("[data-sum]");
  const source = form.querySelector("[data-working] [data-total]");
  if (output) output.textContent = source?.dataset.total ?? "";
}
