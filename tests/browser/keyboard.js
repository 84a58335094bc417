// Return the elements that the keyboard cannot reach, or that show no focus.
() => {
  const flaws = [];
  const describe = (element) => `"${(element.innerText || element.ariaLabel || element.name || "").trim().replace(/\s+/g, " ")}" (${element.className || element.tagName})`;
  const hasOutline = (element) => {
    const style = getComputedStyle(element);
    return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  };
  const targets = document.querySelectorAll("a[href], button, summary, input:not([type=hidden]), select, textarea");
  for (const target of targets) {
    const container = target.closest("label") ?? target;
    if (target.disabled || !container.checkVisibility() || target.closest("[aria-hidden=true]")) continue;
    target.focus();
    if (target.tabIndex < 0 || document.activeElement !== target) flaws.push(`out of reach: ${describe(container)}`);
    else if (![target, target.parentElement, container, ...container.children].some(hasOutline)) flaws.push(`no sign of the focus: ${describe(container)}`);
  }
  document.activeElement?.blur();
  return [...new Set(flaws)];
}
