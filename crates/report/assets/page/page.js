// The page: draws each chart when it is near, with its legend, its keys and its data as a table;
// sorts tables and copies them. Charts are in charts.js. Everything that is said is in the page
// without this script.

// Charts of a page that are drawn before they are near, at most.
const AT_ONCE = 16;
// Drawings of ECharts by the number of the chart.
const drawn = new Map();

function draw(figure) {
  const index = Number(figure.dataset.chart);
  const chart = charts[index];
  const plot = figure.querySelector(".plot");
  let instance = drawn.get(index);
  if (!instance) {
    if (plot.clientWidth === 0) return;
    instance = echarts.init(plot, null, { renderer: "svg" });
    drawn.set(index, instance);
    legend(figure, chart, instance);
    keys(plot, chart, instance);
  }
  plot.style.height = "";
  const usual = plot.clientHeight;
  const height = heightOf(chart, plot.clientWidth, usual);
  if (height !== usual) plot.style.height = height + "px";
  const fits = instance.getHeight() === plot.clientHeight
    && instance.getWidth() === plot.clientWidth;
  if (!fits) instance.resize();
  instance.setOption(option(chart, plot.clientWidth), { notMerge: true });
  colourLegend(figure, chart);
  for (const button of figure.querySelectorAll(".legend button")) {
    if (button.getAttribute("aria-pressed") === "false") {
      instance.dispatchAction({ type: "legendUnSelect", name: button.dataset.name });
    }
  }
  figure.dataset.drawn = "true";
}

// A legend of buttons: reachable by keyboard, and read out with its state.
function legend(figure, chart, instance) {
  const box = figure.querySelector(".legend");
  for (const name of bandNames(chart)) {
    const item = document.createElement("li");
    const key = document.createElement("span");
    key.className = "key";
    key.setAttribute("aria-hidden", "true");
    key.style.background = tintOf(chart, name);
    item.append(key, name);
    figure.querySelector(".bands").append(item);
  }
  const lines = chart.lines.filter((line) => line.style !== "guide");
  const telling = lines.some((line) => line.style === "dots" || line.style === "rings");
  if ((lines.length < 2 && !telling) || chart.kind === "heat") return;
  for (const line of lines) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.name = line.name;
    button.setAttribute("aria-pressed", "true");
    const key = document.createElement("span");
    key.className = "key";
    key.setAttribute("aria-hidden", "true");
    button.append(key, line.name);
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(on));
      instance.dispatchAction({ type: on ? "legendSelect" : "legendUnSelect", name: line.name });
    });
    button.addEventListener("mouseenter", () =>
      instance.dispatchAction({ type: "highlight", seriesName: line.name }));
    button.addEventListener("mouseleave", () =>
      instance.dispatchAction({ type: "downplay", seriesName: line.name }));
    box.append(button);
  }
}
function colourLegend(figure, chart) {
  const colours = palette();
  for (const button of figure.querySelectorAll(".legend button")) {
    const i = chart.lines.findIndex((line) => line.name === button.dataset.name);
    button.querySelector(".key").style.background = paint(colours, colourOf(chart, i));
  }
}

// Arrow keys walk through the points: left and right along a line, up and down between lines.
function keys(plot, chart, instance) {
  let line = 0, point = -1;
  const steps = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
  plot.addEventListener("keydown", (event) => {
    const step = steps[event.key];
    if (event.key === "Escape") instance.dispatchAction({ type: "hideTip" });
    if (!step) return;
    event.preventDefault();
    const lines = chart.kind === "radar" ? 1 : chart.lines.length;
    line = (line + step[0] + lines) % lines;
    const points = chart.kind === "radar" ? chart.lines.length : chart.lines[line].points.length;
    point = Math.min(Math.max(point + step[1], 0), points - 1);
    instance.dispatchAction({ type: "showTip", seriesIndex: line, dataIndex: point });
  });
}

// The numbers of a chart: titles of columns, and rows.
function dataOf(chart) {
  if (chart.kind === "parallel") {
    const place = (axis, value) => (axis.scale === "names" ? axis.names[value] : value);
    const row = (line, point) => [line.name, ...point.map((at, i) => place(chart.axes[i], at))];
    const rows = chart.lines.flatMap((line) => line.points.map((point) => row(line, point)));
    return { titles: ["Series", ...chart.axes.map(titled)], rows };
  }
  const heat = chart.kind === "heat";
  const place = (value) => (chart.x.scale === "nines" ? percentile(value)
    : chart.x.scale === "names" ? chart.x.names[value] : value);
  const row = (line, point, i) => {
    const label = line.labels?.[i] ? ", " + line.labels[i] : "";
    const values = heat ? [chart.y.names[point[1]], point[2]] : [point[1]];
    return [line.name + label, place(point[0]), ...values];
  };
  const rows = chart.lines.filter((line) => line.style !== "guide").flatMap((line) =>
    (chart.kind === "radar" ? line.points[0].map((value, i) => [line.name, chart.x.names[i], value])
      : line.points.map((point, i) => row(line, point, i))));
  const values = heat ? [chart.y.name, chart.y.unit || "value"] : [titled(chart.y) || "Value"];
  return { titles: ["Series", titled(chart.x) || "Case", ...values], rows };
}
// The same as a table, made when it is asked for.
function dataTable(details) {
  const holder = details.querySelector(".scroll");
  if (holder.childElementCount) return;
  const { titles, rows } = dataOf(charts[Number(details.closest("figure").dataset.chart)]);
  const table = document.createElement("table");
  const head = table.createTHead().insertRow();
  for (const title of titles) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = title;
    head.append(cell);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const line = body.insertRow();
    for (const value of row) {
      const cell = line.insertCell();
      cell.textContent = typeof value === "number" ? number(value) : value ?? "-";
      if (typeof value === "number") cell.className = "right";
    }
  }
  holder.append(table);
}

// Tables: sorted by a click on a heading, copied as CSV.
function sortBy(table, column) {
  const heads = [...table.tHead.rows[0].cells];
  const up = heads[column].getAttribute("aria-sort") !== "ascending";
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", up ? "ascending" : "descending");
  const key = (row) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cellText(cell);
    return text === "-" ? null : text;
  };
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    const result = typeof x === "number" && typeof y === "number" ? x - y
      : String(x).localeCompare(String(y), "en", { numeric: true });
    return up ? result : -result;
  };
  const body = table.tBodies[0];
  body.append(...[...body.rows].sort(order));
}
const cellText = (cell) => (cell.querySelector("summary") ?? cell).textContent.trim();
function csv(table) {
  const quote = (text) => (/[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text);
  const line = (row) => [...row.cells].map((cell) => quote(cellText(cell))).join(",") + "\n";
  return [...table.rows].map(line).join("");
}
async function copy(button) {
  const text = csv(button.closest(".table, .data").querySelector("table"));
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages opened from a file may not write to the clipboard: an old way is left.
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy as CSV"; }, 1500);
}

function redraw() {
  for (const index of drawn.keys()) draw(document.querySelector(`figure[data-chart="${index}"]`));
}
function drawAll() {
  document.querySelectorAll("details.block").forEach((details) => { details.open = true; });
  document.querySelectorAll("figure.chart").forEach((figure) => draw(figure));
  drawn.forEach((instance) => instance.resize());
}

root.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries.filter((entry) => entry.isIntersecting)) {
    seen.unobserve(entry.target);
    draw(entry.target);
  }
}, { rootMargin: "400px" });
// Few charts are drawn at once: a print or a picture of the page shows what nobody has scrolled to.
const figures = [...document.querySelectorAll("figure.chart")];
const isHidden = (figure) => figure.closest("details:not([open])") !== null;
for (const figure of figures) {
  if (figures.length <= AT_ONCE && !isHidden(figure)) draw(figure);
  else seen.observe(figure);
}
addEventListener("beforeprint", drawAll);
document.querySelectorAll("details.data").forEach((details) =>
  details.addEventListener("toggle", () => details.open && dataTable(details)));
document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (!button) return;
  if (button.matches("th button")) {
    const head = button.closest("th");
    sortBy(head.closest("table"), head.cellIndex);
  } else if (button.matches(".copy")) copy(button);
  else if (button.matches(".theme")) {
    root.dataset.theme = isDark() ? "light" : "dark";
    redraw();
  } else if (button.matches(".all")) drawAll();
});
let waiting = 0;
addEventListener("resize", () => {
  clearTimeout(waiting);
  waiting = setTimeout(() => { drawn.forEach((instance) => instance.resize()); redraw(); }, 120);
});
addEventListener("beforeprint", () => { root.dataset.theme = "light"; drawAll(); redraw(); });
root.dataset.ready = "true";
