import { type Header, type Metrics, type Report, type RigHeader, sides } from "../data/page";
import { percent } from "../heat";
import { bytes, count, el, short } from "./dom";

type Row = [string, string];

function table(title: string, rows: Row[]): HTMLElement {
  const body = rows.map(([name, value]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", {}, value)));
  return el("section", {}, el("h3", {}, title), el("table", {}, el("tbody", {}, ...body)));
}

function text(value: boolean | number | string): string {
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" ? short(value, 6) : value;
}

function reached(header: Header, rig: RigHeader, metrics: Metrics | null): Row[] {
  const rows: Row[] = [];
  if (metrics !== null) {
    const units = (value: number): string => `${short(value)} · ${short(percent(header, value))} %`;
    rows.push(
      ["E_RMS", short(metrics.e_rms, 4)],
      ["RMS distance", units(metrics.error.rms)],
      ["median", units(metrics.error.median)],
      ["99th percentile", units(metrics.error.p99)],
      ["largest", units(metrics.error.max)],
      ["distortion", metrics.distortion === null ? "–" : `${short(metrics.distortion)} %`],
      ["normals, RMS", `${short(metrics.normal_rms)}°`],
    );
  }
  rows.push(["bones", count(rig.skeleton.names.length)], ["influences per vertex", `at most ${rig.influences}`]);
  return rows;
}

function storage({ bytes: sizes }: RigHeader): Row[] {
  const against = (other: number): string => `${bytes(other)} · ${short(other / sizes.rig)}× the rig`;
  return [
    ["this rig", bytes(sizes.rig)],
    ["raw frames", against(sizes.raw_frames)],
    ["morph targets", against(sizes.morph_targets)],
  ];
}

/** The main figures, in large type. */
function headline(header: Header, rig: RigHeader, metrics: Metrics | null): HTMLElement {
  const figure = (value: string, name: string): HTMLElement => el("div", {}, el("b", {}, value), el("span", {}, name));
  const list = el("div", { class: "headline" });
  if (metrics !== null) {
    list.append(figure(short(metrics.e_rms, 3), "E_RMS"), figure(`${short(percent(header, metrics.error.max), 2)} %`, `largest ${sides(header).gap.toLowerCase()}`));
  }
  list.append(figure(count(rig.skeleton.names.length), "bones"), figure(`${short(rig.bytes.raw_frames / rig.bytes.rig, 2)}×`, "smaller than frames"));
  return list;
}

function asked(report: Report | null): Row[] {
  return Object.entries(report?.settings ?? {}).map(([name, value]): Row => [name, text(value)]);
}

function time(report: Report | null): Row[] {
  const stages = Object.entries(report?.timings ?? {});
  const total = stages.reduce((sum, [, seconds]) => sum + seconds, 0);
  const rows = stages.map(([stage, seconds]): Row => [stage, `${short(seconds)} s`]);
  return rows.length > 1 ? [...rows, ["total", `${short(total)} s`]] : rows;
}

function warningsOf(header: Header): string[] {
  const { timeline, report } = header;
  const shown = timeline.times.length;
  const list = [...(report?.warnings ?? [])];
  if (report !== null && report.status !== "done") list.unshift(`Status of the solver: ${report.status}.`);
  if (shown < timeline.source_frames) {
    list.push(`This page shows ${shown} of ${timeline.source_frames} frames to limit its size. Figures and the plot over time are of all frames.`);
  }
  return list;
}

function precision(header: Header): HTMLElement | null {
  if (header.original?.kind !== "frames") return null;
  const off = header.original.position_error;
  const rounding =
    `The original’s positions are rounded to 16 bits per axis in this page. The largest error of a position is ` +
    `${short(off, 2)} model units (${short(percent(header, off), 2)} % of the size)`;
  const figures = ". Distances drawn in the page have the same error; the figures above were computed from the unrounded frames.";
  const text = el("p", {}, rounding, header.metrics === null ? "." : figures);
  return el("section", {}, el("h3", {}, "Precision of this page"), text);
}

export function makeNumbers(header: Header): HTMLElement {
  const panel = el("div", { class: "numbers" });
  const { rig, metrics, report, timeline } = header;
  if (rig !== null) panel.append(headline(header, rig, metrics));
  const warnings = warningsOf(header);
  if (warnings.length > 0) {
    panel.append(el("section", { class: "warnings" }, el("h3", {}, "Warnings"), el("ul", {}, ...warnings.map((w) => el("li", {}, w)))));
  }
  const input: Row[] = [
    ["vertices", count(header.vertices)],
    ["faces", count(header.faces)],
    ["frames", count(timeline.source_frames)],
    ["clips", timeline.clips.map(({ name }) => name).join(", ")],
    ["size (box diagonal)", `${short(header.size, 4)} model units`],
  ];
  const tables: [string, Row[]][] = [
    ["Settings", asked(report)],
    ["Results", rig === null ? [] : reached(header, rig, metrics)],
    ["Time", time(report)],
    ["Storage", rig === null ? [] : storage(rig)],
    ["Input", input],
  ];
  for (const [title, rows] of tables) if (rows.length > 0) panel.append(table(title, rows));
  const note = precision(header);
  if (note !== null) panel.append(note);
  return panel;
}
