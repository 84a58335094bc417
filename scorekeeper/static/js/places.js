// Places by tapping people in their order: each takes the next place that is free, and gives it back by another tap.

export function placesInOrder(form) {
  const buttons = () => [...form.querySelectorAll("[data-takes]")];
  const cells = (button) => [...form.querySelectorAll(`.cell input[name="${button.dataset.takes}"]`)];
  const placeOf = (button) => cells(button).find((cell) => cell.checked || cell.closest(".follows"));

  form.addEventListener("click", (event) => {
    const button = event.target.closest("[data-takes]");
    if (!button) return;
    const taken = buttons().map((other) => cells(other).find((cell) => cell.checked)?.value);
    const mine = cells(button).find((cell) => cell.checked); // which another tap clears
    (mine ?? cells(button).find((cell) => !taken.includes(cell.value)))?.click();
  });
  form.addEventListener("change", show);
  form.addEventListener("preview-shown", show);
  for (const strips of form.querySelectorAll("[data-places]")) strips.open = false;
  show();

  function show() {
    for (const people of form.querySelectorAll("[data-in-order]")) people.hidden = false;
    for (const button of buttons()) {
      const place = placeOf(button)?.value ?? "";
      button.querySelector("b").textContent = place;
      button.setAttribute("aria-pressed", Boolean(place));
    }
  }
}
