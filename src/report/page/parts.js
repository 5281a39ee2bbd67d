// What all pages with a script are made of. Text of candidates is data: everything reaches the page as text nodes,
// never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");
const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity))
    if (child !== null && child !== undefined && child !== false) node.append(child);
  return node;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const s = (tag, attributes, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const percent = (x) => (x * 100).toFixed(x > 0 && x < 1 ? 1 : 0) + " %";
const words = (name) => name.replaceAll("_", " ");
const verdict = (name) => h("span", { class: "v " + name }, words(name));

function number(x) {
  if (typeof x !== "number") return "–";
  const plain = x === 0 || (Math.abs(x) >= 1e-3 && Math.abs(x) < 1e5);
  return plain ? String(+x.toFixed(4)) : x.toExponential(2);
}

function tile(name, value, below) {
  const quiet = typeof value === "string" && !/\d/.test(value);
  return h(
    "div", { class: "tile" },
    h("dt", {}, name), h("dd", { class: quiet ? "quiet" : "" }, value), below && h("small", {}, below));
}
