// Tap a name to seat it in the next free seat; tap it again and it rises.

for (const people of document.querySelectorAll("[data-people]")) seating(people);

function seating(people) {
  const seats = [...people.closest("form").querySelectorAll(".seat input:not([type=radio])")];
  const chips = [...people.querySelectorAll("[data-person]")];
  people.hidden = false;

  function refresh() {
    const seated = new Set(seats.map((seat) => seat.value.trim()));
    for (const chip of chips) chip.setAttribute("aria-pressed", seated.has(chip.textContent));
  }

  people.addEventListener("click", (event) => {
    const name = event.target.closest("[data-person]")?.textContent;
    if (!name) return;
    const at = seats.find((seat) => seat.value.trim() === name);
    const free = seats.find((seat) => !seat.value.trim());
    if (at) at.value = "";
    else if (free) free.value = name;
    refresh();
  });
  for (const seat of seats) seat.addEventListener("input", refresh);
  refresh();
}
