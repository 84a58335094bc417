// Whose words cannot be read: they reach beyond the screen, or are cut off in their own box, and nothing scrolls there.
() => {
  const scrolls = (one) => one && (/auto|scroll/.test(getComputedStyle(one).overflowX) || scrolls(one.parentElement));
  const isLost = (one) => {
    const box = one.getBoundingClientRect();
    if (!box.width || one.closest(".visually-hidden, [hidden]") || !one.innerText?.trim() || scrolls(one)) return false;
    const isCut = getComputedStyle(one).overflow === "hidden" && one.scrollWidth > one.clientWidth + 1;
    return box.right > innerWidth + 1 || isCut;
  };
  const told = (one) => `${one.tagName}.${one.className} ${one.innerText.slice(0, 40)}`;
  return [...document.querySelectorAll("body *")].filter(isLost).map(told);
};
