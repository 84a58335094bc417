// Beside a field for an amount: what the server understands while it is being typed, or what is wrong with it.

const PAUSE = 150; // milliseconds after the last key

for (const field of document.querySelectorAll("[data-understood]")) showUnderstood(field);

function showUnderstood(field) {
  const { form } = field;
  const output = document.createElement("output");
  output.className = "understood";
  (field.closest("label, .option") ?? field).append(output);
  let asked = 0;
  let waiting;

  const askSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  };
  field.addEventListener("input", askSoon);
  form.addEventListener("change", askSoon); // the currency, or the unit

  async function ask() {
    const mine = ++asked;
    let answer = { words: "", wrong: false };
    if (field.value.trim()) {
      const sent = new FormData(form);
      const query = new URLSearchParams({ typed: field.value });
      for (const name of ["account", "currency", "unit"]) if (sent.get(name)) query.set(name, sent.get(name));
      try {
        const response = await fetch(`${field.dataset.understood}?${query}`);
        if (response.ok) answer = await response.json();
      } catch {
        // no signal: nothing is shown, and the server checks again when the form is sent
      }
    }
    if (mine !== asked) return;
    output.textContent = answer.words;
    output.classList.toggle("problem", answer.wrong);
  }
}
