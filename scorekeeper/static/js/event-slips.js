// Slips are typed one after the other: Enter goes on to the next empty field, and records after the last one.

document.querySelector("[data-focus]")?.focus();

for (const form of document.querySelectorAll("[data-slips]")) {
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("input:not([type=radio])")) return;
    const fields = [...form.querySelectorAll("input.short")].filter((field) => field.offsetParent !== null);
    const next = fields.slice(fields.indexOf(event.target) + 1).find((field) => !field.value && !field.name.startsWith("slams"));
    if (!next) return;
    event.preventDefault();
    next.focus();
  });
  const table = form.querySelector("input[name=table]");
  table?.addEventListener("input", () => {  // whose result it is, beside each field
    const row = form.querySelector(`[name="seen-${CSS.escape(table.value.trim())}"]`);
    for (const name of form.querySelectorAll("[data-side]")) name.textContent = row?.getAttribute(`data-side-${name.dataset.side}`) ?? "";
  });
  const proposed = form.querySelector("[data-proposed]");
  table?.addEventListener("input", () => {  // it names the table that was proposed
    if (proposed) proposed.hidden = table.value.trim() !== proposed.dataset.proposed;
  });
  table?.addEventListener("focus", () => table.select());
  if (table === document.activeElement) table.select();
}
