// The pad's live preview: the server scores what has been tapped so far and says what would follow from it.

import { BASE, untilStill } from "./live.js";
import { numberNow } from "./offline-entries.js";

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
  form.querySelector(".more").addEventListener("toggle", ({ target }) => target.open && target.scrollIntoView({ block: "nearest" }));
  form.classList.add("live");
  allowUntap(form);
  if (form.querySelector("[data-keypad]")) import("./keypad.js").then(({ keypad }) => keypad(form));
  if (form.querySelector("[data-in-order]")) import("./places.js").then(({ placesInOrder }) => placesInOrder(form));
  form.addEventListener("change", () => updateIn(DEBOUNCE));
  form.addEventListener("input", (event) => {
    if (event.target.matches("[data-amount]")) updateIn(TYPING);
  });
  const keptTaps = keepDraft(form, groups);
  const isRestored = keptTaps || cells().some((cell) => cell.checked !== cell.defaultChecked) || amounts().some((field) => field.value !== field.defaultValue);
  document.addEventListener("back-online", update);
  if (isRestored) update(); // or tapped before this script came; the server knows the rest
  else showTotal(form);
  // A page that comes back with its scripts as they were may be of a deal that is recorded by now.
  addEventListener("pageshow", ({ persisted }) => persisted && "resumes" in form.dataset && location.reload());

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

// What is tapped and not recorded, by page, in the phone's storage: it is there again when the page is opened again.
const DRAFTS = `scorekeeper.drafts${BASE.slice(0, -1)}`;
const pageOf = (form) => location.pathname + (form.elements.kept?.value ?? "");
const readDrafts = () => JSON.parse(localStorage.getItem(DRAFTS) ?? "{}");

export function dropDraft(form) {
  const { [pageOf(form)]: dropped, ...others } = readDrafts();
  if (dropped) localStorage.setItem(DRAFTS, JSON.stringify(others));
}

// Show what is kept if it was tapped of the same deal, and keep what is tapped from now on. Return whether any is shown.
function keepDraft(form, groups) {
  const { begun } = form.dataset; // none if something else was recorded first: then nobody has said yet which deal it is
  if (form.querySelector("[data-same-deal]")) dropDraft(form); // it is recorded, unless they say on this page that it is not
  if (!begun) return false;
  const basis = () => `${numberNow(form)} ${begun}`;
  const atFirst = JSON.stringify(tapsOf(form, "defaultChecked", "defaultValue"));
  const keep = () => {
    const taps = tapsOf(form);
    if (JSON.stringify(taps) === atFirst) dropDraft(form);
    else localStorage.setItem(DRAFTS, JSON.stringify({ ...readDrafts(), [pageOf(form)]: { basis: basis(), taps } }));
  };
  form.addEventListener("change", keep);
  form.addEventListener("input", keep);
  if (!("resumes" in form.dataset)) return false;
  const draft = readDrafts()[pageOf(form)];
  if (draft?.basis !== basis()) {
    dropDraft(form);
    if (JSON.stringify(tapsOf(form)) !== atFirst) keep(); // tapped before this script came
    return false;
  }
  showTaps(form, groups, draft.taps);
  const line = form.querySelector("[data-draft]");
  line.hidden = false;
  line.querySelector("button").addEventListener("click", () => {
    dropDraft(form);
    location.replace(location.pathname + location.search);
  });
  return true;
}

function tapsOf(form, checked = "checked", value = "value") {
  const cells = [...form.querySelectorAll(".cell input")].filter((cell) => cell[checked] && !(cell.name === "dealer" && cell.defaultChecked));
  const others = [...form.querySelectorAll("[data-amount], [data-set-aside]")].filter((field) => field[value]);
  return [...cells.map((cell) => [cell.name, cell.value]), ...others.map((field) => [field.name, field[value]])];
}

// A tap whose group is not on the pad at first is sent along: the preview brings the group.
function showTaps(form, groups, taps) {
  const isTapped = (field) => taps.some(([name, value]) => field.name === name && field.value === value);
  for (const cell of form.querySelectorAll(".cell input")) {
    if (cell.name === "dealer" && !taps.some(([name]) => name === "dealer")) continue;
    cell.checked = isTapped(cell);
    delete cell.dataset.tapped;
    if (cell.checked && !cell.defaultChecked) cell.closest("details")?.setAttribute("open", "");
  }
  for (const field of form.querySelectorAll("[data-amount]")) field.value = taps.find(([name]) => name === field.name)?.[1] ?? "";
  for (const earlier of groups.querySelectorAll("[data-set-aside]")) earlier.remove();
  for (const [name, value] of taps) {
    if (form.elements[name]) continue;
    const field = Object.assign(document.createElement("input"), { type: "hidden", name, value });
    field.dataset.setAside = "";
    groups.append(field);
  }
  rememberTapped(form);
}

// A tap that needs other groups, or makes some needless: the focus stays on its cell.
function replaceGroups(groups, html) {
  const { name, value } = document.activeElement ?? {};
  groups.innerHTML = html;
  const fields = [...groups.querySelectorAll(".cell input, [data-amount]")];
  fields.find((field) => field.name === name && field.value === value)?.focus();
  rememberTapped(groups);
}

// A browser cannot uncheck a radio button; here a second tap does, or goes back to what applies without one.
function allowUntap(form) {
  form.addEventListener("click", (event) => {
    const cell = event.target;
    if (cell.type !== "radio" || cell.name === "dealer") return;
    if (cell.dataset.tapped) {
      cell.checked = false;
      delete cell.dataset.tapped;
      const usual = form.querySelector(`[name="${CSS.escape(cell.name)}"][data-default]`);
      if (usual) {
        usual.checked = true;
        usual.dataset.tapped = "yes";
      }
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
