// Offer the device's time zone first in the list of zones for a circle.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

if (zone) for (const list of document.querySelectorAll("select[data-time-zone]")) offer(list);

// Browsers may use a former name of a zone, which the list does not have.
function nameHere(name) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return ""; // not known to this browser
  }
}

function offer(list) {
  const options = [...list.options];
  const listed = options.find(({ value }) => value === zone) ?? options.find(({ value }) => value && nameHere(value) === zone);
  if (listed?.selected) return;
  const group = document.createElement("optgroup");
  group.label = list.dataset.timeZone;
  group.append(new Option(listed?.text ?? zone.split("/").pop().replaceAll("_", " "), zone));
  list.prepend(group);
  if ("unset" in list.dataset) list.value = zone;
}
