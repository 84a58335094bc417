// Return the parts of the page that scroll sideways but that the keyboard cannot scroll, or that have no label.
() => {
  const isScroller = (element) =>
    /auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth + 1;
  const isLabelled = (element) =>
    element.tabIndex === 0 && (element.ariaLabel || document.getElementById(element.getAttribute("aria-labelledby"))?.innerText);
  const isChoice = (element) => element.matches("fieldset:has(legend) *") && element.querySelector("input"); // arrows scroll it
  const describe = (element) => `${element.tagName}.${element.className} ${element.innerText.trim().slice(0, 40)}`;
  const scrollers = [...document.querySelectorAll("main *")].filter(isScroller);
  return scrollers.filter((element) => !element.matches("input, textarea, select")).map((element) => ({
    what: describe(element), isReachable: Boolean(isLabelled(element) || isChoice(element)), isChoice: Boolean(isChoice(element)),
  }));
};
