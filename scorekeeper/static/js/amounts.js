// Shows beside a field how the server reads the amount that is being typed, or what is wrong with it.

import { untilStill } from "./live.js";

const DEBOUNCE = 150; // milliseconds after the last key

for (const field of document.querySelectorAll("[data-understood]")) showUnderstood(field);

function showUnderstood(field) {
  const { form } = field;
  const output = document.createElement("output");
  output.className = "understood";
  (field.closest("label, .option") ?? field).append(output);
  let requests = 0;
  let timer;

  const updateSoon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, DEBOUNCE);
  };
  field.addEventListener("input", updateSoon);
  form.addEventListener("change", updateSoon); // the currency, or the unit

  async function update() {
    const request = ++requests;
    let answer = { words: "", wrong: false };
    if (field.value.trim()) {
      const fields = new FormData(form);
      const query = new URLSearchParams({ typed: field.value });
      for (const name of ["account", "currency", "unit"]) if (fields.get(name)) query.set(name, fields.get(name));
      if (field.dataset.game) query.set("game", field.dataset.game);
      try {
        const response = await fetch(`${field.dataset.understood}?${query}`);
        if (response.ok) answer = await response.json();
      } catch {
        // no signal: nothing is shown, and the server checks again when the form is sent
      }
    }
    await untilStill();
    if (request !== requests) return; // a newer request is under way
    output.textContent = answer.words;
    output.classList.toggle("problem", answer.wrong);
  }
}
