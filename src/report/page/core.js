// A window into one core: instructions, what pipes wait for, and the critical path.

const ROW = 34, ROW_LABEL = 58, BAR = 24;

class CoreView {
  constructor(view, tell) {
    this.view = view;
    this.tell = tell; // shows what a span is, near the pointer or as the chosen one
    this.width = new Map();
    this.surface = new Surface(
      "Instructions of one core by pipe; keys: arrows, plus, minus, n and p",
      () => this.rows().length * ROW + 24, (...args) => this.paint(...args));
    const { canvas } = this.surface;
    const timeAt = (x) => view.from + ((x - ROW_LABEL) / (this.surface.wide - ROW_LABEL)) * (view.to - view.from);
    steer(this.surface, view, timeAt, (start, last, now) => {
      const by = timeAt(last) - timeAt(now);
      view.set(view.from + by, view.to + by);
    }, (x, y) => view.select(this.at(x, y)));
    canvas.addEventListener("pointermove", (event) => {
      const box = canvas.getBoundingClientRect();
      const span = event.buttons ? -1 : this.at(event.clientX - box.left, event.clientY - box.top);
      canvas.style.cursor = span >= 0 ? "pointer" : "grab";
      tell(span, event.clientX, event.clientY);
    });
    canvas.addEventListener("pointerleave", () => tell(-1));
    view.listeners.push(() => this.surface.ask());
  }
  rows() { return this.view.spans.rows.get(this.view.core) || []; }
  x(time) {
    return ROW_LABEL + ((time - this.view.from) / (this.view.to - this.view.from)) * (this.surface.wide - ROW_LABEL);
  }

  // The span at a point, -1: none. A pixel's width either way counts.
  at(x, y) {
    const row = this.rows()[Math.floor((y - 4) / ROW)];
    if (!row || x < ROW_LABEL) return -1;
    const { spans } = this.view;
    const per = (this.view.to - this.view.from) / (this.surface.wide - ROW_LABEL);
    const time = this.view.from + (x - ROW_LABEL) * per;
    for (const [list, begins] of [[row.index, row.begin], [row.waits, row.waitBegin]])
      for (let k = lowerBound(begins, time + per) - 1, tries = 0; k >= 0 && tries < 4; --k, ++tries)
        if (spans.end(list[k]) >= time - per) return list[k];
    return -1;
  }

  paint(context, wide, high) {
    const colour = colours(), rows = this.rows(), { view } = this;
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    rows.forEach((row, place) => {
      const top = 4 + place * ROW;
      context.fillStyle = colour.soft;
      context.fillText(row.pipe, 0, top + BAR / 2 + 1);
      context.fillStyle = colour.line;
      context.fillRect(ROW_LABEL, top + BAR + 5, wide - ROW_LABEL, 1);
      context.save();
      context.beginPath();
      context.rect(ROW_LABEL, top - 3, wide - ROW_LABEL, ROW);
      context.clip();
      this.paintWaits(context, row, top, colour);
      this.paintWork(context, row, top, wide, colour);
      context.restore();
    });
    context.save();
    context.beginPath();
    context.rect(ROW_LABEL, 0, wide - ROW_LABEL, rows.length * ROW + 4);
    context.clip();
    this.paintPath(context, rows, colour);
    this.paintSelected(context, rows, colour);
    context.restore();
    context.textBaseline = "alphabetic";
    axis(context, [view.from, view.to], ROW_LABEL, wide, rows.length * ROW + 3, colour, "us");
  }

  paintWork(context, row, top, wide, colour) {
    const { view } = this, { spans } = view;
    // Copies overlap the next one by their latency: the one before may still be there.
    const first = Math.max(0, lowerBound(row.begin, view.from) - 2), last = lowerBound(row.begin, view.to);
    const columns = Math.max(1, Math.floor(wide - ROW_LABEL));
    context.fillStyle = colour.pipe[row.pipe] || colour.soft;
    if (last - first > columns) {
      const shares = new Float32Array(columns);
      row.shares(view.from, view.to, columns, shares);
      for (let x = 0; x < columns; ++x) {
        if (!shares[x]) continue;
        context.globalAlpha = 0.2 + 0.8 * shares[x];
        context.fillRect(ROW_LABEL + x, top, 1, BAR);
      }
      context.globalAlpha = 1;
      return;
    }
    const labels = [];
    for (let k = first; k < last; ++k) {
      const i = row.index[k];
      const a = this.x(spans.begin[i]), b = this.x(spans.end(i));
      const own = spans.name(i) === "start";
      context.globalAlpha = own ? 0.35 : 1;
      const gap = b - a > 3 ? 0.75 : 0;
      context.fillRect(a, top, Math.max(0.75, b - a - gap), BAR);
      if (b - a > 24) labels.push([i, Math.max(a, ROW_LABEL), Math.min(b, wide)]);
    }
    context.globalAlpha = 1;
    for (const [i, a, b] of labels) this.label(context, spans.name(i), a, b, top, spans.name(i) === "start" ? colour.ink : colour["on-pipe"]);
  }
  // Only where all of it fits.
  label(context, text, a, b, top, ink) {
    if (!this.width.has(text)) this.width.set(text, context.measureText(text).width);
    if (this.width.get(text) + 10 > b - a) return;
    context.fillStyle = ink;
    context.fillText(text, a + 5, top + BAR / 2 + 1);
  }

  paintWaits(context, row, top, colour) {
    const { view } = this, { spans } = view, edge = this.surface.wide;
    const first = Math.max(0, lowerBound(row.waitBegin, view.from) - 1), last = lowerBound(row.waitBegin, view.to);
    if (last - first > 4000) return;
    for (let k = first; k < last; ++k) {
      const i = row.waits[k];
      const a = this.x(spans.begin[i]), b = this.x(spans.end(i));
      if (b - a < 1) continue;
      const after = spans.afterOf(i);
      context.fillStyle = colour.pipe[after] || colour.soft;
      context.globalAlpha = 0.28;
      context.fillRect(a, top + BAR / 2 - 2, b - a - 0.5, 4);
      context.globalAlpha = 1;
      this.label(context, "waits for " + after, Math.max(a, ROW_LABEL), Math.min(b, edge), top - 8, colour.soft);
    }
  }

  paintPath(context, rows, colour) {
    const { view } = this, { spans } = view;
    if (!spans.path.length || spans.pathCore() !== view.core) return;
    const first = Math.max(0, lowerBound(spans.pathBegin, view.from) - 2);
    const last = Math.min(spans.path.length, lowerBound(spans.pathBegin, view.to) + 1);
    const place = new Map(rows.map((row, i) => [row.pipe, 4 + i * ROW]));
    context.fillStyle = context.strokeStyle = colour.ink;
    context.lineWidth = 1.6;
    const fine = last - first <= 1500;
    let before = null;
    for (let k = first; k < last; ++k) {
      const i = spans.path[k], top = place.get(spans.pipeOf(i));
      if (top === undefined) continue;
      const a = this.x(spans.begin[i]), b = this.x(spans.end(i));
      context.fillRect(a, top + BAR, Math.max(0.5, b - a), 2.5);
      if (fine && before && before.top !== top) {
        const from = before.top + BAR + 1.5, to = top + BAR + 1.5, bend = Math.min(14, Math.max(3, a - before.x));
        context.beginPath();
        context.moveTo(before.x, from);
        context.bezierCurveTo(before.x + bend, from, a - bend, to, a, to);
        context.stroke();
      }
      before = { x: b, top };
    }
  }
  paintSelected(context, rows, colour) {
    const { spans, selected, core } = this.view;
    if (selected < 0 || spans.core[selected] !== core) return;
    const place = rows.findIndex((row) => row.pipe === spans.pipeOf(selected));
    const a = this.x(spans.begin[selected]), b = Math.max(a + 3, this.x(spans.end(selected)));
    context.strokeStyle = colour.ink;
    context.lineWidth = 2;
    context.strokeRect(a, 4 + place * ROW - 1, b - a, BAR + 2);
  }
}
