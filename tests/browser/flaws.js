// Return the flaws of the current page as sentences. `width`: the screen's width, since a phone widens its window for a
// page that is too wide. `touch`, `apart`: the minimum size and distance of targets, in CSS pixels.
({ width, touch, apart }) => {
  const flaws = [];
  const tolerance = 0.05;
  const describe = (element) => `"${element.innerText.trim().replace(/\s+/g, " ")}" (${element.className || element.tagName})`;
  const isVisible = (element) => element.checkVisibility() && !element.matches(".visually-hidden");
  const visible = (selector, within = document) => [...within.querySelectorAll(selector)].filter(isVisible);

  const selfOrAncestor = (element, has) =>
    element !== null && (has(getComputedStyle(element)) || selfOrAncestor(element.parentElement, has));
  const isScrollable = (element) =>
    selfOrAncestor(element.parentElement, (style) => ["auto", "scroll"].includes(style.overflowX));

  const across = document.documentElement.scrollWidth;
  if (across > width) flaws.push(`the page is ${across} wide on a screen of ${width}`);

  const isInSentence = (link) => {
    let block = link.parentElement;
    while (getComputedStyle(block).display === "inline") block = block.parentElement;
    return getComputedStyle(link).display === "inline" && /\p{L}{2}/u.test(block.innerText.replace(link.innerText, ""));
  };
  const targets = visible("a[href], button, summary, select, textarea, .cell, input:not([type=hidden], .cell input)");
  for (const target of targets) {
    if (target.closest("[aria-hidden=true], .visually-hidden, .skip")) continue;
    const box = (target.matches("[type=radio], [type=checkbox]") ? target.closest("label") ?? target : target).getBoundingClientRect();
    const size = `${box.width.toFixed(1)} × ${box.height.toFixed(1)}`;
    if (target.matches("a") && isInSentence(target)) {
      // What explains an amount is tapped as often as a button, though it stands in a line of text.
      if (target.matches(".reason") && box.height < 24 - tolerance) flaws.push(`${size}: ${describe(target)}`);
      continue;
    }
    if (Math.min(box.width, box.height) < touch - tolerance) flaws.push(`${size}: ${describe(target)}`);
    if (isScrollable(target)) continue;
    if (box.left < -tolerance || box.right > width + tolerance) flaws.push(`reaches to ${box.right.toFixed(1)}: ${describe(target)}`);
  }

  for (const element of visible(".cell > span, .button, button, .score, .names, .description, .text")) {
    const tooTall = element.matches(".cell > span, button, .button") ? element.scrollHeight - element.clientHeight : 0;
    const overflow = Math.max(element.scrollWidth - element.clientWidth, tooTall);
    if (element.clientWidth && overflow > 1) flaws.push(`its text overflows by ${overflow}: ${describe(element)}`);
  }

  for (const group of visible(".cells, .chips, .bar, .ways, .tiles, .made li")) {
    if (group.scrollWidth > group.clientWidth + 1 && !isScrollable(group.firstElementChild))
      flaws.push(`${group.scrollWidth - group.clientWidth} wider than its place: ${describe(group)}`);
    const cells = visible(".cell, button, .button, .tiles a", group);
    const boxes = cells.map((cell) => cell.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
      const gap = Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom);
      if (gap < apart - tolerance) flaws.push(`${gap.toFixed(1)} apart: ${describe(cells[i])} and ${describe(cells[i + 1 + j])}`);
    }));
  }

  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const backgroundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] >= 0.8) return colour; // a system's colour of selections lets a fifth through
    }
    return [255, 255, 255];
  };
  const opacityOf = (element) => (element ? Number(getComputedStyle(element).opacity) * opacityOf(element.parentElement) : 1);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility() || element.closest("[aria-hidden=true], .cell:has(:disabled)")) continue;
    const style = getComputedStyle(element);
    if (/^\s*,/.test(texts.currentNode.data) && /flex|grid/.test(style.display)) flaws.push(`a gap before a comma: ${describe(element)}`);
    const [behind, opacity] = [backgroundOf(element), opacityOf(element)];
    if (!opacity) continue; // shown where somebody points
    const faded = channels(style.color).slice(0, 3).map((channel, at) => opacity * channel + (1 - opacity) * behind[at]);
    const [a, b] = [luminance(faded), luminance(behind)];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const required = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (contrast < required) flaws.push(`contrast of ${contrast.toFixed(1)}: ${describe(element)}`);
  }
  return [...new Set(flaws)];
}
