// The device's time zone: sent with the forms that may create a circle, and offered first in the list of a circle's.

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "";

for (const field of document.querySelectorAll("input[data-time-zone]")) field.value = zone;
if (zone) for (const list of document.querySelectorAll("select[data-time-zone]")) offer(list);

function offer(list) {
  const listed = [...list.options].find((option) => option.value === zone);
  if (listed?.selected) return;
  const group = document.createElement("optgroup");
  group.label = list.dataset.timeZone;
  // Browsers may use a former name of a zone. The server knows them, the list does not have them.
  group.append(new Option(listed?.text ?? zone.split("/").pop().replaceAll("_", " "), zone));
  list.prepend(group);
  if ("unset" in list.dataset) list.value = zone;
}
