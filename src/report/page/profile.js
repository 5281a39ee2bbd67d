// The page of a profile. Every number comes from the record; what is modelled is called so.
const { record, sources, before } = data;
const profile = record.profile;
const spans = new Spans(data.timeline, data.sites, data.path);
const view = new Window(spans);

const signed = (t) => (t < 0 ? "−" : "+") + us(Math.abs(t));
const whole = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)} %`;
const range = (pair) => `${us(pair[0]).replace(" µs", "")} to ${us(pair[1])}`;
const lineId = (file, line) => `line-${Object.keys(sources).indexOf(file)}-${line}`;

const section = (name, note, ...children) =>
  h("section", { class: "card" }, h("h2", {}, name), note && h("p", {}, note), ...children);

function goTo(file, line) {
  const target = document.getElementById(lineId(file, line));
  if (!target) return;
  for (const marked of document.querySelectorAll(".source .chosen")) marked.classList.remove("chosen");
  target.closest("details")?.setAttribute("open", "");
  target.classList.add("chosen");
  const box = target.closest(".source");
  box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
}
const placeLink = (file, line) => file && sources[file]
  ? h("a", { href: "#", onclick: (event) => { event.preventDefault(); goTo(file, line); document.getElementById("source").scrollIntoView({ block: "nearest" }); } }, placeOf(file, line))
  : h("span", {}, placeOf(file, line));

// --- tiles

function tiles() {
  const best = profile.advice[0], eager = record.baseline_us;
  const out = [tile("modelled time", us(record.us), record.range_us ? range(record.range_us) : `${record.blocks} blocks`)];
  if (profile.bound_us > 0)
    out.push(tile("hardware bound", us(profile.bound_us), `${whole(profile.bound_us / record.us)} reached; ` +
      (profile.bound_of === "task" ? "the task's bytes and arithmetic" : `this launch's ${profile.roofline.bound_by}`) + " at full rate"));
  out.push(h("div", { class: "tile" }, h("dt", {}, "limited by"), h("dd", { class: "word" }, profile.bottleneck), h("small", {}, profile.why)));
  out.push(best
    ? tile("best change", signed(best.modelled_us - record.us), [best.change.replaceAll("_", " "), best.file && ", ", best.file && placeLink(best.file, best.line)])
    : h("div", { class: "tile" }, h("dt", {}, "best change"), h("dd", { class: "word" }, "none"), h("small", {}, "of those that akgen tries on the trace")));
  if (eager > 0)
    out.push(tile("against eager", `${(eager / record.us).toFixed(2)}×`, `eager modelled ${us(eager)}` +
      (record.baseline_range_us ? `, ${range(record.baseline_range_us)}` : "") + `, ${record.eager_kernels} ${record.eager_kernels === 1 ? "kernel" : "kernels"}`));
  const cube = record.cube_cores || 0, vector = record.cores - cube;
  const cores = [cube && `${cube} of ${record.cube_cores_of_chip} Cube cores`, vector && `${vector} of ${record.vector_cores} Vector cores`].filter(Boolean);
  if (record.ub_used > 0)
    out.push(tile("Unified Buffer", whole(record.ub_used / record.ub_bytes), `${(record.ub_used / 1024).toFixed(0)} of ${(record.ub_bytes / 1024).toFixed(0)} KiB used; ${cores.join(", ")}`));
  else out.push(tile("cores", String(record.cores), cores.join(", ")));
  return h("dl", { class: "tiles" }, out);
}

// --- timeline

function allCores() {
  const overview = new Overview(view);
  const kept = spans.coreList.length, all = record.cores;
  const note = `${all === 1 ? "1 core" : `${all} cores`}, whole launch. Drag to choose a window, wheel zooms.` +
    (kept < all ? ` The timeline of ${kept} of them is kept: ${spans.count.toLocaleString("en")} spans.` : "");
  const zoomed = h("button", { type: "button", class: "small", "aria-pressed": "false", onclick: () => {
    const on = zoomed.getAttribute("aria-pressed") !== "true";
    zoomed.setAttribute("aria-pressed", String(on));
    overview.zoomToWindow(on);
  } }, "zoom all cores");
  return section("All cores", note, h("div", { class: "row" }, legend(spans), zoomed), overview.surface.canvas);
}

const oneCore = () => coreSection(spans, view, criticalPath(), goTo);

function criticalPath() {
  const { shares, core } = profile.critical_path;
  const all = shares.reduce((sum, part) => sum + part.us, 0);
  if (!all) return null;
  const colour = (what) => (what === "start" || what === "launch" ? "var(--start)" : pipeColour(what));
  const last = spans.coreList.length < record.cores ? `the last to end of the ${spans.coreList.length} that are kept, at` : "which ends last, at";
  return [h("p", {}, `Critical path of core ${core}, ${last} ${us(all)}: `,
    shares.filter((part) => part.us >= 0.005 * all).map((part, i) => [i ? ", " : "", h("span", { class: "swatch", style: `--c:${colour(part.what)}` }, `${part.what} ${whole(part.us / all)}`)])),
    h("div", { class: "stack", role: "img", "aria-label": shares.map((part) => `${part.what} ${whole(part.us / all)}`).join(", ") },
      shares.map((part) => h("i", { style: `--part:${(100 * part.us / all).toFixed(2)}%;--c:${colour(part.what)}`, title: `${part.what} ${us(part.us)}` })))];
}

// --- tables

function pipes() {
  const core = record.core_us;
  const names = Object.keys(record.pipes).sort((a, b) => record.pipes[b].busy_us - record.pipes[a].busy_us);
  const row = (name) => {
    const pipe = record.pipes[name], own = name.replace("AIC ", "");
    const waits = Object.entries(pipe.waits || {}).sort((a, b) => b[1] - a[1]).filter(([, t]) => t >= 0.005 * core);
    const notes = [`${pipe.instructions.toLocaleString("en")} instructions`];
    if (pipe.bursts > 0) notes.push(`${Math.round(pipe.bytes / pipe.bursts).toLocaleString("en")} B a burst`);
    if (pipe.conflict_us > 0.005 * core) notes.push(`${whole(pipe.conflict_us / core)} lost to UB banks`);
    if (pipe.shared_us > 0.01 * pipe.busy_us) notes.push(`${whole(pipe.shared_us / pipe.busy_us)} of its work is other cores' traffic`);
    return h("div", { class: "pipe" }, h("strong", {}, name), h("span", { class: "n" }, whole(pipe.busy_us / core)),
      h("div", { class: "stack", role: "img", "aria-label": `${name} at work ${whole(pipe.busy_us / core)}` },
        h("i", { style: `--part:${100 * Math.min(1, pipe.busy_us / core)}%;--c:${pipeColour(own)}` }),
        waits.map(([on, t]) => h("i", { class: "waits", style: `--part:${100 * t / core}%;--c:${pipeColour(on)}`, title: `waits for ${on}: ${us(t)}` }))),
      h("small", {}, waits.length ? ["waits for ", waits.map(([on, t], i) => [i ? ", " : "", h("span", { class: "swatch", style: `--c:${pipeColour(on)}` }, `${on} ${whole(t / core)}`)]), " · "] : "waits for no flag · ", notes.join(" · ")));
  };
  return section("Pipes", `At work and held by flags, mean over ${record.cores} ${record.cores === 1 ? "core" : "cores"}; the rest is time without an instruction.`, names.map(row));
}

function advice() {
  const gain = (a) => a.gain_range_us ? ` (${range(a.gain_range_us)})` : "";
  return section("Advice", profile.advice.length ? "Each change was tried on the trace; the gain is modelled, with its range." : null,
    profile.advice.length
      ? profile.advice.map((a) => h("div", { class: "advice" }, h("b", {}, signed(a.modelled_us - record.us)), gain(a),
        a.file && [" · ", placeLink(a.file, a.line)], h("br"), a.text))
      : h("p", { class: "note" }, "None of the changes that akgen tries on the trace would save one part in a hundred."));
}

function roofline() {
  const r = profile.roofline;
  if (!r.memories.length && !r.units.length) return null;
  const chart = r.memories.length && r.units.length;
  return section("Roofline", chart ? `Full points count bytes of ${r.memories[0].name}${r.memories.length > 1 ? ", open ones of " + r.memories[1].name : ""}; over the whole modelled time.` : "Share of each peak over the whole modelled time.",
    chart && rooflineChart(r, record.us), peakBars(r, record.us));
}

// --- source

const AROUND = 3;
function sourceOf(file) {
  const lines = sources[file].split("\n");
  const times = new Map(profile.lines.filter((l) => l.file === file).map((l) => [l.line, l]));
  const tips = new Map();
  for (const a of profile.advice) if (a.file === file) tips.set(a.line, [...(tips.get(a.line) || []), a]);
  const most = Math.max(...profile.lines.map((l) => l.path_us), 1e-9);
  const busy = (l) => Object.values(l.busy).reduce((sum, t) => sum + t, 0);
  const near = new Set();
  for (const line of [...times.keys(), ...tips.keys()]) for (let k = line - AROUND; k <= line + AROUND; ++k) near.add(k);
  const row = (line) => {
    const l = times.get(line), part = l ? l.path_us / most : 0;
    const pipesOf = l ? Object.entries(l.busy).map(([pipe, t]) => `${pipe} ${us(t)}`).join(", ") + (l.wait_us > 0.0005 ? `; held ${us(l.wait_us)}` : "") : "";
    return [h("div", { id: lineId(file, line), class: "line" + (l ? " timed" : ""), title: pipesOf, style: l && `background: rgba(var(--heat), ${(0.05 + 0.42 * part).toFixed(3)})` },
      h("i", {}, String(line)), h("em", {}, l && l.path_us >= 0.005 ? us(l.path_us) : ""), h("em", { class: "busy" }, l && busy(l) >= 0.005 ? us(busy(l)) : ""), h("span", {}, lines[line - 1])),
      (tips.get(line) || []).map((a) => h("div", { class: "note-line" }, h("b", {}, signed(a.modelled_us - record.us)), ` ${a.text}`))];
  };
  const parts = [];
  for (let line = 1; line <= lines.length;) {
    let end = line;
    const shown = near.has(line);
    while (end <= lines.length && near.has(end) === shown) ++end;
    const block = () => Array.from({ length: end - line }, (_, k) => row(line + k));
    if (shown || end - line < 4) parts.push(block());
    else parts.push(h("details", { class: "fold" }, h("summary", {}, `${end - line} lines without time`), block()));
    line = end;
  }
  return parts;
}

function source() {
  const files = Object.keys(sources).filter((file) => profile.lines.some((l) => l.file === file));
  if (!files.length) return null;
  const sum = (file) => profile.lines.reduce((all, l) => all + (l.file === file ? l.path_us : 0), 0);
  files.sort((a, b) => sum(b) - sum(a));
  const box = h("div", { class: "source", tabindex: 0 }), tabs = h("div", { class: "tabs", role: "tablist" });
  const open = (file) => {
    box.replaceChildren(h("div", { class: "line head" }, h("i", {}, "line"), h("em", {}, "path"), h("em", { class: "busy" }, "busy"), h("span", {}, file)), ...sourceOf(file).flat(Infinity));
    for (const tab of tabs.children) tab.setAttribute("aria-selected", String(tab.textContent === short(file)));
    const hot = profile.lines.find((l) => l.file === file);
    requestAnimationFrame(() => hot && goTo(file, hot.line));
  };
  if (files.length > 1) tabs.append(...files.map((file) => h("button", { type: "button", role: "tab", onclick: () => open(file) }, short(file))));
  open(files[0]);
  const out = section("Time by line", "Path: the line's part of the critical path. Busy: its work on all pipes, mean over cores.", files.length > 1 && tabs, box);
  out.id = "source";
  return out;
}

// --- two profiles

function comparison() {
  if (!before) return null;
  const old = before.profile;
  const row = (name, a, b, link) => {
    const change = b - a;
    return h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "n" }, us(a)), h("td", { class: "n" }, us(b)),
      h("td", { class: "n " + (Math.abs(change) < 0.005 ? "" : change < 0 ? "better" : "worse") }, Math.abs(change) < 0.005 ? "same" : signed(change)),
      h("td", { class: "n" }, a > 0 && Math.abs(change) >= 0.005 ? `${change < 0 ? "−" : "+"}${Math.abs(100 * (b / a - 1)).toFixed(1)} %` : "–"), h("td", { class: "code" }, link || ""));
  };
  const names = [...new Set([...Object.keys(before.pipes), ...Object.keys(record.pipes)])];
  const busy = (of, name) => of.pipes[name]?.busy_us ?? 0;
  const rest = old.lines.slice().sort((a, b) => a.line - b.line);
  const lines = profile.lines.slice().sort((a, b) => a.line - b.line).map((l) => {
    const at = rest.findIndex((o) => (l.text ? o.text === l.text : o.line === l.line));
    return { now: l, then: at >= 0 ? rest.splice(at, 1)[0] : null };
  });
  lines.push(...rest.map((then) => ({ now: null, then })));
  const of = (l) => (l ? l.path_us : 0);
  lines.sort((a, b) => Math.abs(of(b.now) - of(b.then)) - Math.abs(of(a.now) - of(a.then)));
  const changed = lines.filter((l) => Math.abs(of(l.now) - of(l.then)) >= 0.005).slice(0, 12);
  return h("section", { class: "card wide" }, h("h2", {}, "Before and now"),
    h("p", {}, `Before: ${before.subject} on ${before.chip}, limited by ${old.bottleneck}. Now: limited by ${profile.bottleneck}. All modelled; pipes are means over cores, lines are parts of the critical path.`),
    h("div", { class: "scroll" }, h("table", { class: "compare" },
      h("thead", {}, h("tr", {}, ["", "before", "now", "change", "", "source"].map((name, i) => h("th", { scope: "col", class: i && i < 5 ? "n" : "" }, name || h("span", { class: "hidden" }, i ? "in percent" : "what"))))),
      h("tbody", {}, row("modelled time", before.us, record.us, "the whole launch"), names.map((name) => row(`${name} at work`, busy(before, name), busy(record, name), PIPE_WORDS[name.replace("AIC ", "")])),
        changed.map(({ now, then }) => row(now ? `line ${now.line}` : `was line ${then.line}`, of(then), of(now), (now || then).text.trim()))))));
}

// --- leaving the page

function save(name, value) {
  const link = h("a", { href: URL.createObjectURL(new Blob([JSON.stringify(value)], { type: "application/json" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
function chromeTrace() {
  const events = [];
  for (const core of spans.coreList) {
    events.push({ ph: "M", name: "process_name", pid: core, args: { name: `${spans.kind(core)} ${core}` } });
    for (const row of spans.rows.get(core)) {
      const tid = PIPES.indexOf(row.pipe);
      events.push({ ph: "M", name: "thread_name", pid: core, tid, args: { name: "PIPE_" + row.pipe } });
      for (const i of row.index) {
        const [file, line] = spans.place(i);
        events.push({ ph: "X", name: spans.name(i), cat: "PIPE_" + row.pipe, pid: core, tid, ts: spans.begin[i], dur: spans.length[i], args: { line: placeOf(file, line) } });
      }
    }
  }
  return { traceEvents: events, displayTimeUnit: "ns", otherData: { time: "modelled" } };
}

document.getElementById("sections").append(h("span", { class: "subject" },
  ["profile", record.subject, record.inputs, record.chip, `${record.cores} ${record.cores === 1 ? "core" : "cores"}`].filter(Boolean).join(" · ")));
document.getElementById("actions").append(
  h("button", { type: "button", class: "link", onclick: () => save("trace.json", chromeTrace()), title: "the timeline in Chrome's trace format, for ui.perfetto.dev" }, "Perfetto"),
  h("button", { type: "button", class: "link", onclick: () => save("profile.json", record), title: "the numbers, for --against" }, "JSON"));
document.body.classList.add("profile");
main.replaceChildren(h("h1", { class: "hidden" }, document.title), tiles(), h("div", { class: "columns" },
  h("div", { class: "wide-column" }, allCores(), oneCore(), source()), h("div", { class: "side-column" }, roofline(), advice(), pipes())), comparison() || "");
