// Return what does not fit a screen of this width: the page itself, and elements whose text is cut off by the screen
// or by their own box without a way to scroll. A phone widens its window for a page that is too wide, so the width is given.
(width) => {
  const isScrollable = (element) =>
    element && (/auto|scroll/.test(getComputedStyle(element).overflowX) || isScrollable(element.parentElement));
  const isCutOff = (element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest(".visually-hidden, .skip, [hidden], svg") || !element.innerText?.trim() || isScrollable(element)) return false;
    const isClipped = getComputedStyle(element).overflow === "hidden" && element.scrollWidth > element.clientWidth + 1;
    return box.right > width + 1 || box.left < -1 || isClipped;
  };
  const describe = (element) => `${element.tagName}.${element.className} ${element.innerText.trim().slice(0, 40)}`;
  const isInnermost = (element, _, all) => !all.some((other) => other !== element && element.contains(other));
  const lost = [...document.querySelectorAll("body *")].filter(isCutOff).filter(isInnermost).map(describe);
  const across = document.documentElement.scrollWidth;
  return across > width ? [`the page is ${across} wide`, ...lost] : lost;
};
