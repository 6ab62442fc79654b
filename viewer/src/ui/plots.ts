import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Analysis } from "../analysis";
import { floats, type PageData, sides } from "../data/page";
import type { Player } from "../player";
import type { Store } from "../state";
import { el, short } from "./dom";

interface Parts {
  page: PageData;
  analysis: Analysis;
  player: Player;
  store: Store;
}

type Build = (width: number, height: number) => { options: uPlot.Options; data: uPlot.AlignedData };

/** A colour of the theme, for a canvas. */
function style(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function axis(label: string, size: number, extra: Partial<uPlot.Axis> = {}): uPlot.Axis {
  const font = "11px system-ui, sans-serif";
  return {
    label,
    labelSize: 16,
    labelFont: font,
    font,
    size,
    stroke: style("--dim"),
    grid: { stroke: style("--line"), width: 1 },
    ticks: { show: false },
    ...extra,
  };
}

const numbers: uPlot.Axis["values"] = (_plot, values) => values.map((v) => (v === null ? "" : short(v)));
/** Ticks of a logarithmic axis at powers of ten. */
const powers = (_plot: uPlot, _axis: number, low: number, high: number): number[] => {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, k) => 10 ** (first + k));
};

const fromZero: uPlot.Range.Function = (_plot, _low, high) => [0, high * 1.06 || 1];
const around: uPlot.Range.Function = (_plot, low, high) => {
  const margin = 0.1 * (high - low) || 0.1 * high || 1;
  return [Math.max(0, low - margin), high + margin];
};

/** A plot, rebuilt when its size or the theme changes. */
class Plot {
  readonly element: HTMLElement;
  private readonly place = el("div", { class: "canvas-place" });
  private plot: uPlot | null = null;

  constructor(
    title: string,
    private readonly build: Build,
    store: Store,
    private readonly clicked: (plot: uPlot, x: number) => void,
    ...extra: HTMLElement[]
  ) {
    this.element = el("figure", { class: "plot" }, el("figcaption", {}, title, ...extra), this.place);
    new ResizeObserver(() => this.rebuild()).observe(this.place);
    store.on(["dark"], () => requestAnimationFrame(() => this.rebuild()));
  }

  get current(): uPlot | null {
    return this.plot;
  }

  rebuild(): void {
    const { clientWidth, clientHeight } = this.place;
    this.plot?.destroy();
    this.plot = null;
    if (clientWidth < 40 || clientHeight < 40) return;
    const { options, data } = this.build(clientWidth, clientHeight);
    const plot = new uPlot(options, data, this.place);
    this.plot = plot;
    plot.over.addEventListener("click", (event) => this.clicked(plot, plot.posToVal(event.offsetX, "x")));
    this.place.dispatchEvent(new Event("rebuilt"));
  }

  onRebuilt(listener: () => void): void {
    this.place.addEventListener("rebuilt", listener);
  }
}

function base(width: number, height: number): Pick<uPlot.Options, "width" | "height" | "padding" | "legend" | "cursor"> {
  const compact = { show: false };
  return { width, height, padding: [8, 10, 0, 0], legend: compact, cursor: { y: false, drag: { x: false, y: false }, points: { show: false } } };
}

const named = (name: string, swatch: string): HTMLElement => el("span", { class: `key ${swatch}` }, name);

/** Error per frame, above the scrubber. A line marks the shown frame; a click goes to another. */
export function makeErrorPlot({ page, analysis, player, store }: Parts): HTMLElement | null {
  const { metrics, timeline } = page.header;
  if (metrics === null) return null;
  const { per_frame: frames } = metrics;
  // Starts logarithmic if the largest error dwarfs the others, which a linear axis would flatten.
  let log = metrics.error.max > 8 * metrics.error.rms && metrics.error.median > 0;
  let vertexErrors: (number | null)[] = [];
  const sources = frames.rms.map((_, t) => t);
  const build: Build = (width, height) => {
    // A logarithmic axis has no zero: clamps values far below the rest.
    const most = Math.max(...frames.max) || 1;
    const least = Math.max(Math.min(...frames.q25), most * 1e-4);
    const shown = (values: (number | null)[]): (number | null)[] =>
      log ? values.map((v) => (v === null ? null : Math.max(v, least))) : values;
    const line = (stroke: string, size = 1.5): uPlot.Series => ({ stroke: style(stroke), width: size, points: { show: false } });
    const options: uPlot.Options = {
      ...base(width, height),
      scales: { x: { time: false }, y: log ? { distr: 3, range: [least * 0.8, most * 1.5] } : { range: fromZero } },
      axes: [axis("", 20, { labelSize: 0 }), axis("", 50, { labelSize: 0, values: numbers, splits: log ? powers : undefined })],
      series: [
        {},
        { ...line("--plot-quartile", 0) },
        { ...line("--plot-quartile", 0) },
        line("--plot-median"),
        line("--plot-rms", 2),
        line("--plot-max"),
        { ...line("--plot-vertex"), spanGaps: true },
      ],
      bands: [{ series: [2, 1], fill: style("--plot-band") }],
    };
    const lines = [frames.q25, frames.q75, frames.median, frames.rms, frames.max, vertexErrors].map(shown);
    return { options, data: [sources, ...lines] as uPlot.AlignedData };
  };
  const scale = el("button", { type: "button", class: "link", "aria-pressed": String(log) }, "log");
  const vertexKey = named("selected vertex", "vertex");
  const keys = el("span", { class: "keys" }, named("quartiles", "band"), named("median", "median"), named("RMS", "rms"), named("max", "max"), vertexKey, scale);
  const plot = new Plot(`${sides(page.header).gap} per frame`, build, store, (_plot, x) => player.goTo(analysis.frameOfSource(x)), keys);
  scale.addEventListener("click", () => {
    log = !log;
    scale.setAttribute("aria-pressed", String(log));
    plot.rebuild();
  });

  const cursor = el("div", { class: "now" });
  const place = (): void => {
    const { current } = plot;
    if (current === null) return;
    if (cursor.parentElement !== current.over) current.over.append(cursor);
    cursor.style.transform = `translateX(${current.valToPos(timeline.source[store.state.frame], "x")}px)`;
  };
  plot.onRebuilt(place);
  store.on(["frame"], place);
  store.on(["selection"], ({ selection }) => {
    vertexErrors = sources.map(() => null);
    vertexKey.hidden = selection.kind !== "vertex";
    if (selection.kind === "vertex") analysis.errorsOf(selection.vertex).forEach((error, t) => {
      vertexErrors[timeline.source[t]] = error;
    });
    plot.rebuild();
  });
  return plot.element;
}

interface Curve {
  title: string;
  label: string;
  points: [number, number][];
  range: uPlot.Range.Function;
}

function curvePlot({ title, label, points, range }: Curve, store: Store): HTMLElement {
  const build: Build = (width, height) => ({
    options: {
      ...base(width, height),
      scales: { x: { time: false }, y: { range } },
      axes: [axis(label, 22), axis("E_RMS", 50, { values: numbers })],
      series: [{}, { stroke: style("--plot-rms"), width: 2, points: { show: points.length < 40, size: 6, fill: style("--plot-rms") } }],
    },
    data: [points.map(([x]) => x), points.map(([, y]) => y)],
  });
  return new Plot(title, build, store, () => {}).element;
}

const bins = 48;

/** Histogram of the vertices' largest errors. A click selects the worst vertex of a bin, in its worst frame. */
function histogram({ page, analysis, player, store }: Parts): HTMLElement {
  const values = floats(page, "vertex_max");
  const top = values.reduce((a, b) => Math.max(a, b), 0) || 1;
  const binOf = (value: number): number => Math.min(bins - 1, Math.floor((bins * value) / top));
  const counts = new Array<number>(bins).fill(0);
  for (const value of values) ++counts[binOf(value)];
  const centres = counts.map((_, k) => ((k + 0.5) * top) / bins);
  const build: Build = (width, height) => ({
    options: {
      ...base(width, height),
      scales: { x: { time: false, range: [0, top] }, y: { range: fromZero } },
      axes: [axis("largest error of a vertex, model units", 22, { values: numbers }), axis("vertices", 50, { values: numbers })],
      series: [{}, { fill: style("--plot-rms"), paths: uPlot.paths.bars?.({ size: [0.9, 100] }), points: { show: false } }],
    },
    data: [centres, counts],
  });
  const go = (_plot: uPlot, x: number): void => {
    const bin = binOf(Math.max(0, x));
    let vertex = -1;
    values.forEach((value, i) => {
      if (binOf(value) === bin && (vertex < 0 || value > values[vertex])) vertex = i;
    });
    if (vertex < 0) return;
    store.set({ selection: { kind: "vertex", vertex }, playing: false });
    player.goTo(analysis.worstFrameOf(vertex));
  };
  return new Plot("Vertices by largest error", build, store, go).element;
}

/** The plots in the side panel. */
export function makePlots(parts: Parts): HTMLElement {
  const { metrics, report, error_by_bones: byBones } = parts.page.header;
  const panel = el("div", { class: "plots" });
  if (metrics !== null) panel.append(histogram(parts));
  if (report !== null && report.error_curve.length > 1) {
    const points = report.error_curve.map((error, k): [number, number] => [k + 1, error]);
    panel.append(curvePlot({ title: "Convergence", label: "iteration", points, range: around }, parts.store));
  }
  if (byBones.length > 1) {
    const curve = { title: "Error against bones", label: "bones", points: byBones, range: fromZero };
    panel.append(curvePlot(curve, parts.store));
  }
  if (panel.childElementCount === 0) panel.append(el("p", { class: "hint" }, "Nothing to plot: the page has no original to compare with."));
  return panel;
}
