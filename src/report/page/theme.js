"use strict";
// Light or dark as the reader's system has it, until somebody says otherwise; then so on all pages of this place.
{
  const root = document.documentElement, button = document.getElementById("theme");
  try {
    const said = localStorage.getItem("theme");
    if (said === "light" || said === "dark") root.dataset.theme = said;
  } catch { /* a reader who keeps nothing */ }
  button.hidden = false;
  button.addEventListener("click", () => {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* likewise */ }
    root.dispatchEvent(new Event("theme"));
  });
}
