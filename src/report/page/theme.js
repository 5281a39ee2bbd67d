"use strict";
// Light or dark as the reader's system has it, until somebody says otherwise.
{
  const button = document.getElementById("theme");
  button.hidden = false;
  button.addEventListener("click", () => {
    const root = document.documentElement;
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    root.dispatchEvent(new Event("theme"));
  });
}
