// A section with the window into one core, on the pages of a profile and of a record: what a span is, near the pointer
// and as the chosen one.
const us = (t) => (t >= 1000 ? t.toFixed(0) : t >= 100 ? t.toFixed(1) : t.toFixed(2)) + " µs";
const short = (file) => file.split("/").pop();
const placeOf = (file, line) => (file ? `${short(file)}:${line}` : "");

function facts(spans, i) {
  const [file, line] = spans.place(i), wait = spans.wait(i);
  const text = (file && data.sources[file] ? data.sources[file].split("\n")[line - 1] : "") || "";
  const why = wait ? `until ${spans.afterOf(i) === "other cores" ? "other cores came" : spans.afterOf(i) + " was done"}`
    : spans.afterOf(i) === spans.pipeOf(i) ? "" : `let begin by ${spans.afterOf(i)}`;
  return [
    h("strong", {}, wait ? `waits for ${spans.afterOf(i)}` : spans.name(i)), ` ${spans.pipeOf(i)}, core ${spans.core[i]}`, h("br"),
    `${spans.begin[i].toFixed(3)} to ${spans.end(i).toFixed(3)} µs, ${us(spans.length[i])}`, h("br"),
    [why, spans.onPath.has(i) && "on the critical path"].filter(Boolean).join("; "),
    text.trim() && h("code", {}, `${line}  ${text.trim()}`), !text.trim() && file && h("code", {}, placeOf(file, line)),
  ];
}

const legend = (spans) => {
  const seen = PIPES.filter((pipe) => spans.coreList.some((core) => spans.rows.get(core).some((row) => row.pipe === pipe)));
  return h("div", { class: "key" }, seen.map((pipe) => h("span", { style: `--c:${pipeColour(pipe)}` }, `${pipe} ${PIPE_WORDS[pipe]}`)));
};

// `above`: between the title and the drawing; `goTo(file, line)`: shows the line of a span that was chosen.
function coreSection(spans, view, above, goTo) {
  const tip = h("div", { class: "tip", hidden: true });
  const tell = (span, x, y) => {
    tip.hidden = span < 0;
    if (span < 0) return;
    tip.replaceChildren(...facts(spans, span).flat().filter(Boolean));
    const wide = tip.offsetWidth, high = tip.offsetHeight;
    tip.style.left = Math.max(6, Math.min(innerWidth - wide - 8, x + 14)) + "px";
    tip.style.top = (y + 18 + high > innerHeight ? y - high - 12 : y + 18) + "px";
  };
  const core = new CoreView(view, tell), title = h("h2", {}), chosen = h("p", { class: "chosen-span", role: "status" });
  const help = h("p", { class: "keys" }, KEYS.map(([keys, what]) => h("span", {}, keys.split(" ").map((k) => h("kbd", {}, k)), ` ${what}`)));
  const hint = "Click an instruction to keep it here; " + (spans.path.length ? "the dark line is the critical path, " : "") + "thin bars are waits.";
  let told = -2;
  const update = () => {
    title.textContent = `${spans.kind(view.core)} ${view.core}`.replace(/^./, (c) => c.toUpperCase()) + `, ${view.from.toFixed(2)} to ${view.to.toFixed(2)} µs`;
    if (told === view.selected) return;
    told = view.selected;
    chosen.replaceChildren(...(told < 0 ? [hint] : facts(spans, told).flat().filter(Boolean).map((part) => part instanceof HTMLBRElement ? " · " : part)));
    if (told >= 0 && spans.place(told)[0]) goTo(...spans.place(told));
  };
  view.listeners.push(update);
  update();
  document.body.append(tip);
  return h("section", { class: "card" }, title, above, core.surface.canvas, chosen, help);
}
