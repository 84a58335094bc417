// Keys for numbers on the pad: in reach of a thumb, with a minus sign, which phones' own keys for digits may lack.

import { untilStill } from "./live.js";

export function keypad(form) {
  const keys = form.querySelector("[data-keypad]");
  const fields = () => [...form.querySelectorAll("[data-amount]")];
  const isTouched = matchMedia("(pointer: coarse)").matches; // a device with a mouse has a keyboard
  let field = null; // that the keys type into

  const notice = async ({ target }) => {
    if (target.closest("[data-keypad]")) return;
    field = target.matches("[data-amount]") ? target : null;
    await untilStill();
    keys.hidden = !field || !isTouched;
    const isCovered = field && field.getBoundingClientRect().bottom > keys.closest(".bar").getBoundingClientRect().top;
    if (isCovered && !keys.hidden) field.scrollIntoView({ block: "center" });
  };
  form.addEventListener("focusin", notice);
  notice({ target: document.activeElement });
  form.addEventListener("pointerdown", ({ target }) => {
    if (target.matches("[data-amount]")) keepKeyboardAway(target);
  });

  // The field keeps the focus, so that its caret shows where one types, and nothing moves away below the finger.
  form.addEventListener("pointerdown", (event) => {
    if (event.target.closest("[data-keypad], [data-zeros]")) event.preventDefault();
  });
  keys.addEventListener("click", (event) => {
    const { key, add, number: whole } = event.target.closest("button")?.dataset ?? {};
    if (!field) return;
    if (add) write(String(number() + BigInt(add)).replace("-", "−"));
    else if (whole) {
      write(whole.replace("-", "−"));
      goOn();
    }
    else if (!key) return;
    else if (key === "next") goOn();
    else if (key === "sign") write(field.value.startsWith("−") ? field.value.slice(1) : `−${field.value.replace(/^[-+]/, "")}`);
    else if (key === "erase") write(field.value.slice(0, -1));
    else write(field.value + key);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("[data-amount]")) return;
    event.preventDefault(); // it would send the form
    goOn();
  });

  // A button enters 0 in every field that is empty, and is there as long as one is.
  form.addEventListener("click", (event) => {
    if (!event.target.closest("[data-zeros]")) return;
    event.preventDefault();
    for (const each of fields()) each.value ||= "0";
    fields()[0].dispatchEvent(new Event("input", { bubbles: true }));
    form.querySelector("#main-action").focus();
  });
  form.addEventListener("input", showZeros);
  showZeros();

  function showZeros() {
    for (const zeros of form.querySelectorAll("[data-zeros]")) zeros.hidden = fields().every((each) => each.value);
  }

  // What the field holds, as a number; 0 while it is none.
  function number() {
    const digits = field.value.replace(/^[−-]/, "-").replace(/^\+/, "");
    return /^-?\d+$/.test(digits) ? BigInt(digits) : 0n;
  }

  function write(text) {
    field.value = text.slice(0, field.maxLength);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  // The next field that is empty, or else the button that records.
  function goOn() {
    const all = fields();
    const place = all.indexOf(field);
    const empty = [...all.slice(place + 1), ...all.slice(0, place)].find((each) => !each.value);
    if (empty) keepKeyboardAway(empty);
    (empty ?? form.querySelector("#main-action")).focus();
  }

  // The device's own keyboard would cover the page.
  function keepKeyboardAway(each) {
    if (isTouched) each.inputMode = "none";
  }
}
