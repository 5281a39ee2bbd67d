"use strict";
const none = "–";
const interval = (m) => m && m.high !== undefined ? percent(m.low) + " to " + percent(m.high) : "";

function tiles() {
  const m = data.headline, k = "1", fast = m.fast_p["1.0"] ?? m.fast_p["1"];
  const hidden = data.has_hidden ? tile("pass@1, hidden cases", percent(m.pass_hidden[k].value), interval(m.pass_hidden[k])) : null;
  return h("dl", { class: "tiles" },
    tile("compile@1", percent(m.compile[k].value), interval(m.compile[k])),
    tile("pass@1", percent(m.pass[k].value), interval(m.pass[k])),
    hidden,
    tile("fast₁", typeof fast === "number" ? percent(fast) : fast, "share of all tasks faster than the baseline, modelled" + (m.fast_p_range?.["1.0"] ? "; " + percent(m.fast_p_range["1.0"][0]) + " to " + percent(m.fast_p_range["1.0"][1]) + " as far as the eager estimate may be off" : "")),
    tile("tasks", String(data.tasks.length), m.n + (m.n === 1 ? " sample each" : " samples each")));
}

function fastRows(m, columns) {
  const row = (name, value) => h("tr", {}, h("th", { scope: "row" }, name), h("td", { class: "n", colspan: columns }, value));
  const all = Object.entries(m.fast_p), words = all.filter(([, value]) => typeof value !== "number");
  if (words.length) return row("fast_p, p = " + all.map(([p]) => Number(p)).join(", "), words[0][1]);
  const range = ([low, high]) => " [" + percent(low) + ", " + percent(high) + "]";
  return all.map(([p, value]) => row("fast_p, p = " + Number(p), percent(value) + (m.fast_p_range?.[p] ? range(m.fast_p_range[p]) : "") + (m.fast_p_beyond ? ", beyond the ranges " + percent(m.fast_p_beyond[p]) : "")));
}

function headline() {
  const m = data.headline;
  const rows = [["compile@k", m.compile], ["pass@k", m.pass], ["pass@k, public cases", m.pass_public]];
  if (data.has_hidden) rows.push(["pass@k, hidden cases", m.pass_hidden]);
  const ks = Object.keys(m.pass);
  return [h("h2", { id: "headline" }, "Headline"),
    h("p", { class: "note" }, "Shares of all tasks; a missing candidate counts as wrong. In brackets the 95 % interval, bootstrapped over tasks."),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Measure"), ks.map((k) => h("th", { scope: "col", class: "n" }, "k = " + k)))),
      h("tbody", {},
        rows.map(([name, values]) => h("tr", {}, h("th", { scope: "row" }, name),
          ks.map((k) => h("td", { class: "n" }, percent(values[k].value) + "  [" + percent(values[k].low) + ", " + percent(values[k].high) + "]")))),
        fastRows(m, ks.length))))];
}

function heatMap() {
  const levels = [...new Set(data.tasks.map((t) => t.level))].sort();
  const names = [...new Set(data.tasks.map((t) => t.category))].sort();
  const cell = (level, category) => {
    const here = data.tasks.filter((t) => t.level === level && t.category === category);
    if (!here.length) return h("td", { class: "none" }, "no task");
    const share = here.reduce((sum, t) => sum + t.right, 0) / here.reduce((sum, t) => sum + t.of, 0);
    const right = here.filter((t) => t.right > 0).length;
    return h("td", { style: `background: rgba(var(--heat), ${(0.06 + 0.5 * share).toFixed(3)})`, title: `${category}, level ${level}: ${right} of ${here.length} tasks` },
      percent(share), h("br"), h("small", {}, right + "/" + here.length));
  };
  return [h("h2", { id: "heat" }, "By level and category"),
    h("p", { class: "note" }, "Share of samples that pass; below it the tasks with at least one."),
    h("div", { class: "scroll" }, h("table", { class: "heat" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Category"), levels.map((l) => h("th", { scope: "col", style: "text-align:center" }, l ? "Level " + l : "no level")))),
      h("tbody", {}, names.map((c) => h("tr", {}, h("th", { scope: "row" }, c || "no category"), levels.map((l) => cell(l, c)))))))];
}

function fastCurve() {
  const points = Object.entries(data.headline.fast_p).map(([p, v]) => [Number(p), v]);
  const title = h("h2", { id: "fast" }, "fast_p");
  if (!points.length || points.some(([, v]) => typeof v !== "number"))
    return [title, h("p", { class: "note" }, "Share of all tasks that are right and more than p times as fast as the baseline: not modelled in this run.")];
  const left = 46, bottom = 170, width = 1000, top = 14, x = (p) => left + (p / 2) * (width - left - 16), y = (v) => bottom - v * (bottom - top);
  const line = points.map(([p, v], i) => (i ? "L" : "M") + x(p) + " " + y(v)).join(" ");
  return [title, h("p", { class: "note" }, "Share of all tasks that are right and more than p times as fast as the baseline. Both times are modelled."),
    h("div", { class: "chart" }, s("svg", { viewBox: `0 0 ${width} 200`, role: "img", "aria-label": points.map(([p, v]) => `p ${p}: ${percent(v)}`).join(", ") },
      [0, 0.5, 1].map((v) => [s("line", { class: "axis", x1: left, x2: width - 16, y1: y(v), y2: y(v) }), s("text", { x: left - 8, y: y(v) + 4, "text-anchor": "end" }, percent(v))]),
      s("path", { class: "curve", d: line }),
      points.map(([p, v]) => [s("circle", { cx: x(p), cy: y(v), r: 3.5, fill: "var(--accent)" }), s("text", { x: x(p), y: bottom + 18, "text-anchor": "middle" }, String(p))])))];
}

// From left to right what is left of the samples; what is lost leaves downwards, with its name.
function flow() {
  const stages = data.flow, all = stages[0].count || 1, step = 150, tall = 120, top = 26;
  const width = step * (stages.length - 1) + 124, parts = [];
  const high = (n) => Math.max(n / all * tall, n ? 2 : 0);
  stages.forEach((stage, i) => {
    const x = i * step, next = stages[i + 1];
    if (next) {
      const a = high(stage.count), b = high(next.count), m = x + 14 + (step - 14) / 2;
      parts.push(s("path", { class: "flow-on", d: `M${x + 14} ${top} C${m} ${top} ${m} ${top} ${x + step} ${top} L${x + step} ${top + b} C${m} ${top + b} ${m} ${top + a} ${x + 14} ${top + a} Z` }));
      next.lost.forEach(([name, count], n) => parts.push(s("text", { x: x + step - 6, y: top + tall + 22 + 16 * n, "text-anchor": "end" }, `${count} ${words(name)}`)));
    }
    parts.push(s("rect", { class: "flow-stage", x, y: top, width: 14, height: high(stage.count), rx: 3 }));
    parts.push(s("text", { x, y: 14 }, s("tspan", { class: "strong" }, String(stage.count)), " " + stage.name));
  });
  const lines = Math.max(0, ...stages.map((t) => t.lost.length));
  return [h("h2", { id: "flow" }, "Where samples end"),
    h("p", { class: "note" }, "Every sample of every task, from source text to passing on hidden cases."),
    h("div", { class: "chart" }, s("svg", { viewBox: `0 0 ${width} ${top + tall + 26 + 16 * lines}`, role: "img",
      "aria-label": stages.map((t) => `${t.count} ${t.name}` + t.lost.map(([n, c]) => `, lost ${c} ${words(n)}`).join("")).join("; ") }, parts))];
}

function taskTable() {
  const body = h("tbody", { id: "tasks-body" });
  const state = { text: "", only: "", key: "order", down: false };
  const columns = [["name", "Task"], ["level", "Level", "n"], ["category", "Category"], ["best", "Best verdict"], ["right", "Passing", "n"], ["reason", "First reason"]];
  const draw = () => {
    const shown = data.tasks.filter((t) => (!state.only || t.best === state.only) && (t.name + " " + t.category + " " + t.reason).toLowerCase().includes(state.text));
    if (state.key !== "order") shown.sort((a, b) => (a[state.key] < b[state.key] ? -1 : a[state.key] > b[state.key] ? 1 : 0) * (state.down ? -1 : 1));
    body.replaceChildren(...shown.map((t) => h("tr", { class: "go", onclick: () => { location.hash = "#/task/" + encodeURIComponent(t.name); } },
      h("td", {}, h("a", { href: "#/task/" + encodeURIComponent(t.name) }, t.name)), h("td", { class: "n" }, String(t.level || "–")), h("td", {}, t.category || none),
      h("td", {}, verdict(t.best)), h("td", { class: "n" }, t.right + "/" + t.of), h("td", { class: "wrap" }, t.reason || none))));
    count.textContent = shown.length + " of " + data.tasks.length;
  };
  const count = h("span", { class: "sub", role: "status", style: "margin:0" });
  const sort = (key) => { state.down = state.key === key && !state.down; state.key = key; draw(); };
  const verdicts = [...new Set(data.tasks.map((t) => t.best))].sort();
  const view = [h("h2", { id: "tasks" }, "Tasks"),
    h("div", { class: "tools" },
      h("input", { type: "search", id: "filter", placeholder: "Filter tasks", "aria-label": "Filter tasks", oninput: (e) => { state.text = e.target.value.toLowerCase(); draw(); } }),
      h("select", { id: "only", "aria-label": "Only this verdict", onchange: (e) => { state.only = e.target.value; draw(); } },
        h("option", { value: "" }, "all verdicts"), verdicts.map((v) => h("option", { value: v }, words(v)))), count),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, columns.map(([key, name, kind]) => h("th", { scope: "col", class: kind }, h("button", { type: "button", onclick: () => sort(key) }, name))))), body))];
  draw();
  return view;
}

function findingCard(f) {
  const at = f.place && f.place.file ? `${f.place.file}:${f.place.line}` : "";
  const other = f.other && f.other.file ? `${f.other.file}:${f.other.line}` : "";
  return h("div", { class: "finding-card" + (f.warning ? " warning" : "") },
    h("p", {}, h("strong", {}, f.code), " ", f.message, f.count > 1 ? ` (${f.count} times)` : ""),
    (at || other) && h("p", { class: "where" }, at, other ? "  ·  other side " + other : ""),
    f.fix && h("p", { class: "sub", style: "margin:.2rem 0 0" }, f.fix));
}

function indexText(flat, shape) {
  if (!shape || shape.length < 2) return String(flat);
  const out = [];
  for (let axis = shape.length - 1; axis >= 0; --axis) {
    out.unshift(flat % Math.max(1, shape[axis]));
    flat = Math.floor(flat / Math.max(1, shape[axis]));
  }
  return `[${out.join(", ")}]`;
}

// Where the wrong elements lie, and those that are furthest off.
function worst(output) {
  if (!output.worst || !output.worst.length) return null;
  const value = (v) => (typeof v === "number" ? String(+v.toPrecision(7)) : "not finite");
  return [h("p", { class: "note" }, `${output.mismatches} of ${output.elements} elements are wrong${output.region ? ": " + output.region : ""}. The worst:`),
    h("div", { class: "scroll" }, h("table", {},
      h("thead", {}, h("tr", {}, ["element", "got", "expected"].map((name) => h("th", { scope: "col", class: "n" }, name)))),
      h("tbody", {}, output.worst.map((d) => h("tr", {}, [indexText(d.index, output.shape), value(d.out), value(d.ref)].map((text) => h("td", { class: "n" }, text)))))))];
}

function histogram(output) {
  const bins = output.histogram && output.histogram.bins;
  if (!bins || !bins.length) return null;
  const most = Math.max(...bins.map((b) => b[1]), 1), wide = 1000, step = (wide - 20) / bins.length, tall = 110;
  return [h("h3", {}, `Error of ${output.name}`),
    h("p", { class: "note" }, `Relative error of ${output.histogram.sampled} elements, by decade. Largest ${number(output.max_rel)}, largest absolute ${number(output.max_abs)}.`),
    h("div", { class: "chart" }, s("svg", { viewBox: `0 0 ${wide} ${tall + 38}`, role: "img", "aria-label": bins.map(([n, c]) => `${n}: ${c}`).join(", ") },
      bins.map(([name, count], i) => {
        const high = count ? Math.max(2, Math.sqrt(count / most) * tall) : 0, x = 10 + i * step;
        return [s("rect", { class: "bar", x: x + 3, y: tall - high + 12, width: step - 6, height: high, rx: 3 }, s("title", {}, `${name}: ${count} elements`)),
          s("text", { x: x + step / 2, y: tall + 28, "text-anchor": "middle" }, name)];
      })))];
}

function caseTable(sample) {
  const cases = sample.cases, timed = cases.some((c) => c.modelled && c.modelled.us > 0);
  return h("div", { class: "scroll" }, h("table", { class: "cases" },
    h("thead", {}, h("tr", {}, ["Case", "Part", "Verdict", "Blocks", ...(timed ? ["Modelled"] : []), "Reason"].map((n) => h("th", { scope: "col", class: n === "Blocks" || n === "Modelled" ? "n" : "" }, n)))),
    h("tbody", {}, cases.map((c) => h("tr", {}, h("td", {}, c.id), h("td", {}, c.part), h("td", {}, verdict(c.verdict)),
      h("td", { class: "n" }, String(c.block_dim || "–")), timed && h("td", { class: "n" }, c.modelled && c.modelled.us > 0 ? `${c.modelled.us.toPrecision(3)} µs` : "–"), h("td", { class: "wrap" }, c.reason || none))))));
}

function codeOf(sample) {
  if (!sample.code.length) return h("p", { class: "note" }, sample.code_note);
  const hits = new Set(sample.cases.flatMap((c) => c.findings).flatMap((f) => [f.place, f.other]).filter(Boolean).map((p) => p.file + ":" + p.line));
  return sample.code.map((file) => [h("h3", {}, file.file),
    h("pre", { tabindex: "0", "aria-label": file.file }, file.text.split("\n").map((line, i) =>
      h("span", { class: "l" + (hits.has(file.file + ":" + (i + 1)) ? " hit" : "") }, h("i", { "aria-hidden": "true" }, String(i + 1)), line || " ")))]);
}

// A link to a page beside this one, or how to make it. Records may come from anywhere: a link to elsewhere is none.
function timelineOf(sample, task) {
  if (/^\w[\w./-]*\.html$/.test(sample.timeline || "")) return h("p", {}, h("a", { href: sample.timeline }, "Timeline"));
  const timed = sample.cases.find((c) => c.modelled && c.modelled.us > 0);
  if (!timed) return h("p", { class: "note" }, "No timeline: this run models no time.");
  return h("p", { class: "note" }, "Timeline: ", h("code", {}, `akgen profile PROJECT --task ${task.name} --case ${timed.id} --html timeline.html`));
}

function sampleView(sample, task) {
  const findings = sample.cases.flatMap((c) => c.findings.map((f) => ({ ...f, id: c.id })));
  const distinct = [...new Map(findings.map((f) => [f.code + f.message + (f.place ? f.place.line : ""), f])).values()].sort((a, b) => a.warning - b.warning);
  const outputs = sample.cases.flatMap((c) => c.outputs.map((o) => ({ ...o, name: `${o.name}, case ${c.id}` })));
  return h("div", { class: "sample" },
    h("p", { class: "end" }, verdict(sample.verdict), sample.reason),
    timelineOf(sample, task),
    sample.cases.length ? [h("h2", {}, "Cases"), caseTable(sample)] : null,
    distinct.length ? [h("h2", {}, "Findings"), distinct.map(findingCard)] : null,
    sample.diagnostics.length ? [h("h2", {}, "Diagnostics"), sample.diagnostics.map((d) => h("div", { class: "finding-card" },
      h("p", {}, h("strong", {}, d.severity), " ", d.message), d.file && h("p", { class: "where" }, `${d.file}:${d.line}`)))] : null,
    outputs.some((o) => o.histogram) ? [h("h2", {}, "Errors"), outputs.slice(0, 6).map((o) => [histogram(o), worst(o)])] : null,
    h("h2", {}, "Code"), codeOf(sample),
    h("h2", {}, "Provenance"), h("dl", { class: "facts" }, Object.entries(sample.provenance).flatMap(([k, v]) => [h("dt", {}, k), h("dd", {}, String(v))])));
}

function taskView(task) {
  const panel = h("div", { role: "tabpanel", id: "panel" });
  const tabs = task.samples.map((sample, i) => h("button", { role: "tab", type: "button", "aria-controls": "panel", onclick: () => pick(i) }, "Sample " + sample.sample));
  const pick = (i) => {
    tabs.forEach((t, n) => t.setAttribute("aria-selected", String(n === i)));
    panel.replaceChildren(sampleView(task.samples[i], task));
  };
  if (task.samples.length) pick(0);
  else panel.append(h("p", { class: "note" }, "There is no record for this task: it counts as not passed."));
  return [h("p", { class: "sub" }, h("a", { href: "#/" }, "All tasks")), h("h1", {}, task.name),
    h("p", { class: "sub" }, [task.level ? "Level " + task.level : null, task.category, `${task.right} of ${task.of} samples pass`].filter(Boolean).join(" · ")),
    tabs.length > 1 ? h("div", { class: "tabs", role: "tablist", "aria-label": "Samples" }, tabs) : null, panel];
}

function overview() {
  const facts = [data.run.created, data.run.chip && "chip " + data.run.chip, data.run.precision && data.run.precision + " precision", data.run.judge && "judge " + data.run.judge.slice(0, 12)];
  return [h("h1", {}, data.title), h("p", { class: "sub" }, facts.filter(Boolean).join(" · ")),
    ...(data.mixture ?? []).map((what) => h("p", { class: "note" }, h("strong", {}, "Mixed: "), "these records are of " + what + ".")),
    ...((data.dropped ?? []).length ? [h("details", { class: "note" }, h("summary", {}, `Left out: ${data.dropped.length} records that contradict themselves and count as missing`), h("ul", {}, data.dropped.slice(0, 100).map((what) => h("li", {}, what))))] : []), tiles(), headline(), heatMap(), fastCurve(), flow(), taskTable(), deviceSection()];
}

// Verdicts and times of the simulated chip beside those of a real device.
function deviceSection() {
  const on = data.device;
  if (!on) return null;
  const us = (t) => t > 0 ? `${t.toPrecision(3)} µs` : "–", error = (r) => r.modelled_us > 0 && r.measured_us > 0 ? r.modelled_us / r.measured_us - 1 : null;
  const rows = [...on.rows].sort((a, b) => (b.agreement === "differs") - (a.agreement === "differs") || Math.abs(Math.log1p(error(b) ?? 0)) - Math.abs(Math.log1p(error(a) ?? 0)));
  return [h("h2", { id: "device" }, "On a real device"),
    on.devices.map((name) => h("p", { class: "note" }, name)),
    h("p", {}, Object.entries(on.agreement).map(([name, count]) => `${name} ${count}`).join(" · ") +
      (on.errors.rows ? ` · modelled against measured: median error ${(100 * on.errors.median).toFixed(1)} %, p90 ${(100 * on.errors.p90).toFixed(1)} % of ${on.errors.rows} cases` : "")),
    h("div", { class: "scroll" }, h("table", { class: "cases" },
      h("thead", {}, h("tr", {}, ["Task", "Sample", "Case", "Chip", "Device", "Verdicts", "Modelled", "Measured", "Error", "Reason"].map((n) => h("th", { scope: "col" }, n)))),
      h("tbody", {}, rows.slice(0, 300).map((r) => h("tr", {}, h("td", {}, r.task), h("td", { class: "n" }, String(r.sample)), h("td", {}, r.case),
        h("td", {}, r.chip ? verdict(r.chip) : "–"), h("td", {}, r.device ? verdict(r.device) : "–", r.vendor_code ? ` ${r.vendor_code}` : ""), h("td", {}, r.agreement),
        h("td", { class: "n" }, us(r.modelled_us)), h("td", { class: "n" }, us(r.measured_us)),
        h("td", { class: "n" }, error(r) === null ? "–" : `${(100 * error(r)).toFixed(1)} %`), h("td", { class: "wrap" }, r.reason || none))))))];
}

const sections = [["headline", "Headline"], ["heat", "Categories"], ["fast", "fast_p"], ["flow", "Failures"], ["tasks", "Tasks"], ...(data.device ? [["device", "Device"]] : [])];
document.getElementById("sections").append(...sections.map(([id, name]) => h("a", { href: "#/" + id }, name)));

function show() {
  const [kind, name] = location.hash.replace(/^#\//, "").split("/");
  const task = kind === "task" && data.tasks.find((t) => t.name === decodeURIComponent(name || ""));
  main.replaceChildren(...[task ? taskView(task) : overview()].flat(Infinity).filter(Boolean));
  const target = !task && kind && document.getElementById(kind);
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
  document.title = task ? `${task.name} · ${data.title}` : data.title;
}
addEventListener("hashchange", () => { show(); main.focus({ preventScroll: true }); });
show();
