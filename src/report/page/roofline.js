// The roofline: operations per second against operations per byte, both on logarithmic axes.

function amount(value, unit) {
  const prefixes = ["", "k", "M", "G", "T", "P"];
  let at = 0;
  while (value >= 1000 && at < prefixes.length - 1) {
    value /= 1000;
    ++at;
  }
  return `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} ${prefixes[at]}${unit}`;
}

const axisAmount = (value) => amount(value, "").trim().replace(/\.0+ /, " ");

// Moves labels down until none touches another.
function apart(labels, least) {
  labels.sort((a, b) => a.y - b.y);
  for (let i = 1; i < labels.length; ++i) labels[i].y = Math.max(labels[i].y, labels[i - 1].y + least);
  return labels;
}

function rooflineChart(roofline, us) {
  const { memories, units } = roofline;
  const points = units.flatMap((unit) => memories.map((memory) => ({
    unit, memory, x: unit.operations / memory.bytes, y: unit.operations / us,
  })));
  const roofs = units.map((unit) => unit.operations_per_us);
  const knees = memories.flatMap((memory) => roofs.map((roof) => roof / memory.bytes_per_us));
  const xs = [...points.map((p) => p.x), ...knees];
  const x0 = Math.floor(Math.log2(Math.min(...xs)) - 1), x1 = Math.ceil(Math.log2(Math.max(...xs)) + 1.5);
  const top = Math.log10(Math.max(...roofs)) + 0.35;
  const floors = [...points.map((p) => p.y), ...memories.map((m) => m.bytes_per_us * 2 ** (x0 + 1))];
  const y0 = Math.log10(Math.min(...floors)) - 0.25;
  const wide = 420, high = 250, left = 44, right = 8, under = 34, over = 8;
  const X = (x) => left + ((Math.log2(x) - x0) / (x1 - x0)) * (wide - left - right);
  const Y = (y) => high - under - ((Math.log10(y) - y0) / (top - y0)) * (high - under - over);
  const steps = [];
  for (let e = x0, by = Math.max(1, Math.ceil((x1 - x0) / 7)); e <= x1; e += by) steps.push(e);
  const levels = [];
  for (let e = Math.floor(y0); e <= top; ++e)
    for (const m of top - y0 < 1.6 ? [1, 2, 5] : [1]) levels.push(m * 10 ** e);
  const best = Math.max(...roofs);
  const memoryLines = memories.map((m) => {
    const start = Math.max(2 ** x0, 10 ** y0 / m.bytes_per_us), knee = best / m.bytes_per_us;
    return { m, d: `M${X(start)} ${Y(start * m.bytes_per_us)} L${X(knee)} ${Y(best)}` };
  });
  const labels = apart(units.map((u) => ({ u, y: Y(u.operations_per_us) - 5 })), 13);
  return s("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": "Roofline: " + points.map((p) =>
    `${p.unit.name} at ${number(p.x)} operations per byte of ${p.memory.name}, ${amount(p.y * 1e6, "op/s")}`).join("; ") },
    steps.map((e) => [s("line", { class: "axis", x1: X(2 ** e), x2: X(2 ** e), y1: over, y2: high - under }),
      s("text", { x: Math.min(X(2 ** e), wide - 16), y: high - under + 14, "text-anchor": "middle" }, e < 0 ? `1/${2 ** -e}` : String(2 ** e))]),
    levels.filter((y) => Math.log10(y) >= y0 + 0.02 && Math.log10(y) < top).map((y) => [
      s("line", { class: "axis", x1: left, x2: wide - right, y1: Y(y), y2: Y(y) }),
      s("text", { x: left - 6, y: Y(y) + 4, "text-anchor": "end" }, axisAmount(y * 1e6))]),
    memoryLines.map(({ d }) => s("path", { d, class: "roof" })),
    units.map((u) => s("line", { class: "roof", x1: X(u.operations_per_us / Math.max(...memories.map((m) => m.bytes_per_us))),
      x2: wide - right, y1: Y(u.operations_per_us), y2: Y(u.operations_per_us) })),
    labels.map(({ u, y }) => s("text", { x: wide - right, y, "text-anchor": "end", class: "halo" }, u.name)),
    memoryLines.map(({ m }) => {
      const at = Math.max(2 ** (x0 + 0.6), (10 ** (y0 + 0.35)) / m.bytes_per_us);
      const slope = Math.atan2(Y(m.bytes_per_us) - Y(2 * m.bytes_per_us), X(2) - X(1)) * (180 / Math.PI);
      return s("text", { class: "halo", transform: `translate(${X(at)} ${Y(at * m.bytes_per_us) - 5}) rotate(${-slope})` }, m.name);
    }),
    points.map((p) => s("circle", { cx: X(p.x), cy: Y(p.y), r: 5.5, class: "point " + (p.memory === memories[0] ? "full" : "open"),
      style: `--c:${pipeColour(p.unit.name.startsWith("Cube") ? "M" : "V")}` },
      s("title", {}, `${p.unit.name}: ${number(p.x)} operations per byte of ${p.memory.name}, ${amount(p.y * 1e6, "op/s")}`))),
    s("text", { x: (left + wide) / 2, y: high - 4, "text-anchor": "middle" }, "operations per byte"),
    s("text", { x: left + 5, y: over + 9, class: "halo" }, "operations per second"));
}

// What share of each peak the launch reaches, as bars.
function peakBars(roofline, us) {
  const rows = [
    ...roofline.memories.map((m) => [m.name, amount(m.bytes, "B"), m.bytes / us / m.bytes_per_us, amount(m.bytes_per_us * 1e6, "B/s"), "MTE2"]),
    ...roofline.units.map((u) => [u.name, amount(u.operations, "op"), u.operations / us / u.operations_per_us,
      amount(u.operations_per_us * 1e6, "op/s"), u.name.startsWith("Cube") ? "M" : "V"]),
  ];
  return h("table", { class: "bars" }, h("tbody", {}, rows.map(([name, all, share, peak, pipe]) => h("tr", {},
    h("th", { scope: "row" }, name), h("td", { class: "n" }, all),
    h("td", { class: "bar-cell" }, h("span", { class: "meter", style: `--part:${(100 * Math.min(1, share)).toFixed(1)}%;--c:${pipeColour(pipe)}` })),
    h("td", { class: "n" }, `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`), h("td", { class: "sub-cell" }, "of " + peak)))));
}
