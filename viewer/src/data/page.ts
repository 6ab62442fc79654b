import { type Arrays, decodeArrays, type Section } from "./payload";

export interface Clip {
  name: string;
  first: number;
  count: number;
}

export interface Stats {
  rms: number;
  max: number;
  p99: number;
  p95: number;
  q75: number;
  median: number;
  q25: number;
}

export interface Metrics {
  vertices: number;
  frames: number;
  size: number;
  e_rms: number;
  distortion: number | null;
  error: Stats;
  error_percent: Stats;
  normal_rms: number;
  normal_max: number;
  worst_frame: number;
  worst_vertex: number;
  per_frame: Record<keyof Stats, number[]>;
}

export interface Report {
  status: string;
  settings: Record<string, boolean | number | string>;
  error_curve: number[];
  timings: Record<string, number>;
  warnings: string[];
}

export interface RigHeader {
  model: string;
  influences: number;
  skeleton: { names: string[]; parents: number[]; colors: string[] };
  bytes: { rig: number; raw_frames: number; morph_targets: number };
}

/** Written by src/view/header.cpp. */
export interface Header {
  format: number;
  version: string;
  title: string;
  vertices: number;
  faces: number;
  size: number;
  centre: [number, number, number];
  timeline: { times: number[]; clips: Clip[]; source_frames: number; source: number[] };
  /** Shown beside the result: recorded frames, or the rig's own plain skin. */
  original:
    | { kind: "frames"; step: [number, number, number]; position_error: number }
    | { kind: "plain_skin"; position_error: number }
    | null;
  rig: RigHeader | null;
  metrics: Metrics | null;
  report: Report | null;
  error_by_bones: [number, number][];
  sections: Section[];
}

/** Names of the two sides and of their distance. To a plain skin it is a difference, not an error. */
export function sides(header: Header): { original: string; result: string; gap: string } {
  if (header.original?.kind === "plain_skin") {
    const names: Record<string, string> = { two_layer: "Two layers", compressed_ddm: "Compressed Direct Delta Mush" };
    return { original: "Linear blend", result: names[header.rig?.model ?? ""] ?? "Direct Delta Mush", gap: "Difference" };
  }
  return { original: "Original", result: "Result", gap: "Error" };
}

export interface PageData {
  header: Header;
  arrays: Arrays;
  frames: number;
}

export function floats(page: PageData, name: string): Float32Array {
  const array = page.arrays.get(name);
  if (!(array instanceof Float32Array)) throw new Error(`the page lacks its "${name}"`);
  return array;
}

export function integers(page: PageData, name: string): Uint32Array {
  const array = page.arrays.get(name);
  if (!(array instanceof Uint32Array)) throw new Error(`the page lacks its "${name}"`);
  return array;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

export async function readPage(): Promise<PageData> {
  const header = JSON.parse(textOf("marrow-header")) as Header;
  if (header.format !== 1) throw new Error("This is the empty page; `marrow view` fills it.");
  const arrays = await decodeArrays(textOf("marrow-data"), header.sections);
  document.getElementById("marrow-data")?.remove(); // megabytes of text that are not needed again
  return { header, arrays, frames: header.timeline.times.length };
}
