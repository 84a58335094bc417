// Buttons that copy a text. Without HTTPS there is no clipboard for scripts: the text can then be selected by hand.

for (const button of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) continue;
  button.hidden = false;
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(button.dataset.copy).then(() => (button.textContent = button.dataset.copied), () => {});
  });
}
