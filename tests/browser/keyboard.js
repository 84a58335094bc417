// What on the page a keyboard cannot reach, or reaches without a sign of it.
() => {
  const flaws = [];
  const said = (element) => `"${(element.innerText || element.ariaLabel || element.name || "").trim().replace(/\s+/g, " ")}" (${element.className || element.tagName})`;
  const marks = (element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  };
  const targets = document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), select, textarea");
  for (const target of targets) {
    const place = target.closest("label") ?? target;
    if (target.disabled || !place.checkVisibility() || target.closest("[aria-hidden=true]")) continue;
    target.focus();
    if (target.tabIndex < 0 || document.activeElement !== target) flaws.push(`out of reach: ${said(place)}`);
    else if (![target, target.parentElement, place, ...place.children].some(marks)) flaws.push(`no sign of the focus: ${said(place)}`);
  }
  document.activeElement?.blur();
  return [...new Set(flaws)];
}
