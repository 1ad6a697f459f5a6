// Charts as ECharts draws them: colours, series, tooltips, and a whole chart of each kind. Axes
// are in axes.js.

// Okabe and Ito's colours, which the colour-blind can tell apart; the last for dark pages too.
const light = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#56B4E9", "#7A4FBF",
  "#444444", "#a63d5f", "#2f6f3e", "#b07c00", "#3b4cc0"];
const dark = ["#56B4E9", "#E69F00", "#2fc79a", "#e79ac8", "#F0E442", "#7ea6ff", "#b79cf0",
  "#c8c8c8", "#f08a7a", "#8fd17f", "#ffcf70", "#9fb3ff"];
const symbols = ["circle", "rect", "triangle", "diamond", "pin", "arrow"];
const dashes = ["solid", "dashed", "dotted", [8, 3, 2, 3]];
// The drives of the page: each has one colour in all charts.
const drives = [...new Set(charts.flatMap((chart) =>
  [...(chart.x.drives ?? []), ...chart.lines.map((line) => line.drive)]))].filter((drive) => drive);

const palette = () => (isDark() ? dark : light);
// Beyond the end of the palette hues are far apart too.
const paint = (colours, at) =>
  colours[at] ?? `hsl(${(at * 137.5) % 360}, 65%, ${isDark() ? 65 : 38}%)`;

// What was fitted and what was predicted keep their colours from picture to picture, and so does
// a drive; of several lines of one drive alone the first has its colour, the others have colours
// that no drive has.
function colourOf(chart, index) {
  const { style, drive } = chart.lines[index];
  if (chart.kind === "parallel") return [7, 0, 1].at(index - chart.lines.length);
  if (style === "dots") return 0;
  if (style === "rings") return 1;
  if (!drive) return index;
  const among = new Set(chart.lines.map((line) => line.drive)).size > 1;
  return among || index === 0 ? drives.indexOf(drive) : drives.length + index - 1;
}
// Lines of one colour differ by their dashes; where each has its own, dashes help to tell them.
const twins = (chart, index) => chart.lines.slice(0, index)
  .filter((line, i) => colourOf(chart, i) === colourOf(chart, index)).length;
const dashOf = (chart, index) => dashes[(chart.lines.some((line, i) => twins(chart, i) > 0)
  ? twins(chart, index) : Math.floor(index / 3)) % dashes.length];

function lineSeries(chart, line, index, colours) {
  const colour = paint(colours, colourOf(chart, index));
  const plain = line.style === "plain" || line.style === "steps";
  const series = {
    name: line.name, type: "line", color: colour, animation: false,
    data: line.points, yAxisIndex: line.second ? 1 : 0, connectNulls: false,
    symbol: symbols[index % symbols.length], symbolSize: 7, showSymbol: !plain,
    lineStyle: { width: 2, type: dashOf(chart, index), color: colour },
    itemStyle: { color: colour }, emphasis: { focus: "series" },
  };
  if (line.style === "dots" || line.style === "rings") {
    series.type = "scatter";
    series.symbolSize = 9;
    series.symbol = line.style === "dots" ? "circle" : "emptyCircle";
    if (line.style === "rings") {
      series.itemStyle = { color: colour, borderColor: colour, borderWidth: 2 };
    }
  }
  if (line.style === "guide") {
    series.showSymbol = false;
    series.lineStyle = { width: 1, type: "dashed", color: css("--soft") };
    series.color = css("--soft");
    series.silent = true;
    series.emphasis = { disabled: true };
    series.tooltip = { show: false };
  }
  if (line.style === "steps") {
    series.step = "start";
    series.areaStyle = { opacity: 0.15 };
  }
  if (line.second) series.lineStyle.type = "dashed";
  return series;
}

// Bars of one line; where each name is a drive, in the colours of the drives.
function barSeries(chart, line, index, colours) {
  const values = chart.x.names.map(() => null);
  const own = (at) => (chart.x.drives
    ? { itemStyle: { color: paint(colours, drives.indexOf(chart.x.drives[at])) } } : {});
  for (const [at, value] of line.points) values[at] = { value, ...own(at) };
  const hatched = { symbol: index % 4 === 0 ? "none" : "rect", symbolSize: 0.9, dashArrayX: [1, 0],
    dashArrayY: [2, 4], rotation: [0, 0.7, -0.7, 1.57][index % 4], color: "rgba(255,255,255,.35)" };
  return { name: line.name, type: "bar", data: values, animation: false, barMaxWidth: 46,
    barCategoryGap: "30%", barGap: "0%",
    itemStyle: { color: paint(colours, colourOf(chart, index)), decal: hatched } };
}

// Whiskers from the low to the high end of each interval.
function whiskers(chart, line, index, colours, bars, lie) {
  const data = line.points.map((point, i) => {
    const ends = line.intervals[i];
    return ends ? [point[0], ends[0], ends[1]] : null;
  }).filter((item) => item !== null);
  const count = chart.lines.length;
  return {
    name: line.name, type: "custom", data, silent: true, animation: false, z: 5,
    encode: lie ? { x: [1, 2], y: 0 } : { x: 0, y: [1, 2] }, tooltip: { show: false },
    renderItem: (params, api) => {
      const coord = (value) => api.coord(lie ? [value, api.value(0)] : [api.value(0), value]);
      const low = coord(api.value(1));
      const high = coord(api.value(2));
      let shift = 0;
      if (bars) {
        const width = (lie ? api.size([0, 1])[1] : api.size([1, 0])[0]) * 0.7 / count;
        shift = (index - (count - 1) / 2) * width;
      }
      const colour = paint(colours, colourOf(chart, index));
      const style = { stroke: bars ? css("--ink") : colour, lineWidth: 1.5 };
      const part = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style });
      const x = low[0] + shift, y = low[1] + shift;
      return { type: "group", children: lie ? [
        part(low[0], y, high[0], y),
        part(low[0], y - 4, low[0], y + 4), part(high[0], y - 4, high[0], y + 4)] : [
        part(x, low[1], x, high[1]),
        part(x - 4, low[1], x + 4, low[1]), part(x - 4, high[1], x + 4, high[1])] };
    },
  };
}

// What is said of the points of lines below the mouse.
function tooltip(chart) {
  const said = (line, value) => {
    const axis = line.second && chart.second ? chart.second : chart.y;
    const unit = axis.unit ? " " + escape(axis.unit) : "";
    return escape(line.name) + ": <b>" + number(value) + unit + "</b>";
  };
  return (items) => {
    const list = Array.isArray(items) ? items : [items];
    const texts = [];
    let head = null;
    for (const item of list) {
      if (item.seriesType === "custom") continue;
      const line = chart.lines[item.seriesIndex]
        ?? chart.lines.find((l) => l.name === item.seriesName);
      if (!line || line.style === "guide") continue;
      const point = line.points[item.dataIndex];
      if (!point) continue;
      if (head === null) head = escape(shown(chart.x, point[0]));
      const label = line.labels?.[item.dataIndex];
      const interval = line.intervals?.[item.dataIndex];
      let text = item.marker + said(line, point[1]);
      if (interval) text += " (" + number(interval[0]) + " to " + number(interval[1]) + ")";
      if (label) text += "<br>&nbsp;&nbsp;" + escape(label);
      texts.push(text);
    }
    return (head ? head + "<br>" : "") + texts.join("<br>");
  };
}
// The same of the bars of a name.
function barTooltip(chart) {
  const unit = chart.y.unit ? " " + escape(chart.y.unit) : "";
  const said = (item) =>
    item.marker + escape(item.seriesName) + ": <b>" + number(item.value) + unit + "</b>";
  return (items) => {
    const bars = items.filter((item) => item.seriesType === "bar" && finite(item.value));
    return escape(chart.x.names[items[0].dataIndex]) + "<br>" + bars.map(said).join("<br>");
  };
}
const escape = (text) => String(text).replace(/[&<>"]/g, (c) =>
  ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// What the drive was doing has a tint each.
const tints = ["rgba(0,114,178,.10)", "rgba(213,94,0,.14)", "rgba(128,128,128,.18)",
  "rgba(0,158,115,.15)", "rgba(204,121,167,.20)", "rgba(240,228,66,.24)"];
const bandNames = (chart) => [...new Set(chart.bands.map((band) => band.name))];
const tintOf = (chart, name) => {
  const at = bandNames(chart).indexOf(name);
  return tints[at] ?? `hsla(${(at * 137.5) % 360}, 60%, 50%, .16)`;
};

// A radar: a drive is a figure, a direction is a load.
function radarOption(chart, base, colours) {
  const most = Math.max(...chart.lines.flatMap((line) => line.points[0]).filter(finite));
  const colour = (at) => paint(colours, colourOf(chart, at));
  return { ...base,
    tooltip: { ...base.tooltip, trigger: "item", formatter: (item) => {
      const line = chart.lines[item.dataIndex];
      return "<b>" + escape(line.name) + "</b><br>" + chart.x.names
        .map((name, i) => escape(name) + ": " + number(line.points[0][i])).join("<br>");
    } },
    radar: {
      radius: "72%",
      indicator: chart.x.names.map((name) => ({ name, max: Math.ceil(most * 1.05), min: 0 })),
      axisName: { color: css("--ink") }, splitArea: { show: false },
      splitLine: { lineStyle: { color: css("--rule") } },
    },
    series: [{ type: "radar", animation: false, data: chart.lines.map((line, i) => ({
      name: line.name, value: line.points[0], symbol: symbols[i % symbols.length], symbolSize: 7,
      lineStyle: { width: 2, color: colour(i), type: dashes[i % dashes.length] },
      itemStyle: { color: colour(i) }, areaStyle: { opacity: 0.08 },
    })) }],
  };
}

// A heat map: the value of each pair of names is a colour.
function heatOption(chart, base, width) {
  const values = chart.lines[0].points.map((point) => point[2]).filter(finite);
  const beside = { lines: chart.y.names.map((name) => lined(name, 160)) };
  beside.wide = Math.max(0, ...beside.lines.flat().map(widthOf));
  const left = beside.wide + 40;
  const names = room(chart, width, left, 110);
  return { ...base,
    grid: { left: names?.left ?? left, right: 110, top: 20, bottom: (names?.height ?? 0) + 34 },
    tooltip: { ...base.tooltip, trigger: "item", formatter: (item) => {
      const [x, y, value] = chart.lines[0].points[item.dataIndex];
      return escape(chart.x.name + " " + chart.x.names[x]) + "<br>" +
        escape(chart.y.name + " " + chart.y.names[y]) + "<br><b>" + number(value) + " " +
        escape(chart.y.unit) + "</b>";
    } },
    xAxis: axisOption({ ...chart.x, unit: "" }, false, false, names),
    yAxis: axisOption({ ...chart.y, unit: "" }, true, false, beside),
    visualMap: {
      min: Math.min(...values), max: Math.max(...values), calculable: true, right: 0, top: "middle",
      text: [chart.y.unit, ""], textStyle: { color: css("--ink") }, formatter: number,
      inRange: { color: ["#fde725", "#5ec962", "#21918c", "#3b528b", "#440154"] },
    },
    series: [{ type: "heatmap", animation: false, data: chart.lines[0].points, label: {
      show: values.length <= 80, formatter: (item) => number(item.value[2]), fontSize: 10 } }],
  };
}

// Axes side by side, a line a point: what is marked on the axes stays, the rest fades.
function parallelOption(chart, base, colours, width) {
  const [left, right] = [60, 90];
  const apart = (width - left - right) / Math.max(1, chart.axes.length - 1);
  const titles = chart.axes.map((axis) => lined(titled(axis), Math.max(50, apart - 20)));
  const high = Math.max(...titles.map((lines) => lines.length)) * LINE;
  const axes = chart.axes.map((axis, dim) => {
    const names = axis.names.map((name) => lined(name, Math.max(60, apart - 20)));
    const { type, logBase, data, min, max, scale } = axisOption(axis, true, false, null);
    const formatter = axis.scale === "names"
      ? (name, at) => (names[at] ?? [name]).join("\n") : number;
    return { dim, type, logBase, data, min, max, scale, name: titles[dim].join("\n"),
      nameTruncate: { maxWidth: width },
      nameTextStyle: { color: css("--ink"), fontSize: 12, lineHeight: LINE },
      axisLine: { lineStyle: { color: css("--soft") } },
      axisLabel: { color: css("--ink"), fontSize: 11, formatter, textBorderColor: css("--panel"),
        textBorderWidth: 3, hideOverlap: axis.scale !== "names", interval: 0 } };
  });
  const place = (axis, value) => escape(axis.name) + ": <b>"
    + escape(finite(value) ? shown(axis, value) : "-") + "</b>";
  const said = (item) => item.marker + escape(item.seriesName) + "<br>"
    + chart.axes.map((axis, i) => place(axis, item.value[i])).join("<br>");
  const ofMany = chart.lines.reduce((sum, line) => sum + line.points.length, 0) > 200;
  return { ...base,
    tooltip: { ...base.tooltip, trigger: "item", formatter: said },
    parallel: { left, right, top: high + 26, bottom: 24,
      parallelAxisDefault: { nameGap: 10, areaSelectStyle: { width: 18, opacity: 0.25 } } },
    parallelAxis: axes,
    series: chart.lines.map((line, i) => {
      const front = i === chart.lines.length - 1;
      return { name: line.name, type: "parallel", data: line.points, z: 2 + i,
        color: paint(colours, colourOf(chart, i)), inactiveOpacity: 0.04,
        activeOpacity: front ? 0.95 : 0.6,
        lineStyle: { width: front ? 2 : ofMany ? 0.8 : 1.2, opacity: front ? 0.95 : 0.45,
          color: paint(colours, colourOf(chart, i)) },
        emphasis: { lineStyle: { width: 3, opacity: 1 } } };
    }),
  };
}

// The series of lines, points and bars with their whiskers, and what the drive was doing behind.
function seriesOf(chart, colours, names) {
  const bars = chart.kind === "bars";
  const series = chart.lines.map((line, i) => (bars
    ? barSeries(chart, line, i, colours) : lineSeries(chart, line, i, colours)));
  chart.lines.forEach((line, i) => {
    if (line.intervals) series.push(whiskers(chart, line, i, colours, bars, names?.lie));
  });
  if (chart.bands.length && series.length) {
    // Their names stand in a key above the chart: there is room for all of them.
    series[0].markArea = { silent: true, label: { show: false }, data: chart.bands.map((band) => [
      { xAxis: band.from, itemStyle: { color: tintOf(chart, band.name) } }, { xAxis: band.to }]) };
  }
  return series;
}

// What stands beside the drawing of lines, points or bars: the names of the axis across and the
// room around, px.
function surroundings(chart, width) {
  const [left, right] = [76, chart.second ? 76 : 24];
  const names = chart.x.scale === "names" ? room(chart, width, left, right) : null;
  const title = chart.x.name ? 26 : 6;
  if (!names) return { names, grid: { left, right, top: 20, bottom: 56 } };
  if (names.lie) {
    return { names, grid: { left: names.wide + 14 + title, right, top: 10, bottom: 50 } };
  }
  const bottom = names.height + 10 + title;
  return { names, grid: { left: names.left ?? left, right, top: 20, bottom } };
}
// The least height of a drawing with names below it, px.
const DRAWING = 200;
// How high a chart is, px; `usual` is the height of one without names. Lying bars need room for
// names of several lines and for several bars a name, others for their names below.
function heightOf(chart, width, usual) {
  if (chart.x.scale !== "names" || chart.kind === "radar" || chart.kind === "heat") return usual;
  const { names, grid } = surroundings(chart, width);
  if (!names?.lie) return Math.max(usual, grid.top + DRAWING + grid.bottom);
  const most = Math.max(...names.lines.map((name) => name.length));
  return chart.x.names.length * Math.max(most * LINE + 8, chart.lines.length * 12 + 10, 30) + 70;
}

// Lines, points or bars between two axes, or three.
function planeOption(chart, base, colours, width) {
  const { names, grid } = surroundings(chart, width);
  const series = seriesOf(chart, colours, names);
  if (chart.kind === "bars") base.tooltip.formatter = barTooltip(chart);
  const scattered = chart.lines.every((line) => ["dots", "rings", "guide"].includes(line.style));
  if (scattered) base.tooltip.trigger = "item";
  const doubles = chart.x.scale === "log" && powersOfTwo(chart);
  const xAxis = axisOption(chart.x, names?.lie, doubles, names);
  if (names?.lie) {
    const across = { ...axisOption(chart.y, false),
      splitLine: { show: true, lineStyle: { color: css("--rule") } } };
    return { ...base, grid, xAxis: across, yAxis: { ...xAxis, inverse: true }, series };
  }
  const yAxis = [axisOption(chart.y, true)];
  if (chart.second) yAxis.push({ ...axisOption(chart.second, true), position: "right",
    splitLine: { show: false } });
  const many = chart.kind === "lines" && chart.lines.some((line) => line.points.length > 60);
  const zoom = { type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl",
    moveOnMouseWheel: false };
  return { ...base, grid, xAxis, yAxis, series, dataZoom: many ? [zoom] : [] };
}

// A chart in a place of this width, px.
function option(chart, width) {
  const colours = palette();
  const base = {
    animation: false, backgroundColor: "transparent",
    textStyle: { fontFamily: getComputedStyle(document.body).fontFamily, color: css("--ink") },
    tooltip: {
      trigger: "axis", confine: true, backgroundColor: css("--panel"), borderColor: css("--rule"),
      textStyle: { color: css("--ink"), fontSize: 12 }, formatter: tooltip(chart),
    },
    legend: { show: false },
  };
  if (chart.kind === "radar") return radarOption(chart, base, colours);
  if (chart.kind === "parallel") return parallelOption(chart, base, colours, width);
  if (chart.kind === "heat") return heatOption(chart, base, width);
  return planeOption(chart, base, colours, width);
}
