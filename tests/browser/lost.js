// Return the elements whose text is cut off by the screen or by their own box, without a way to scroll.
() => {
  const isScrollable = (element) =>
    element && (/auto|scroll/.test(getComputedStyle(element).overflowX) || isScrollable(element.parentElement));
  const isCutOff = (element) => {
    const box = element.getBoundingClientRect();
    if (!box.width || element.closest(".visually-hidden, [hidden]") || !element.innerText?.trim() || isScrollable(element)) return false;
    const isClipped = getComputedStyle(element).overflow === "hidden" && element.scrollWidth > element.clientWidth + 1;
    return box.right > innerWidth + 1 || isClipped;
  };
  const describe = (element) => `${element.tagName}.${element.className} ${element.innerText.slice(0, 40)}`;
  return [...document.querySelectorAll("body *")].filter(isCutOff).map(describe);
};
