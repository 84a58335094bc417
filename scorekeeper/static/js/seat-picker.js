// Seat players by tapping their names: a name takes the next free seat, and a second tap frees it again.

for (const names of document.querySelectorAll("[data-people]")) seatPicker(names);

function seatPicker(names) {
  const seats = [...names.closest("form").querySelectorAll(".seat input:not([type=radio])")];
  const chips = [...names.querySelectorAll("[data-person]")];
  names.hidden = false;

  function refresh() {
    const seated = new Set(seats.map((seat) => seat.value.trim()));
    for (const chip of chips) chip.setAttribute("aria-pressed", seated.has(chip.textContent));
  }

  names.addEventListener("click", (event) => {
    const name = event.target.closest("[data-person]")?.textContent;
    if (!name) return;
    const occupied = seats.find((seat) => seat.value.trim() === name);
    const free = seats.find((seat) => !seat.value.trim());
    if (occupied) occupied.value = "";
    else if (free) {
      free.value = name;
      free.closest("details")?.setAttribute("open", ""); // where more seats are
    }
    refresh();
  });
  for (const seat of seats) seat.addEventListener("input", refresh);
  refresh();
}
