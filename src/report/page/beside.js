// Runs side by side: shares with their intervals, failures by cause, tasks, and what was said.
const runs = data.generators;
const time = (us) => (us > 0 ? `${us >= 100 ? us.toFixed(0) : us.toPrecision(3)} µs` : "not timed");
const table = (corner, rows) => h("div", { class: "scroll" }, h("table", {},
  h("thead", {}, h("tr", {}, [corner, ...runs].map((name) => h("th", { scope: "col" }, name)))), h("tbody", {}, rows)));
const row = (name, of) => h("tr", {}, h("th", { scope: "row" }, name), runs.map((run) => {
  const cell = of(run);
  return h("td", {}, cell === null || cell === undefined ? h("span", { class: "sub" }, "not tried") : cell);
}));

// A bar with the interval on it.
function shareBar([value, low, high]) {
  const at = (x) => `${(100 * x).toFixed(1)}%`;
  return h("div", { class: "share" }, h("strong", {}, percent(value)), h("span", { class: "track", style: `--part:${at(value)}` },
    h("i", { style: `left:${at(low)};width:${at(Math.max(0, high - low))}` })), h("small", {}, `${percent(low)} to ${percent(high)}`));
}

function overall() {
  const all = (run) => data.all[run];
  const shares = (key) => (run) => all(run) && shareBar(data.shares[run][key]);
  const rows = [row("first answers that build", shares("built_first")), row("first answers that pass", shares("passed_first")),
    row("samples that pass, with repairs", shares("passed")),
    row("samples", (run) => all(run) && `${all(run).samples}${all(run).missing ? `, ${all(run).missing} missing` : ""}`),
    row("turns until a pass, mean", (run) => all(run) && (all(run).passed ? all(run).turns_to_pass.toFixed(2) : "none passes"))];
  if (runs.some((run) => all(run)?.modelled_us > 0)) rows.push(row("modelled time of the fastest, summed", (run) => all(run) && time(all(run).modelled_us)));
  const common = Object.values(data.tasks).filter((counts) => runs.every((run) => counts[run])).length;
  return [h("h2", { id: "overall" }, "Overall"),
    h("p", { class: "note" }, `${common} of ${Object.keys(data.tasks).length} tasks, which every run has. A sample without a verdict counts as wrong. The thin line is the 95 % interval, bootstrapped over tasks.`),
    table("share of samples", rows)];
}

const shade = (cause) => {
  const verdictOf = cause.split(" ")[0];
  const known = { finding: "finding", wrong_answer: "wrong", runtime_error: "wrong", timeout: "wrong", build_error: "build", rejected: "rejected" };
  return `var(--${known[verdictOf] || "ours"})`;
};
function failures() {
  const causes = [...new Set(runs.flatMap((run) => Object.keys(data.failures[run] || {})))];
  const total = (cause) => runs.reduce((sum, run) => sum + (data.failures[run]?.[cause] || 0), 0);
  causes.sort((a, b) => total(b) - total(a));
  const most = Math.max(1, ...runs.flatMap((run) => Object.values(data.failures[run] || {})));
  const title = h("h2", { id: "failures" }, "Failures by cause");
  if (!causes.length) return [title, h("p", { class: "note" }, "Every sample passes in the end.")];
  return [title, h("p", { class: "note" }, "Samples that never pass, by the verdict on their last answer and the code that it names."),
    table("cause", causes.map((cause) => row(words(cause), (run) => {
      const n = data.failures[run]?.[cause] || 0;
      return h("div", { class: "count" }, h("span", { class: "track", style: `--part:${(100 * n / most).toFixed(1)}%;--c:${shade(cause)}` }), n ? String(n) : h("span", { class: "sub" }, "0"));
    })))];
}

function tasks() {
  const has = (task) => runs.some((run) => (data.transcripts[run] || []).some((t) => t.task === task));
  return [h("h2", { id: "tasks" }, "Tasks"),
    h("p", { class: "note" }, "First answers that build and that pass, samples that pass with repairs; modelled time of the fastest that passes."),
    table("task", Object.entries(data.tasks).map(([task, counts]) => row(
      has(task) ? h("a", { href: "#/task/" + encodeURIComponent(task) }, task) : task,
      (run) => counts[run] && [`${counts[run].built_first} build, ${counts[run].passed_first} pass, ${counts[run].passed} with repairs, of ${counts[run].samples}`,
        counts[run].missing ? `, ${counts[run].missing} missing` : "", counts[run].modelled_us > 0 ? ` · ${time(counts[run].modelled_us)}` : ""])))];
}

const bubble = (role, ...children) => h("div", { class: "said " + role }, h("small", {}, role), ...children);
function transcript(t) {
  const long = (text) => text.length > 1500 || text.split("\n").length > 24;
  const text = (name, value) => long(value) ? h("details", {}, h("summary", {}, `${name}, ${value.split("\n").length} lines`), h("pre", {}, value)) : h("pre", {}, value);
  return [t.prompt.map((message) => bubble(message.role, text("prompt", message.text))),
    t.answers.map((answer, i) => [bubble("assistant", text("answer", answer.text)),
      h("div", { class: "judged" }, verdict(answer.verdict), answer.modelled_us > 0 && ` modelled ${time(answer.modelled_us)}`, answer.reason && h("p", {}, answer.reason)),
      answer.feedback && bubble("user", text("feedback", answer.feedback), i === t.answers.length - 1 && h("small", {}, "not answered"))])];
}
function taskView(task) {
  const samples = [...new Set(runs.flatMap((run) => (data.transcripts[run] || []).filter((t) => t.task === task).map((t) => t.sample)))].sort((a, b) => a - b);
  const panel = h("div", { id: "panel" }), tabs = h("div", { class: "tabs", role: "tablist" });
  const open = (sample) => {
    for (const tab of tabs.children) tab.setAttribute("aria-selected", String(tab.dataset.sample === String(sample)));
    panel.replaceChildren(h("div", { class: "beside" }, runs.map((run) => {
      const said = (data.transcripts[run] || []).find((t) => t.task === task && t.sample === sample);
      return h("section", {}, h("h2", {}, run), said ? transcript(said) : h("p", { class: "note" }, "No transcript of this sample: records of stores have none."));
    })));
  };
  tabs.append(...samples.map((sample) => h("button", { type: "button", role: "tab", "data-sample": String(sample), onclick: () => open(sample) }, `sample ${sample}`)));
  if (samples.length) open(samples[0]);
  return [h("p", { class: "sub" }, h("a", { href: "#/" }, "All tasks")), h("h1", {}, task), tabs, panel];
}

function overview() {
  return [h("h1", {}, data.title), h("p", { class: "note" }, "The same tasks: answers of each generator or run, judged alike."),
    data.transcripts_left_out > 0 && h("p", { class: "note" }, `${data.transcripts_left_out} transcripts are left out: a page holds 24 MB of them.`),
    overall(), failures(), tasks()];
}
document.getElementById("sections").append(...[["overall", "Overall"], ["failures", "Failures"], ["tasks", "Tasks"]].map(([id, name]) => h("a", { href: "#/" + id }, name)));
function show() {
  const [kind, name] = location.hash.replace(/^#\//, "").split("/");
  const task = kind === "task" && decodeURIComponent(name || "") in data.tasks ? decodeURIComponent(name) : null;
  main.replaceChildren(...[task ? taskView(task) : overview()].flat(Infinity).filter(Boolean));
  const target = !task && kind && document.getElementById(kind);
  if (target) target.scrollIntoView();
  else scrollTo(0, 0);
  document.body.classList.toggle("wide-page", Boolean(task));
  document.title = task ? `${task} · ${data.title}` : data.title;
}
addEventListener("hashchange", () => { show(); main.focus({ preventScroll: true }); });
show();
