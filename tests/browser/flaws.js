// What is wrong with the page as it stands, in words. `width` is the screen's: a phone widens its window for a page
// that is too wide. `touch` and `apart` are what a thumb needs, in CSS pixels.
({ width, touch, apart }) => {
  const flaws = [];
  const about = 0.05;
  const said = (element) => `"${element.innerText.trim().replace(/\s+/g, " ")}" (${element.className || element.tagName})`;
  const isSeen = (element) => element.checkVisibility() && !element.matches(".visually-hidden");
  const shown = (selector, within = document) => [...within.querySelectorAll(selector)].filter(isSeen);

  const above = (element, is) => element !== null && (is(getComputedStyle(element)) || above(element.parentElement, is));
  const scrolls = (element) => above(element.parentElement, (style) => ["auto", "scroll"].includes(style.overflowX));

  const across = document.documentElement.scrollWidth;
  if (across > width) flaws.push(`the page is ${across} wide on a screen of ${width}`);

  const fields = "input:not([type=hidden], .cell input), select, .switch";
  const targets = shown(`button, .button, .cell, .ways > a, .rows li a, .table-card, .home, summary, ${fields}`);
  for (const target of targets) {
    const box = (target.closest("label:not(.cell)") ?? target).getBoundingClientRect();
    const size = `${box.width.toFixed(1)} × ${box.height.toFixed(1)}`;
    if (Math.min(box.width, box.height) < touch - about) flaws.push(`${size}: ${said(target)}`);
    if (scrolls(target)) continue;
    if (box.left < -about || box.right > width + about) flaws.push(`reaches to ${box.right.toFixed(1)}: ${said(target)}`);
  }

  for (const words of shown(".cell > span, .button, button, .score, .names, .description, .text")) {
    const down = words.matches(".cell > span, button, .button") ? words.scrollHeight - words.clientHeight : 0;
    const over = Math.max(words.scrollWidth - words.clientWidth, down);
    if (words.clientWidth && over > 1) flaws.push(`its words run over by ${over}: ${said(words)}`);
  }

  for (const group of shown(".cells, .chips, .bar, .ways")) {
    if (group.scrollWidth > group.clientWidth + 1 && !scrolls(group.firstElementChild))
      flaws.push(`${group.scrollWidth - group.clientWidth} wider than its place: ${said(group)}`);
    const cells = shown(".cell, button, .button", group);
    const boxes = cells.map((cell) => cell.getBoundingClientRect());
    boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b, j) => {
      const gap = Math.max(b.left - a.right, a.left - b.right, b.top - a.bottom, a.top - b.bottom);
      if (gap < apart - about) flaws.push(`${gap.toFixed(1)} apart: ${said(cells[i])} and ${said(cells[i + 1 + j])}`);
    }));
  }

  const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = channels(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const faded = (element) => above(element, (style) => style.opacity !== "1");
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    if (!texts.currentNode.data.trim() || !element.checkVisibility() || faded(element)) continue;
    const style = getComputedStyle(element);
    const [a, b] = [light(channels(style.color)), light(ground(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const wanted = parseFloat(style.fontSize) >= 24 ? 3 : 4.5;
    if (contrast < wanted) flaws.push(`contrast of ${contrast.toFixed(1)}: ${said(element)}`);
  }
  return [...new Set(flaws)];
}
