// Return what cannot be distinguished or seen on this page in forced colours, where backgrounds and shadows are gone.
() => {
  const flaws = [];
  const describe = (element) => `${element.tagName}.${element.className.baseVal ?? element.className} ${(element.innerText ?? "").trim().slice(0, 40)}`;
  const isVisible = (element) => element.checkVisibility() && !element.closest(".visually-hidden, .code") && element.getBoundingClientRect().width > 1;
  const visible = (selector) => [...document.querySelectorAll(selector)].filter(isVisible);

  // What is chosen, current, won, full or new must look different: each is switched, and its look compared.
  const SEEN = ["backgroundColor", "borderTop", "borderBottom", "borderInlineStart", "outline", "boxShadow", "textDecoration", "fontWeight"];
  const look = (element) => SEEN.map((name) => getComputedStyle(element)[name]).join(" ");
  const compare = (selector, change, part = (element) => element) => {
    for (const element of visible(selector)) {
      const before = look(part(element));
      change(element);
      const after = look(part(element));
      change(element);
      if (before === after) flaws.push(`looks the same when switched: ${describe(part(element))}`);
    }
  };
  const toggle = (name) => (element) => element.classList.toggle(name);
  const check = (input) => { input.checked = !input.checked; };
  // `rest` opens further cells, and looks the same then. A radio button that is checked stays so when it is checked again.
  for (const input of visible(".cell:not(.rest) input:checked")) input.checked = false;
  compare(".cell:not(.rest) input", check, (input) => input.nextElementSibling);
  compare(".chip", (chip) => chip.setAttribute("aria-pressed", chip.ariaPressed !== "true"));
  compare("[aria-current]", (link) => { link.ariaCurrent = link.was ?? null; link.was = link.was ? null : "page"; });
  compare(".rows li a", (link) => link.parentElement.classList.toggle("fresh"));
  for (const mark of [".pip", ".fiche"]) compare(mark, toggle("full"));
  compare(".laid i", toggle("aside"));

  const channels = (colour) => (colour.match(/rgba?\([^)]*\)/)?.[0].match(/[\d.]+/g) ?? [0, 0, 0, 0]).map(Number);
  const isSolid = (colour) => { const [, , , alpha = 1] = channels(colour); return alpha > 0.5; };
  const luminance = ([r, g, b]) => {
    const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * x + 0.7152 * y + 0.0722 * z;
  };
  const backdropOf = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement)
      if (isSolid(getComputedStyle(at).backgroundColor)) return getComputedStyle(at).backgroundColor;
    return getComputedStyle(document.documentElement).backgroundColor;
  };
  const isSeen = (colour, element) => {
    if (!isSolid(colour)) return false;
    const [a, b] = [luminance(channels(colour)), luminance(channels(backdropOf(element)))];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) >= 3;
  };

  // Marks are drawn by a background, a border or a ring, without text.
  for (const mark of visible("main :is(i, span)")) {
    if (mark.childNodes.length || mark.closest("svg, label, template")) continue;
    const style = getComputedStyle(mark);
    const colours = [style.backgroundColor];
    if (style.borderTopStyle !== "none") colours.push(style.borderTopColor);
    if (style.boxShadow !== "none") colours.push(style.boxShadow);
    if (!colours.some((colour) => isSeen(colour, mark))) flaws.push(`is not seen: ${describe(mark)} in ${describe(mark.parentElement)}`);
  }
  for (const shape of visible("main svg :is(path, line, polyline, circle, rect, text)")) {
    const { fill, stroke } = getComputedStyle(shape);
    const svg = shape.closest("svg");
    if (![fill, stroke].some((colour) => isSeen(colour, svg))) flaws.push(`is not seen: ${shape.tagName} in ${describe(svg)}`);
  }

  const shapes = ["ns", "ew"].map((side) => document.querySelector(`main :is(.${side} .side-mark, .side-mark.${side})`));
  const corner = (mark) => getComputedStyle(mark).borderTopLeftRadius;
  if (shapes.every(Boolean) && corner(shapes[0]) === corner(shapes[1])) flaws.push("both sides have the same mark");
  return [...new Set(flaws)];
};
