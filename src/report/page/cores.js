// All cores of the launch in one picture, and the chosen window on it.

const CORE_LABEL = 58;

// How high a row is, so that all of them fit.
function overviewRows(spans) {
  const count = spans.coreList.reduce((sum, core) => sum + shownRows(spans, core).length, 0);
  const room = 340 - spans.coreList.length;
  const high = [9, 7, 5, 4, 3, 2, 1.5].find((one) => one * count <= room) || 1;
  let y = 4;
  const cores = spans.coreList.map((core) => {
    const rows = shownRows(spans, core), top = y;
    y += rows.length * high + 1;
    return { core, rows, top, bottom: y - 1 };
  });
  return { cores, high, bottom: y };
}
// The scalar unit's row only where it is alone: it is at work nearly all the time.
function shownRows(spans, core) {
  const rows = spans.rows.get(core);
  const others = rows.filter((row) => row.pipe !== "S");
  return others.length ? others : rows;
}

function paintShares(context, layout, range, wide, scale, colour) {
  const left = Math.round(CORE_LABEL * scale), columns = Math.round(wide * scale) - left;
  const high = Math.ceil(layout.bottom * scale);
  if (columns <= 0) return;
  const image = context.createImageData(columns, high);
  const pixels = new Uint32Array(image.data.buffer);
  const shares = new Float32Array(columns);
  const ground = channels(colour.card);
  for (const { rows, top } of layout.cores)
    rows.forEach((row, place) => {
      row.shares(range[0], range[1], columns, shares);
      const ink = channels(colour.pipe[row.pipe]);
      const from = Math.round((top + place * layout.high) * scale);
      const to = Math.max(from + 1, Math.round((top + (place + 1) * layout.high) * scale));
      for (let x = 0; x < columns; ++x) {
        if (shares[x] === 0) continue;
        const part = 0.16 + 0.84 * shares[x]; // what is there at all is seen
        let value = 0xff000000;
        for (let c = 0; c < 3; ++c) value |= Math.round(ground[c] + (ink[c] - ground[c]) * part) << (8 * c);
        for (let y = from; y < to; ++y) pixels[y * columns + x] = value;
      }
    });
  context.putImageData(image, left, 0);
}


class Overview {
  constructor(view) {
    this.view = view;
    this.layout = overviewRows(view.spans);
    this.range = null; // null: the whole launch
    this.picture = null;
    this.surface = new Surface(
      `Work of ${view.spans.coreList.length} cores over ${view.spans.until.toFixed(2)} microseconds`,
      () => this.layout.bottom + 22, (...args) => this.paint(...args));
    const timeAt = (x) => {
      const [from, to] = this.shown();
      return from + ((x - CORE_LABEL) / (this.surface.wide - CORE_LABEL)) * (to - from);
    };
    this.chosen = null;
    steer(this.surface, view, timeAt, (start, last, now, done) => {
      this.chosen = done ? null : [timeAt(start), timeAt(now)].sort((a, b) => a - b);
      if (done) view.set(...[timeAt(start), timeAt(now)].sort((a, b) => a - b));
      else this.surface.ask();
    }, (x, y) => {
      const hit = this.coreAt(y);
      if (hit === null) return;
      const length = view.to - view.from, middle = Math.max(0, timeAt(x));
      view.core = hit;
      if (length < view.spans.until * 0.999) view.set(middle - length / 2, middle + length / 2);
      else view.changed();
    });
    this.x = (time) => {
      const [from, to] = this.shown();
      return CORE_LABEL + ((time - from) / (to - from)) * (this.surface.wide - CORE_LABEL);
    };
    view.listeners.push(() => this.surface.ask());
  }
  shown() { return this.range || [0, this.view.spans.until || 1]; }
  coreAt(y) {
    const at = this.layout.cores.find((core) => y < core.bottom + 1);
    return at ? at.core : null;
  }
  zoomToWindow(on) {
    this.range = on ? [this.view.from, this.view.to] : null;
    this.surface.ask();
  }

  paint(context, wide, high, scale) {
    const colour = colours(), { view, layout } = this;
    if (this.range) this.range = [view.from, view.to];
    const key = [wide, scale, colour.card, ...this.shown()].join();
    if (!this.picture || this.picture.key !== key) {
      const kept = document.createElement("canvas");
      kept.width = context.canvas.width;
      kept.height = context.canvas.height;
      paintShares(kept.getContext("2d"), layout, this.shown(), wide, scale, colour);
      this.picture = { key, kept };
    }
    context.drawImage(this.picture.kept, 0, 0, wide, high);
    this.paintLabels(context, colour);
    axis(context, this.shown(), CORE_LABEL, wide, layout.bottom + 2, colour, "us");
    this.paintWindow(context, wide, colour);
  }
  paintLabels(context, colour) {
    const { cores } = this.layout, { view } = this;
    context.font = "11px system-ui, sans-serif";
    const own = cores.find((c) => c.core === view.core);
    const middle = (c) => (c.top + c.bottom) / 2 + 4;
    const y = own ? Math.max(11, middle(own)) : -99;
    context.fillStyle = colour.ink;
    if (own) context.fillText("core " + own.core, 0, y);
    context.fillStyle = colour.soft;
    let free = -99;
    for (const c of cores) {
      const at = Math.max(11, middle(c));
      if (c === own || at - free < 24 || Math.abs(at - y) < 14) continue;
      context.fillText("core " + c.core, 0, at);
      free = at;
    }
    if (!own) return;
    context.fillStyle = colour.accent;
    context.fillRect(CORE_LABEL - 5, own.top, 3, Math.max(2, own.bottom - own.top));
  }
  paintWindow(context, wide, colour) {
    const { view, layout } = this;
    const [from, to] = this.chosen || [view.from, view.to];
    if (!this.chosen && (this.range || to - from >= view.spans.until * 0.999)) return;
    const a = this.x(from), b = Math.max(a + 2, this.x(to));
    context.globalAlpha = 0.55;
    context.fillStyle = colour.card;
    context.fillRect(CORE_LABEL, 0, a - CORE_LABEL, layout.bottom);
    context.fillRect(b, 0, wide - b, layout.bottom);
    context.globalAlpha = 1;
    context.strokeStyle = colour.accent;
    context.lineWidth = 1.5;
    context.strokeRect(a, 1, b - a, layout.bottom - 2);
  }
}
