// Return the names, scores and marks on the display whose boxes meet, or that reach over the edge.
() => {
  const parts = [...document.querySelectorAll(".display :is(.name, .side, .score, .marks, .laid)")].filter((part) => part.innerText.trim() || part.children.length);
  const isHidden = (node) => node.parentElement.closest(".visually-hidden");
  const boxesOf = (part) => {
    if (!part.matches(".name")) return [part.getBoundingClientRect()];
    const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
    const boxes = [];
    while (texts.nextNode()) {
      if (isHidden(texts.currentNode)) continue;
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      boxes.push(...range.getClientRects());
    }
    return boxes;
  };
  const depthOf = (a, b) => Math.min(Math.min(a.right, b.right) - Math.max(a.left, b.left), Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top));
  const isOver = (box) => box.left < -1 || box.top < -1 || box.right > innerWidth + 1 || box.bottom > innerHeight + 1;
  const describe = (part) => `${part.className} ${part.innerText.trim()}`;
  const flaws = [];
  parts.forEach((part, place) => {
    if (boxesOf(part).some(isOver)) flaws.push(`over the edge: ${describe(part)}`);
    for (const other of parts.slice(place + 1)) {
      if (part.contains(other) || other.contains(part)) continue;
      const depth = Math.max(...boxesOf(part).flatMap((a) => boxesOf(other).map((b) => depthOf(a, b))));
      if (depth > 3) flaws.push(`${describe(part)} meets ${describe(other)} by ${depth.toFixed(0)}`);
    }
  });
  return flaws;
};
