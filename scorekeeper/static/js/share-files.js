// Buttons that pass a file to the phone's share sheet, where it takes files of this type.

for (const button of document.querySelectorAll("[data-share-file]")) {
  const { shareFile: url } = button.dataset;
  if (navigator.canShare?.({ files: [imageFile(new Blob())] })) shareButton(button, url);
}

function shareButton(button, url) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    await share(url).catch((problem) => {
      if (problem.name !== "AbortError") location.assign(url);
    });
    button.disabled = false;
  });
}

// Without the image there is its address, which saves it or says what is wrong.
async function share(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`status ${response.status}`);
  await navigator.share({ files: [imageFile(await response.blob())] });
}

function imageFile(blob) {
  return new File([blob], "recap.png", { type: "image/png" });
}
