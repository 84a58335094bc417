// The pad's live working: the server folds what has been tapped so far and says what would follow.

const PAUSE = 60; // milliseconds, so that two quick taps ask once

export function livePad(form) {
  const working = form.querySelector("[data-working]");
  const cells = [...form.querySelectorAll(".cell input")];
  let asked = 0;
  let waiting;

  form.querySelector("[data-check]").hidden = true;
  form.classList.add("live");
  untap(form);
  form.addEventListener("change", () => {
    clearTimeout(waiting);
    waiting = setTimeout(ask, PAUSE);
  });
  if (cells.some((cell) => cell.checked && cell.name !== "dealer")) ask();

  async function ask() {
    const mine = ++asked;
    const told = new FormData(form);
    told.set("do", "preview");
    let answer;
    try {
      const response = await fetch(form.action, { method: "POST", body: told });
      if (!response.ok) return;
      answer = await response.json();
    } catch {
      return; // no signal: the working waits, the taps stay
    }
    if (mine === asked) show(answer);
  }

  function show({ working: html, withheld, worked_out: follows }) {
    working.innerHTML = html; // rendered, and escaped, by our own server
    for (const cell of cells) {
      const name = `${cell.name}=${cell.value}`;
      const ruledOut = withheld.includes(name) && !cell.checked;
      cell.disabled = ruledOut;
      cell.parentElement.classList.toggle("withheld", ruledOut);
      cell.parentElement.classList.toggle("follows", follows.includes(name));
    }
    sum(form);
  }
}

// A radio button cannot be untapped by itself; a second tap on it takes the tap back.
function untap(form) {
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
  for (const cell of form.querySelectorAll("input[type=radio]:checked")) cell.dataset.tapped = "yes";
}

// Where the working tells a total of what was tapped, it stands beside the strips too.
function sum(form) {
  const place = form.querySelector("[data-sum]");
  const told = form.querySelector("[data-working] [data-total]");
  if (place && told) place.textContent = told.dataset.total;
}
