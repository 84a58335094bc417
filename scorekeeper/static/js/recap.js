// Draws a recap as an image to save or to share, with the phone's own fonts, which have every name and emoji.

const WIDTH = 1080;
const MIN_HEIGHT = 1350; // 4 to 5, as messengers show without cutting
const MARGIN = 108;
const GAP = 36; // between paragraphs
const INK = "#2a2018", FAINT = "#6a5a45", ACCENT = "#96281f", PAPER = "#f4ecda", SHEET = "#fcf7ea"; // the light ones of main.css
// Size, weight and colour of each kind of line.
const STYLES = {
  title: [72, 600, INK], day: [40, 400, FAINT], subtitle: [38, 400, FAINT], name: [46, 600, INK], players: [42, 400, INK],
  winner: [54, 600, ACCENT], result: [44, 400, INK], balance: [42, 400, INK], heading: [38, 600, FAINT],
  payment: [44, 400, INK], plain: [36, 400, FAINT],
};
const SUITS = [
  [78, 80, INK, "M0-10C-3-5.5-9-2-9 3C-9 6-6.8 7.5-4.8 7.5C-3.2 7.5-1.8 6.8-1 5.5C-1.2 7.5-2 9-3.5 10H3.5C2 9 1.2 7.5 1 5.5C1.8 6.8 3.2 7.5 4.8 7.5C6.8 7.5 9 6 9 3C9-2 3-5.5 0-10Z"],
  [-78, 80, ACCENT, "M0 9C-3 5-9 1-9-4C-9-7.5-6.5-9-4.5-9C-2.5-9-.7-7.8 0-5.5C.7-7.8 2.5-9 4.5-9C6.5-9 9-7.5 9-4C9 1 3 5 0 9Z"],
  [78, -80, ACCENT, "M0-10.5Q3-4.5 7.5 0Q3 4.5 0 10.5Q-3 4.5-7.5 0Q-3-4.5 0-10.5Z"],
  [-78, -80, INK, "M0-10A4.6 4.6 0 0 1 3.4-2.3A4.6 4.6 0 1 1 1 4.2C1.2 7 2 9 3.5 10H-3.5C-2 9-1.2 7-1 4.2A4.6 4.6 0 1 1-3.4-2.3A4.6 4.6 0 0 1 0-10Z"],
];

for (const section of document.querySelectorAll("[data-recap]")) show(section);

async function show(section) {
  const canvas = section.querySelector("canvas");
  draw(canvas, JSON.parse(section.dataset.recap));
  section.hidden = false;
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  section.querySelector("a[download]").href = URL.createObjectURL(blob);
  const files = [new File([blob], "recap.png", { type: "image/png" })];
  const button = section.querySelector("button");
  button.hidden = !navigator.canShare?.({ files });
  button.addEventListener("click", () => navigator.share({ files }).catch(() => {})); // the reader closed the sheet
}

function draw(canvas, paragraphs) {
  const context = canvas.getContext("2d");
  const pieces = place(context, paragraphs);
  const bottom = pieces.at(-1)?.y ?? 0;
  canvas.width = WIDTH;
  canvas.height = Math.max(MIN_HEIGHT, bottom + 2 * 120);
  drawCard(context, canvas.height);
  context.translate(0, Math.max(120, (canvas.height - bottom) / 2)); // a short recap is in the middle of its card
  for (const { text, x, y, align, style, isBold, isRuled } of pieces) {
    setFont(context, style, isBold);
    context.textAlign = align;
    context.fillText(text, x, y);
    if (isRuled) context.fillRect(MARGIN, y + 18, WIDTH - 2 * MARGIN, 1);
  }
}

function drawCard(context, height) {
  context.fillStyle = PAPER;
  context.fillRect(0, 0, WIDTH, height);
  context.fillStyle = SHEET;
  context.fillRect(32, 32, WIDTH - 64, height - 64);
  context.strokeStyle = INK;
  for (const [inset, width] of [[32, 4], [44, 1.5]]) {
    context.lineWidth = width;
    context.strokeRect(inset, inset, WIDTH - 2 * inset, height - 2 * inset);
  }
  for (const [x, y, colour, path] of SUITS) {
    context.setTransform(1.7, 0, 0, 1.7, (x + WIDTH) % WIDTH, (y + height) % height);
    context.fillStyle = colour;
    context.fill(new Path2D(path));
  }
  context.resetTransform();
}

// Returns the pieces of text with their places; `y` counts from the first line's top.
function place(context, paragraphs) {
  const pieces = [];
  let y = 0;
  const write = (text, style, align, isBold) => {
    setFont(context, style, isBold);
    const x = { start: MARGIN, center: WIDTH / 2, end: WIDTH - MARGIN }[align];
    for (const line of wrap(context, text)) pieces.push({ text: line, x, y: (y += style[0] * 1.4), align, style, isBold });
  };
  for (const lines of paragraphs) {
    for (const { role, text, value, whole } of lines) {
      if (role === "balance") {
        write(text, STYLES.balance, "start");
        y -= STYLES.balance[0] * 1.4; // the amount stands at the end of the same line
        write(value, STYLES.balance, "end", true);
        pieces.at(-1).isRuled = true;
      } else if (role === "title") {
        write(text, STYLES.title, "center");
        if (value) write(value, STYLES.day, "center");
      } else {
        write(whole, STYLES[role], "center");
      }
    }
    y += GAP;
  }
  return pieces;
}

function setFont(context, [size, weight, colour], isBold) {
  context.font = `${isBold ? 600 : weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  context.fillStyle = colour;
}

function wrap(context, text) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (lines.at(-1) && context.measureText(longer).width > WIDTH - 2 * MARGIN) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines;
}
