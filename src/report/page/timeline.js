// The timeline: spans in typed arrays, drawn on canvases. What is too small for a pixel is drawn as the share of that
// pixel's time in which the pipe is at work, from sums kept per row, so that a frame costs what it shows and not what
// there is.

const PIPES = ["S", "MTE2", "MTE1", "M", "FIX", "V", "MTE3"]; // in order of a tile's way
const PIPE_WORDS = {
  S: "scalar", MTE2: "load", MTE1: "L1 to L0", M: "Cube", FIX: "out of L0C", V: "vector", MTE3: "store",
};
const pipeColour = (pipe) => (PIPES.includes(pipe) ? `var(--${pipe.toLowerCase()})` : "var(--soft)");

function unpack(text, Type) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return new Type(bytes.buffer);
}

// The first place in [from, list.length] from which on list[i] >= value.
function lowerBound(list, value, from = 0) {
  let low = from, high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The spans of one pipe of one core, in order of time.
class Row {
  constructor(spans, core, pipe, indices) {
    this.core = core;
    this.pipe = pipe;
    indices.sort((a, b) => spans.begin[a] - spans.begin[b] || a - b);
    this.index = Uint32Array.from(indices.filter((i) => !spans.wait(i)));
    this.waits = Uint32Array.from(indices.filter((i) => spans.wait(i)));
    this.begin = Float64Array.from(this.index, (i) => spans.begin[i]);
    this.waitBegin = Float64Array.from(this.waits, (i) => spans.begin[i]);
    // The time at work in all spans before each, so that any stretch's share is a difference of two.
    this.busy = new Float64Array(this.index.length + 1);
    this.end = new Float64Array(this.index.length);
    for (let k = 0, until = 0; k < this.index.length; ++k) {
      const end = spans.end(this.index[k]);
      this.end[k] = Math.max(end, until);
      this.busy[k + 1] = this.busy[k] + Math.max(0, end - Math.max(until, this.begin[k]));
      until = this.end[k];
    }
  }

  // Time at work until then; `k`: how many of its spans have begun.
  busyUntil(time, k) {
    return k === 0 ? 0 : this.busy[k] - Math.max(0, this.end[k - 1] - time);
  }

  // For each of `columns` parts of [from, to): its share at work.
  shares(from, to, columns, out) {
    const step = (to - from) / columns;
    let k = lowerBound(this.begin, from);
    let before = this.busyUntil(from, k);
    for (let x = 0; x < columns; ++x) {
      const time = from + (x + 1) * step;
      if (k < this.begin.length && this.begin[k] < time) k = lowerBound(this.begin, time, k);
      const now = this.busyUntil(time, k);
      out[x] = Math.min(1, Math.max(0, (now - before) / step));
      before = now;
    }
  }
}

class Spans {
  constructor(packed, sites, path) {
    const c = packed.columns;
    Object.assign(this, { names: packed.names, pipes: packed.pipes, sites, cores: packed.cores, cube: packed.cube });
    this.together = packed.cube + packed.vector;
    this.begin = unpack(c.begin, Float64Array);
    this.length = unpack(c.length, Float32Array);
    this.core = unpack(c.core, Uint16Array);
    this.pipe = unpack(c.pipe, Uint8Array);
    this.what = unpack(c.what, Uint16Array);
    this.site = unpack(c.site, Uint32Array);
    this.count = packed.count;
    this.path = unpack(path, Uint32Array);
    this.pathBegin = Float64Array.from(this.path, (i) => this.begin[i]);
    this.onPath = new Set(this.path);
    this.until = 0;
    const lists = new Map();
    for (let i = 0; i < this.count; ++i) {
      this.until = Math.max(this.until, this.end(i));
      const key = this.core[i] * 16 + (this.pipe[i] & 15);
      if (!lists.has(key)) lists.set(key, []);
      lists.get(key).push(i);
    }
    this.rows = new Map(); // by core: its rows in the order of PIPES
    for (const [key, list] of lists) {
      const row = new Row(this, key >> 4, this.pipes[key & 15], list);
      if (!this.rows.has(row.core)) this.rows.set(row.core, []);
      this.rows.get(row.core).push(row);
    }
    for (const rows of this.rows.values()) rows.sort((a, b) => PIPES.indexOf(a.pipe) - PIPES.indexOf(b.pipe));
    this.coreList = [...this.rows.keys()].sort((a, b) => a - b);
  }
  end(i) { return this.begin[i] + this.length[i]; }
  wait(i) { return (this.what[i] & 0x8000) !== 0; }
  name(i) { return this.names[this.what[i] & 0x7fff]; }
  pipeOf(i) { return this.pipes[this.pipe[i] & 15]; }
  afterOf(i) { return this.pipes[this.pipe[i] >> 4]; }
  place(i) { return this.sites[this.site[i]] || ["", 0]; }
  kind(core) { return core % this.together < this.cube ? "Cube core" : this.cube ? "Vector core" : "core"; }
  pathCore() { return this.path.length ? this.core[this.path[0]] : this.coreList[0]; }
}

// Round numbers for an axis: about `many` of them.
function ticks(from, to, many) {
  const rough = (to - from) / Math.max(1, many);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const out = [];
  for (let t = Math.ceil(from / step - 1e-9) * step; t <= to + step * 1e-6; t += step) out.push(t);
  return { at: out, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
}

function axis(context, range, left, wide, y, colour, unit) {
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = colour.soft;
  context.strokeStyle = colour.line;
  const { at, digits } = ticks(range[0], range[1], (wide - left) / 110);
  const x = (time) => left + ((time - range[0]) / (range[1] - range[0])) * (wide - left);
  const suffix = context.measureText(" " + unit).width;
  let free = left - 8;
  at.forEach((time, i) => {
    const text = time.toFixed(digits);
    const half = context.measureText(text).width / 2;
    const end = i === at.length - 1;
    const middle = Math.min(Math.max(x(time), left + half), wide - half - (end ? suffix : 0));
    context.fillRect(Math.round(x(time)), y, 1, 4);
    if (middle - half < free + 8) return;
    context.fillText(end ? text + " " + unit : text, middle - half, y + 16);
    free = middle + half;
  });
}

// A canvas that is as wide as its parent and is drawn once a frame at most.
class Surface {
  constructor(label, height, draw) {
    this.canvas = h("canvas", { tabindex: 0, role: "img", "aria-label": label });
    this.context = this.canvas.getContext("2d");
    this.paint = draw;
    this.height = height;
    this.asked = false;
    new ResizeObserver(() => this.ask()).observe(this.canvas);
    document.documentElement.addEventListener("theme", () => this.ask());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.ask());
  }
  ask() {
    if (this.asked) return;
    this.asked = true;
    requestAnimationFrame(() => {
      this.asked = false;
      this.draw();
    });
  }
  draw() {
    const started = performance.now();
    const wide = this.canvas.clientWidth, high = this.height(wide), scale = devicePixelRatio || 1;
    if (!wide) return;
    this.canvas.style.height = high + "px";
    const pixels = [Math.round(wide * scale), Math.round(high * scale)];
    if (this.canvas.width !== pixels[0]) this.canvas.width = pixels[0];
    if (this.canvas.height !== pixels[1]) this.canvas.height = pixels[1];
    this.wide = wide;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.context.clearRect(0, 0, wide, high);
    this.paint(this.context, wide, high, scale);
    Surface.slowest = Math.max(Surface.slowest, performance.now() - started);
    ++Surface.frames;
  }
}
Surface.slowest = 0; // milliseconds
Surface.frames = 0;

// Colours of the style sheet, as canvases want them.
function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue("--" + name).trim();
  const out = { pipe: {} };
  for (const name of ["ink", "soft", "line", "card", "accent", "on-pipe"]) out[name] = of(name);
  for (const pipe of PIPES) out.pipe[pipe] = of(pipe.toLowerCase());
  return out;
}
const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// What both views show, and what moves them.
class Window {
  constructor(spans) {
    this.spans = spans;
    this.core = spans.pathCore();
    this.selected = -1;
    this.listeners = [];
    this.some();
  }
  // To begin with: as much of the core's middle as can be read.
  some(most = 60) {
    const rows = this.spans.rows.get(this.core) || [];
    const count = rows.reduce((sum, row) => sum + row.index.length, 0);
    const part = Math.min(1, most / Math.max(1, count)) * this.spans.until;
    this.set((this.spans.until - part) / 2, (this.spans.until + part) / 2);
  }
  whole() { this.set(0, this.spans.until); }
  set(from, to) {
    const all = this.spans.until || 1, least = Math.min(all, 0.002);
    const length = Math.min(all, Math.max(least, to - from));
    this.from = Math.min(Math.max(0, from), all - length);
    this.to = this.from + length;
    this.changed();
  }
  zoom(factor, at = (this.from + this.to) / 2) {
    this.set(at - (at - this.from) * factor, at + (this.to - at) * factor);
  }
  move(share) {
    const by = (this.to - this.from) * share;
    this.set(this.from + by, this.to + by);
  }
  choose(core) {
    this.core = core;
    this.changed();
  }
  nextCore(step) {
    const list = this.spans.coreList;
    const at = list.indexOf(this.core) + step;
    if (at >= 0 && at < list.length) this.choose(list[at]);
  }
  select(span) {
    this.selected = span;
    if (span >= 0) {
      this.core = this.spans.core[span];
      const begin = this.spans.begin[span], end = this.spans.end(span), length = this.to - this.from;
      if (begin < this.from || end > this.to) {
        const room = Math.max(length, (end - begin) * 3), middle = (begin + end) / 2;
        return this.set(middle - room / 2, middle + room / 2);
      }
    }
    this.changed();
  }
  // Along the critical path.
  step(by) {
    const { path, onPath, pathBegin } = this.spans;
    if (!path.length) return;
    let at = lowerBound(pathBegin, this.from) - (by > 0 ? 1 : 0);
    if (this.selected >= 0 && onPath.has(this.selected)) at = path.indexOf(this.selected);
    this.select(path[Math.min(path.length - 1, Math.max(0, at + by))]);
  }
  changed() { for (const listener of this.listeners) listener(); }
}

const KEYS = [
  ["← →", "move", { ArrowLeft: (w) => w.move(-0.2), ArrowRight: (w) => w.move(0.2), a: (w) => w.move(-0.2), d: (w) => w.move(0.2) }],
  ["+ −", "zoom", { "+": (w) => w.zoom(0.7), "=": (w) => w.zoom(0.7), w: (w) => w.zoom(0.7), "-": (w) => w.zoom(1 / 0.7), s: (w) => w.zoom(1 / 0.7) }],
  ["↑ ↓", "other core", { ArrowUp: (w) => w.nextCore(-1), ArrowDown: (w) => w.nextCore(1) }],
  ["n p", "along the critical path", { n: (w) => w.step(1), p: (w) => w.step(-1) }],
  ["0", "whole launch", { 0: (w) => w.whole(), Home: (w) => w.whole() }],
  ["c", "core that ends last", { c: (w) => w.choose(w.spans.pathCore()) }],
  ["Esc", "nothing chosen", { Escape: (w) => w.select(-1) }],
];
const KEY_ACTIONS = Object.assign({}, ...KEYS.map(([, , actions]) => actions));

// Wheel, drag, pinch and keys on a canvas. `timeAt`: of an x; `drag(from, to)`: two of them.
function steer(surface, view, timeAt, drag, click) {
  const { canvas } = surface;
  const pointers = new Map();
  let start = null, last = null, moved = false;
  const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
  const y = (event) => event.clientY - canvas.getBoundingClientRect().top;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const sideways = Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey;
    if (sideways) view.move((event.deltaX || event.deltaY) / 1200);
    else view.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY)) * 0.0022), timeAt(x(event)));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, x(event));
    start = last = x(event);
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!pointers.has(event.pointerId)) return;
    if (pointers.size === 2) {
      const spread = () => { const [a, b] = [...pointers.values()]; return [Math.max(8, Math.abs(a - b)), (a + b) / 2]; };
      const [before] = spread();
      pointers.set(event.pointerId, x(event));
      const [now, middle] = spread();
      moved = true;
      return view.zoom(before / now, timeAt(middle));
    }
    if (Math.abs(x(event) - start) > 3) moved = true;
    if (moved) drag(start, last, x(event));
    last = x(event);
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId)) return;
    if (!moved) click(x(event), y(event));
    else if (!pointers.size) drag(start, x(event), x(event), true);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("dblclick", () => view.whole());
  canvas.addEventListener("keydown", (event) => {
    const action = !event.ctrlKey && !event.metaKey && !event.altKey && KEY_ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action(view);
  });
}
