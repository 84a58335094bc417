// Make words as long as names may be: replace the longest word of each text by one without a place to break it.
() => {
  const long = "Donaudampfschifffahrtsgesellschaftsabend"; // 40 letters, a name's maximum
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (text.parentElement.closest("svg, script, template, textarea, td:not(.text), [data-clock]")) continue; // numbers with their units
    const words = text.data.match(/\p{L}{5,}/gu) ?? [];
    const longest = words.reduce((a, b) => (b.length > a.length ? b : a), "");
    if (longest) text.data = text.data.replace(longest, long);
  }
};
