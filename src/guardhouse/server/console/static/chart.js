// Decisions over time, as stacked bars. What is drawn is also there in words and in a table, for who can't see it.

const HEIGHT = 220;
const by = (id) => document.getElementById(id);
const number = new Intl.NumberFormat("en");
let drawn = null;

const colours = matchMedia("(prefers-color-scheme: dark)");
const redraw = () => drawn?.plot.redraw(false);
colours.addEventListener("change", redraw);
new MutationObserver(redraw).observe(document.documentElement, { attributeFilter: ["data-theme"] });

/** Draw what `box` holds, if there is one. */
export function begun(box) {
  if (!box) return;
  const numbers = (text) => (text ? text.split(" ").map(Number) : []);
  const at = numbers(box.dataset.times);
  const sorts = [...box.querySelectorAll("[data-series]")].map((one) => ({ tone: one.dataset.series, counts: numbers(one.dataset.counts) }));
  if (!at.length) return;
  const width = at.length > 1 ? at[1] - at[0] : 60;
  const probe = document.createElement("span");
  probe.hidden = true;
  box.append(probe);
  const colour = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  // Those on top are drawn first, as high as all below them together.
  const sums = [];
  sorts.forEach((sort, place) => sums.push(sort.counts.map((count, index) => count + (place ? sums[place - 1][index] : 0))));
  const order = sorts.map((_, place) => place).reverse();
  const span = at.at(-1) + width - at[0];
  const format = new Intl.DateTimeFormat(undefined, span <= 90_000 ? { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } : { day: "numeric", month: "short" });
  const whole = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const bars = (place) => {
    const below = place ? sums[place - 1] : sums[0].map(() => 0);
    const disp = { y0: { unit: 1, values: () => below }, y1: { unit: 1, values: () => sums[place] } };
    return uPlot.paths.bars({ size: [0.76, 36], align: 1, radius: 0, disp });
  };
  const axis = { stroke: () => colour("--muted"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  const plot = new uPlot(
    {
      width: box.clientWidth || 600,
      height: HEIGHT,
      padding: [10, 22, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
      select: { show: false },
      scales: {
        x: { time: true, range: () => [at[0], at.at(-1) + width] },
        y: { range: (_plot, _least, most) => [0, Math.max(4, most * 1.08)] },
      },
      axes: [
        { ...axis, size: 30, grid: { show: false }, space: 72, incrs: span <= 90_000 ? [60, 300, 600, 900, 1800, 3600, 7200, 10_800, 14_400, 21_600] : [1, 2, 5, 7, 14, 30].map((days) => days * 86_400), values: (_plot, splits) => splits.map((one) => format.format(one * 1000)) },
        { ...axis, size: 48, grid: { stroke: () => colour("--line"), width: 1 }, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 50_000, 100_000], values: (_plot, splits) => splits.map((one) => number.format(one)) },
      ],
      series: [
        {},
        ...order.map((place) => ({
          width: 0,
          points: { show: false },
          paths: bars(place),
          fill: (self) => filled(self.ctx, sorts[place].tone, colour),
        })),
      ],
      hooks: { setCursor: [(self) => tell(self.cursor.idx)] },
    },
    [at, ...order.map((place) => sums[place])],
    box,
  );
  function tell(index) {
    for (const shown of document.querySelectorAll("[data-legend]")) {
      const isOver = index != null && sorts[shown.dataset.legend].counts[index] != null;
      shown.textContent = isOver ? number.format(sorts[shown.dataset.legend].counts[index]) : shown.dataset.total;
    }
    if (by("chart-when")) by("chart-when").textContent = index == null ? "" : `from ${whole.format(at[index] * 1000)}`;
  }
  plot.over.addEventListener("mouseleave", () => tell(null));
  const sizes = new ResizeObserver(() => {
    if (box.clientWidth && box.clientWidth !== plot.width) plot.setSize({ width: box.clientWidth, height: HEIGHT });
  });
  sizes.observe(box);
  drawn = { plot, sizes };
}

export function ended() {
  drawn?.sizes.disconnect();
  drawn?.plot.destroy();
  drawn = null;
}

/** What a sort is filled with: colours differ, and so do patterns. */
function filled(context, tone, colour) {
  const [plain, lines] = [colour(`--chart-${tone}`), colour("--surface")];
  if (tone !== "asked" && tone !== "redacted") return plain;
  const tile = document.createElement("canvas");
  const size = Math.round(6 * devicePixelRatio);
  tile.width = tile.height = size;
  const brush = tile.getContext("2d");
  brush.fillStyle = plain;
  brush.fillRect(0, 0, size, size);
  brush.strokeStyle = brush.fillStyle = lines;
  brush.lineWidth = 1.4 * devicePixelRatio;
  brush.globalAlpha = 0.55;
  if (tone === "asked") {
    brush.beginPath();
    for (const shift of [-size, 0, size]) {
      brush.moveTo(shift - 1, size + 1);
      brush.lineTo(shift + size + 1, -1);
    }
    brush.stroke();
  } else {
    brush.beginPath();
    brush.arc(size / 2, size / 2, size / 5, 0, 7);
    brush.fill();
  }
  return context.createPattern(tile, "repeat");
}
