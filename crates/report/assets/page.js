"use strict";
// Draws the charts of a report with ECharts, and makes tables sortable. Everything that is said is
// in the page without this script; charts are data in the element #charts.
(() => {
  const charts = JSON.parse(document.getElementById("charts").textContent);
  // Okabe and Ito's colours, which the colour-blind can tell apart; the last for dark pages too.
  const light = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#8a6d00", "#56B4E9", "#7A4FBF",
    "#444444", "#a63d5f", "#2f6f3e", "#b07c00", "#3b4cc0"];
  const dark = ["#56B4E9", "#E69F00", "#2fc79a", "#e79ac8", "#F0E442", "#7ea6ff", "#b79cf0",
    "#c8c8c8", "#f08a7a", "#8fd17f", "#ffcf70", "#9fb3ff"];
  const symbols = ["circle", "rect", "triangle", "diamond", "pin", "arrow"];
  const dashes = ["solid", "dashed", "dotted", [8, 3, 2, 3]];
  const drawn = new Map();
  // The drives of the page: each has one colour in all charts.
  const drives = [...new Set(charts.flatMap((chart) =>
    [...(chart.x.drives ?? []), ...chart.lines.map((line) => line.drive)]))].filter((drive) => drive);

  const root = document.documentElement;
  const isDark = () => root.dataset.theme === "dark";
  const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const palette = () => (isDark() ? dark : light);
  // Beyond the end of the palette hues are far apart too.
  const paint = (colours, at) => colours[at] ?? `hsl(${(at * 137.5) % 360}, 65%, ${isDark() ? 65 : 38}%)`;
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
    return up ? steps.find((step) => step >= value * 0.999) : steps.findLast((step) => step <= value * 1.001);
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
  const LINE = 14;
  const TURN = 40;
  // Room for the names of an axis: in lines below it, turned below it, or beside it, where the
  // bars then lie.
  function room(chart, width) {
    const names = chart.x.names;
    const each = width / Math.max(1, names.length) - 12;
    const longest = Math.max(0, ...names.map(widthOf));
    const below = names.map((name) => lined(name, each));
    const words = Math.max(0, ...names.flatMap((name) => name.split(/[\s@,]/)).map(widthOf));
    const most = Math.max(1, ...below.map((lines) => lines.length));
    if (longest <= each || (words <= each && most <= 3)) {
      return { lie: false, turn: 0, lines: below, height: most * LINE + 4 };
    }
    if (chart.kind === "bars") {
      const wide = Math.min(longest + 2, Math.max(110, (width + 100) * 0.42));
      const lines = names.map((name) => lined(name, wide));
      return { lie: true, turn: 0, lines, wide: Math.max(...lines.flat().map(widthOf)) };
    }
    const angle = TURN * Math.PI / 180;
    return { lie: false, turn: TURN, lines: names.map((name) => [name]),
      height: longest * Math.sin(angle) + 20, left: longest * Math.cos(angle) - each / 2 };
  }
  // How many names an axis of points can have: more stand in the table and in the tooltip only.
  const NAMES = 40;
  const named = (chart) => chart.x.scale === "names" && (chart.kind === "bars" || chart.x.names.length <= NAMES);
  // How high lying bars are, px: names of several lines and several bars a name need room.
  function lying(chart, width) {
    if (chart.kind !== "bars" || !chart.x.names.length) return null;
    const { lie, lines } = room(chart, width - 100);
    if (!lie) return null;
    const most = Math.max(...lines.map((name) => name.length));
    return chart.x.names.length * Math.max(most * LINE + 8, chart.lines.length * 12 + 10, 30) + 70;
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
      if (axis.from === null) option.min = (range) => (doubles ? range.min : rounded(range.min, false));
      if (axis.to === null) option.max = (range) => (doubles ? range.max : rounded(range.max, true));
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

  // What was fitted and what was predicted keep their colours from picture to picture, and so does
  // a drive; of several lines of one drive alone the first has its colour, the others have colours
  // that no drive has.
  function colourOf(chart, index) {
    const { style, drive } = chart.lines[index];
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
      if (line.style === "rings") series.itemStyle = { color: colour, borderColor: colour, borderWidth: 2 };
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

  function tooltip(chart) {
    const at = (line, point, name) => {
      const axis = line.second && chart.second ? chart.second : chart.y;
      const value = chart.y.scale === "names" && chart.kind === "heat" ? point[2] : point[1];
      const unit = chart.kind === "heat" ? chart.y.unit : axis.unit;
      return escape(name) + ": <b>" + number(value) + (unit ? " " + escape(unit) : "") + "</b>";
    };
    return (items) => {
      const list = Array.isArray(items) ? items : [items];
      const texts = [];
      let head = null;
      for (const item of list) {
        if (item.seriesType === "custom") continue;
        const line = chart.lines[item.seriesIndex] ?? chart.lines.find((l) => l.name === item.seriesName);
        if (!line || line.style === "guide") continue;
        const point = line.points[item.dataIndex];
        if (!point) continue;
        if (head === null) head = escape(shown(chart.x, point[0]));
        const label = line.labels?.[item.dataIndex];
        const interval = line.intervals?.[item.dataIndex];
        let text = item.marker + at(line, point, line.name);
        if (interval) text += " (" + number(interval[0]) + " to " + number(interval[1]) + ")";
        if (label) text += "<br>&nbsp;&nbsp;" + escape(label);
        texts.push(text);
      }
      return (head ? head + "<br>" : "") + texts.join("<br>");
    };
  }
  const escape = (text) => String(text).replace(/[&<>"]/g, (c) =>
    ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

  // What the drive was doing has a tint each.
  const tints = ["rgba(0,114,178,.10)", "rgba(213,94,0,.14)", "rgba(128,128,128,.18)", "rgba(0,158,115,.15)",
    "rgba(204,121,167,.20)", "rgba(240,228,66,.24)"];
  const bandNames = (chart) => [...new Set(chart.bands.map((band) => band.name))];
  const tintOf = (chart, name) => {
    const at = bandNames(chart).indexOf(name);
    return tints[at] ?? `hsla(${(at * 137.5) % 360}, 60%, 50%, .16)`;
  };

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
      grid: { left: 76, right: chart.second ? 76 : 24, top: 20, bottom: 56 },
    };
    if (chart.kind === "radar") {
      const most = Math.max(...chart.lines.flatMap((line) => line.points[0]).filter(finite));
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
          lineStyle: { width: 2, color: paint(colours, colourOf(chart, i)), type: dashes[i % dashes.length] },
          itemStyle: { color: paint(colours, colourOf(chart, i)) }, areaStyle: { opacity: 0.08 },
        })) }],
      };
    }
    if (chart.kind === "heat") {
      const values = chart.lines[0].points.map((point) => point[2]).filter(finite);
      const beside = { lines: chart.y.names.map((name) => lined(name, 160)) };
      beside.wide = Math.max(0, ...beside.lines.flat().map(widthOf));
      const left = beside.wide + 40;
      const names = room(chart, width - left - 110);
      return { ...base,
        grid: { left: Math.max(left, names.left ?? 0), right: 110, top: 20, bottom: names.height + 34 },
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
        series: [{ type: "heatmap", animation: false, data: chart.lines[0].points,
          label: { show: values.length <= 80, formatter: (item) => number(item.value[2]), fontSize: 10 } }],
      };
    }
    const bars = chart.kind === "bars";
    const names = named(chart) ? room(chart, width - 100) : null;
    const series = chart.lines.map((line, i) => {
      if (!bars) return lineSeries(chart, line, i, colours);
      const values = chart.x.names.map(() => null);
      const own = (at) => (chart.x.drives
        ? { itemStyle: { color: paint(colours, drives.indexOf(chart.x.drives[at])) } } : {});
      for (const [at, value] of line.points) values[at] = { value, ...own(at) };
      return { name: line.name, type: "bar", data: values, animation: false, barMaxWidth: 46,
        barCategoryGap: "30%", barGap: "0%",
        itemStyle: { color: paint(colours, colourOf(chart, i)),
          decal: { symbol: i % 4 === 0 ? "none" : "rect", symbolSize: 0.9, dashArrayX: [1, 0],
            dashArrayY: [2, 4], rotation: [0, 0.7, -0.7, 1.57][i % 4], color: "rgba(255,255,255,.35)" } } };
    });
    if (bars) base.tooltip.formatter = (items) => {
      const rows = items.filter((item) => item.seriesType === "bar" && finite(item.value));
      const unit = chart.y.unit ? " " + escape(chart.y.unit) : "";
      return escape(chart.x.names[items[0].dataIndex]) + "<br>" + rows.map((item) =>
        item.marker + escape(item.seriesName) + ": <b>" + number(item.value) + unit + "</b>").join("<br>");
    };
    chart.lines.forEach((line, i) => {
      if (line.intervals) series.push(whiskers(chart, line, i, colours, bars, names?.lie));
    });
    if (chart.bands.length && series.length) {
      // Their names stand in a key above the chart: there is room for all of them.
      series[0].markArea = { silent: true, label: { show: false }, data: chart.bands.map((band) => [
        { xAxis: band.from, itemStyle: { color: tintOf(chart, band.name) } }, { xAxis: band.to }]) };
    }
    const scattered = chart.lines.every((line) => ["dots", "rings", "guide"].includes(line.style));
    if (scattered) base.tooltip.trigger = "item";
    const yAxis = [axisOption(chart.y, true)];
    if (chart.second) yAxis.push({ ...axisOption(chart.second, true), position: "right",
      splitLine: { show: false } });
    const xAxis = axisOption(chart.x, names?.lie, chart.x.scale === "log" && powersOfTwo(chart), names);
    const titles = chart.x.name ? 26 : 6;
    if (names?.lie) {
      Object.assign(base.grid, { left: names.wide + 14 + titles, right: 24, bottom: 50, top: 10 });
      const across = { ...axisOption(chart.y, false), splitLine: { show: true, lineStyle: { color: css("--rule") } } };
      return { ...base, xAxis: across, yAxis: { ...xAxis, inverse: true }, series, dataZoom: [] };
    }
    if (names) {
      base.grid.bottom = xAxis.nameGap + titles;
      base.grid.left = Math.max(base.grid.left, names.left ?? 0);
    }
    const many = chart.kind === "lines" && chart.lines.some((line) => line.points.length > 60);
    return { ...base, xAxis, yAxis, series,
      dataZoom: many ? [{ type: "inside", filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false }] : [] };
  }

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
    const height = lying(chart, plot.clientWidth);
    plot.style.height = height ? height + "px" : "";
    if (instance.getHeight() !== plot.clientHeight || instance.getWidth() !== plot.clientWidth) instance.resize();
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
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
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

  // The numbers of a chart as a table, made when it is asked for.
  function dataTable(details) {
    const holder = details.querySelector(".scroll");
    if (holder.childElementCount) return;
    const chart = charts[Number(details.closest("figure").dataset.chart)];
    const rows = [];
    const radar = chart.kind === "radar";
    for (const line of chart.lines) {
      if (line.style === "guide") continue;
      if (radar) line.points[0].forEach((value, i) => rows.push([line.name, chart.x.names[i], value]));
      else line.points.forEach((point, i) => rows.push([line.name + (line.labels?.[i] ? ", " + line.labels[i] : ""),
        chart.x.scale === "nines" ? percentile(point[0])
          : chart.x.scale === "names" ? chart.x.names[point[0]] : point[0],
        ...(chart.kind === "heat" ? [chart.y.names[point[1]], point[2]] : [point[1]])]));
    }
    const titles = ["Series", titled(chart.x) || "Case", ...(chart.kind === "heat" ? [chart.y.name] : []),
      chart.kind === "heat" ? chart.y.unit || "value" : titled(chart.y) || "Value"];
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
    heads.forEach((head, i) => (i === column
      ? head.setAttribute("aria-sort", up ? "ascending" : "descending") : head.removeAttribute("aria-sort")));
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
    return [...table.rows].map((row) => [...row.cells].map((cell) => quote(cellText(cell))).join(",")).join("\n") + "\n";
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
    for (const entry of entries) if (entry.isIntersecting) { seen.unobserve(entry.target); draw(entry.target); }
  }, { rootMargin: "400px" });
  document.querySelectorAll("figure.chart").forEach((figure) => seen.observe(figure));
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
})();
