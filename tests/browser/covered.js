// Return the targets that something else covers, even after the page was scrolled to them.
() => {
  const describe = (element) => `"${(element.innerText || element.ariaLabel || element.value || "").trim().slice(0, 40)}" (${element.className || element.tagName})`;
  const covered = [];
  for (const target of document.querySelectorAll("a[href], button, summary, select, input:not([type=hidden])")) {
    if (!target.checkVisibility() || target.closest(".visually-hidden, .skip, [aria-hidden=true]") || target.disabled) continue;
    target.scrollIntoView({ block: "center", inline: "nearest" });
    const box = target.getClientRects()[0];
    const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    if (!at || !(target.contains(at) || (target.closest("label") ?? target).contains(at))) covered.push(`${describe(target)} by ${at ? describe(at) : "the edge"}`);
  }
  scrollTo(0, 0);
  return covered;
};
