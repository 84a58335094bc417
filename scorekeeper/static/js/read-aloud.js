// Reads aloud what was recorded, the score and who deals next, in the browser's own voice. The server puts it into words.

const LAST = "scorekeeper.last-read"; // in localStorage: the table and revision, which no other window reads again
const language = document.documentElement.lang;

document.addEventListener("table-changed", ({ detail }) => read(detail));
document.addEventListener("visibilitychange", () => document.hidden && speechSynthesis.cancel());
window.addEventListener("pagehide", () => speechSynthesis.cancel());
speechSynthesis.getVoices(); // some browsers look for them only when they are asked
if (!("cached" in document.documentElement.dataset)) read(document.querySelector("main [data-spoken]"));

function read(news) {
  if (!news || document.hidden || localStorage.getItem("scorekeeper.read-aloud") !== "on") return;
  if (localStorage.getItem(LAST) === news.dataset.spoken) return;
  localStorage.setItem(LAST, news.dataset.spoken);
  say(news.textContent.trim());
}

// What is being said is out of date: it is broken off.
export function say(text) {
  speechSynthesis.cancel();
  if (!text) return;
  const utterance = new SpeechSynthesisUtterance(text);
  utterance.lang = language;
  const voice = voiceOf(language) ?? voiceOf(language.split("-")[0]);
  if (voice) utterance.voice = voice;
  speechSynthesis.speak(utterance);
}

function voiceOf(tag) {
  const tagOf = (voice) => voice.lang.replace("_", "-").toLowerCase();
  return speechSynthesis.getVoices().find((voice) => `${tagOf(voice)}-`.startsWith(`${tag.toLowerCase()}-`));
}
