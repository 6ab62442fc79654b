import type { PageData } from "../data/page";
import type { Original } from "../model/original";
import type { SkinModel } from "../model/skin_model";

/** Where the model is over time, from a few of its vertices. */
export interface Travel {
  /** #frames x 3: how far the middle has moved from the first frame's. */
  offsets: Float64Array;
  /** The middle and the reach of the first frame, and the lowest point of all. */
  middle: [number, number, number];
  radius: number;
  floor: number;
  /** Whether it leaves the place where it starts. */
  far: boolean;
}

const sampledVertices = 240;

export function measureTravel(page: PageData, original: Original | null, model: SkinModel | null): Travel {
  const { vertices } = page.header;
  const source = original ?? model;
  const offsets = new Float64Array(3 * page.frames);
  const step = Math.max(1, Math.floor(vertices / sampledVertices));
  const count = Math.ceil(vertices / step);
  const p = new Float64Array(3);
  const first = [0, 0, 0];
  let radius = 0;
  let floor = Infinity;
  let farthest = 0;
  if (source !== null) {
    for (let t = 0; t < page.frames; ++t) {
      const mean = [0, 0, 0];
      for (let i = 0; i < vertices; i += step) {
        source.positionOf(i, t, p);
        for (let a = 0; a < 3; ++a) mean[a] += p[a] / count;
        floor = Math.min(floor, p[1]);
      }
      if (t === 0) mean.forEach((v, a) => { first[a] = v; });
      for (let a = 0; a < 3; ++a) offsets[3 * t + a] = mean[a] - first[a];
      for (let i = 0; i < vertices; i += step) {
        source.positionOf(i, t, p);
        radius = Math.max(radius, Math.hypot(p[0] - mean[0], p[1] - mean[1], p[2] - mean[2]));
      }
      farthest = Math.max(farthest, Math.hypot(...offsets.subarray(3 * t, 3 * t + 3)));
    }
  }
  return { offsets, middle: first as [number, number, number], radius, floor, far: farthest > 1.2 * radius };
}
