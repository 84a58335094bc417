// Notes what gets each click, has every preview come while something is pressed, and keeps the page from being left.
(() => {
  let clicked = null;
  let isDown = false;
  let changes = 0;
  let previewed = 0; // of these
  const { fetch } = window;
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const until = async (isSo) => {
    for (const end = Date.now() + 1000; !isSo() && Date.now() < end; ) await pause(5);
  };
  addEventListener("click", ({ target }) => (clicked = target), true);
  addEventListener("click", (event) => event.target.closest("a") && event.preventDefault());
  addEventListener("submit", (event) => {
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
  for (const kind of ["change", "input"]) addEventListener(kind, () => (changes += 1), true);
  for (const kind of ["pointerdown", "pointerup"]) addEventListener(kind, () => (isDown = kind === "pointerdown"), true);
  window.fetch = async (...request) => {
    const now = changes;
    try {
      const answer = await fetch(...request);
      if (request[1]?.body) await until(() => isDown);
      return answer;
    } finally {
      if (request[1]?.body) previewed = now;
    }
  };

  // Of each group a choice, of several groups of a kind the first and the last; every button, link and fold.
  window.listControls = () => {
    const names = [...new Set([...document.querySelectorAll(".cell input")].map((cell) => cell.name))];
    const kind = (name) => name?.replace(/\d+$/, "");
    const isEnd = (name, place) => [names[place - 1], names[place + 1]].some((other) => kind(name) !== kind(other));
    const choices = names.filter(isEnd).map((name) => `.cell input[name="${name}"]`);
    const others = ["[data-takes]", "input.amount", "details.more > summary", "details.aside > summary", "[data-zeros] button",
      "button[value=announce]", "button[value=misdeal]", "#main-action", "a.home"];
    return [...choices, ...others].filter((control) => document.querySelector(control));
  };

  // The centre of a control that can be tapped, in sight; null if there is none now. Nothing else is unfolded.
  window.placeOf = async (control) => {
    const found = [...document.querySelectorAll(control)].find((each) => !each.disabled && !each.closest("[hidden]"));
    if (!found) return null;
    const around = found.parentElement.closest("details");
    if (around && !around.open && !found.matches("summary")) {
      around.open = true;
      await pause(50); // until the pad has brought it into sight
    }
    const middle = () => {
      const { x, y, width, height } = found.getBoundingClientRect();
      return [x + width / 2, y + height / 2];
    };
    const isOnTop = () => found.contains(document.elementFromPoint(...middle()));
    if (!isOnTop()) found.scrollIntoView({ block: "center" });
    clicked = null;
    return isOnTop() ? middle() : null;
  };

  window.previewCame = async () => {
    if (previewed === changes) return;
    await until(() => previewed === changes);
    await pause(20); // until it is shown
  };

  // What got the click: nothing if it was the control.
  window.gotClick = async (control) => {
    await until(() => clicked);
    await pause(5); // until what it does itself is done
    return clicked?.closest(control) ? "" : (clicked?.outerHTML.slice(0, 80) ?? "nothing");
  };
})();
