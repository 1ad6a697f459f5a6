// Axes: numbers and names as texts, the room that names need, and axes as ECharts draws them.
// First of the files of the script: what all of them need is here.

// The charts of the page, which are data in it.
const charts = JSON.parse(document.getElementById("charts").textContent);
const root = document.documentElement;
const isDark = () => root.dataset.theme === "dark";
const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
const finite = (value) => value !== null && Number.isFinite(value);

// Values come in the unit of their axis: which unit that is was decided before, for all outputs.
function number(value) {
  if (!finite(value)) return "-";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e7 || size < 1e-3)) return value.toExponential(3);
  return String(Number(value.toPrecision(5)));
}
// 3 nines are 99.9 %.
function percentile(nines) {
  const share = 100 * (1 - Math.pow(10, -nines));
  return Number(share.toFixed(Math.max(0, Math.ceil(nines) - 1))) + " %";
}
function shown(axis, value) {
  if (axis.scale === "names") return axis.names[Math.round(value)] ?? "";
  if (axis.scale === "nines") return percentile(value);
  return axis.unit ? number(value) + " " + axis.unit : number(value);
}
const titled = (axis) => (axis.unit && axis.scale !== "nines"
  ? (axis.name ? axis.name + ", " : "") + axis.unit : axis.name);

// The next of 1, 2, 5, 10, ... below or above.
function rounded(value, up) {
  const ten = Math.pow(10, Math.floor(Math.log10(value)));
  const steps = [1, 2, 5, 10].map((step) => step * ten);
  return up ? steps.find((step) => step >= value * 0.999)
    : steps.findLast((step) => step <= value * 1.001);
}
const powersOfTwo = (chart) => chart.lines.every((line) =>
  line.points.every((point) => Number.isInteger(Math.log2(point[0]))));

// How wide a text of an axis or a band is, px.
const pen = document.createElement("canvas").getContext("2d");
function widthOf(text) {
  pen.font = "11px " + getComputedStyle(document.body).fontFamily;
  return pen.measureText(text).width;
}
// A name in lines of this width, broken behind blanks and signs, and within a word only where a
// word is too long: nothing of a name is ever left out.
function lined(name, width) {
  const lines = [];
  let line = "";
  for (const part of String(name).match(/[^\s@,:/_=.-]*[\s@,:/_=.-]?/g).filter((part) => part)) {
    let rest = part;
    if (line && widthOf((line + rest).trimEnd()) > width) {
      lines.push(line.trim());
      line = "";
    }
    while (widthOf(rest.trimEnd()) > width && rest.length > 1) {
      let fits = rest.length - 1;
      while (fits > 1 && widthOf(rest.slice(0, fits)) > width) fits -= 1;
      lines.push(rest.slice(0, fits));
      rest = rest.slice(fits);
    }
    line += rest;
  }
  if (line.trim()) lines.push(line.trim());
  return lines;
}
// A line of a name, and of names that are turned: what they take across themselves, px.
const LINE = 14;
const TURNED = 12;
// How many names an axis of points can have: more stand in the table and in the tooltip only.
const NAMES = 40;

// Names turned below their points: at an angle, or upright where they would take too much of the
// width or lie on each other; null where they do so even then.
function turned(names, width, left, right) {
  const wide = names.map(widthOf);
  const longest = Math.max(...wide);
  const across = width - right;
  for (const turn of [40, 90]) {
    const angle = turn * Math.PI / 180;
    const [sin, cos] = [Math.sin(angle), Math.cos(angle)];
    // A name ends at its point, which moves to the right with the room on the left.
    const from = Math.max(left, ...wide.map((long, at) => {
      const share = (at + 0.5) / names.length;
      return ((long + LINE) * cos - share * across) / (1 - share);
    }));
    const apart = (across - from) / names.length * sin;
    if (apart < TURNED || (turn < 90 && from > width / 3)) continue;
    const lines = names.map((name) => [name]);
    return { lie: false, turn, lines, height: longest * sin + 20, left: from };
  }
  return null;
}
// Room for the names of an axis between margins, px: in lines below it, turned below it, or beside
// it, where the bars then lie. Null if they have no room.
function room(chart, width, left, right) {
  const names = chart.x.names;
  const bars = chart.kind === "bars";
  const each = (width - left - right) / Math.max(1, names.length) - 12;
  const longest = Math.max(0, ...names.map(widthOf));
  const below = names.map((name) => lined(name, each));
  // Bars lie rather than have names that are broken at every sign.
  const words = names.flatMap((name) => name.split(bars ? /[\s@,]/ : /(?<=[\s@,:/_=.-])/));
  const word = Math.max(0, ...words.map((part) => widthOf(part.trimEnd())));
  const most = Math.max(1, ...below.map((lines) => lines.length));
  if (longest <= each || (word <= each && most <= 3)) {
    return { lie: false, turn: 0, lines: below, height: most * LINE + 4 };
  }
  if (bars) {
    const wide = Math.min(longest + 2, Math.max(110, width * 0.42));
    const lines = names.map((name) => lined(name, wide));
    return { lie: true, turn: 0, lines, wide: Math.max(...lines.flat().map(widthOf)) };
  }
  return names.length <= NAMES ? turned(names, width, left, right) : null;
}

function axisOption(axis, upwards, doubles, names) {
  const ink = css("--ink"), soft = css("--soft"), rule = css("--rule");
  const option = {
    name: titled(axis), nameLocation: "middle", nameGap: upwards ? 52 : 30,
    nameTextStyle: { color: soft, fontSize: 12 },
    axisLine: { show: true, lineStyle: { color: soft } },
    axisLabel: { color: ink, fontSize: 11, hideOverlap: true },
    splitLine: { show: upwards || axis.scale === "nines", lineStyle: { color: rule } },
  };
  if (axis.scale === "names") {
    option.type = "category";
    option.data = axis.names;
    option.splitLine.show = false;
    if (names) {
      Object.assign(option.axisLabel, { interval: 0, hideOverlap: false, lineHeight: LINE,
        rotate: names.turn, formatter: (name, at) => (names.lines[at] ?? [name]).join("\n") });
      option.nameGap = upwards ? names.wide + 14 : names.height + 10;
    } else {
      option.axisLabel.show = false;
      option.axisTick = { show: false };
    }
  } else if (axis.scale === "log") {
    option.type = "log";
    option.logBase = doubles ? 2 : 10;
    option.axisLabel.formatter = number;
    option.minorSplitLine = { show: false };
    const end = (value, up) => (doubles ? value : rounded(value, up));
    if (axis.from === null) option.min = (range) => end(range.min, false);
    if (axis.to === null) option.max = (range) => end(range.max, true);
  } else if (axis.scale === "nines") {
    option.type = "value";
    option.interval = 1;
    option.axisLabel.formatter = percentile;
  } else {
    option.type = "value";
    option.scale = axis.from === null;
    option.axisLabel.formatter = number;
  }
  if (axis.from !== null) option.min = axis.from;
  if (axis.to !== null) option.max = axis.to;
  return option;
}
