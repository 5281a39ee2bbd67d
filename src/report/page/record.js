// The page of a record: its text is there already; the drawing of its timeline becomes a window that moves.
{
  const spans = new Spans(data.timeline, data.sites, "");
  const goTo = (file, line) => {
    const list = [...document.querySelectorAll("details")].find((one) => one.querySelector("summary").textContent === file);
    const target = list?.querySelectorAll(".l")[line - 1];
    if (!target) return;
    list.open = true;
    for (const marked of document.querySelectorAll(".l.chosen")) marked.classList.remove("chosen");
    target.classList.add("chosen");
    const box = target.parentElement;
    box.scrollTop += target.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
  };
  if (spans.count)
    document.getElementById("timeline").replaceChildren(coreSection(spans, new Window(spans), legend(spans), goTo));
}
