import type { PageData } from "../data/page";
import type { Reference } from "../model/reference";
import type { SkinModel } from "../model/skin_model";

type Point = [number, number, number];

/** Where the model is over time, from a few of its vertices. */
export interface Travel {
  /** #frames x 3: how far its mean has moved from where it is in the first frame. */
  offsets: Float64Array;
  /** Whether it leaves the place where it starts; then the camera goes along. */
  far: boolean;
  /** A ball around all frames (where it is far: with the offsets taken off), and the lowest point. */
  middle: Point;
  radius: number;
  floor: number;
}

const sampledVertices = 240;

/** Calls `visit` with some vertices of all frames. The point is only good until the next call. */
function sample(page: PageData, source: Reference | SkinModel, visit: (point: Float64Array, frame: number) => void): void {
  const point = new Float64Array(3);
  const step = Math.max(1, Math.floor(page.header.vertices / sampledVertices));
  for (let frame = 0; frame < page.frames; ++frame) {
    for (let i = 0; i < page.header.vertices; i += step) {
      source.positionOf(i, frame, point);
      visit(point, frame);
    }
  }
}

function meanOffsets(page: PageData, source: Reference | SkinModel): Float64Array {
  const sums = new Float64Array(3 * page.frames);
  let count = 0;
  sample(page, source, (point, frame) => {
    if (frame === 0) ++count;
    for (let a = 0; a < 3; ++a) sums[3 * frame + a] += point[a];
  });
  return sums.map((sum, k) => (sum - sums[k % 3]) / Math.max(1, count));
}

export function measureTravel(page: PageData, source: Reference | SkinModel): Travel {
  const offsets = meanOffsets(page, source);
  let farthest = 0;
  for (let t = 0; t < page.frames; ++t) farthest = Math.max(farthest, Math.hypot(...offsets.subarray(3 * t, 3 * t + 3)));
  const far = farthest > 0.6 * page.header.size;
  const stay = far ? offsets : new Float64Array(offsets.length);

  const low: Point = [Infinity, Infinity, Infinity];
  const high: Point = [-Infinity, -Infinity, -Infinity];
  sample(page, source, (point, frame) => {
    for (let a = 0; a < 3; ++a) {
      low[a] = Math.min(low[a], point[a] - stay[3 * frame + a]);
      high[a] = Math.max(high[a], point[a] - stay[3 * frame + a]);
    }
  });
  const middle = low.map((v, a) => (v + high[a]) / 2) as Point;
  let radius = 0;
  sample(page, source, (point, frame) => {
    const away = middle.map((v, a) => point[a] - stay[3 * frame + a] - v);
    radius = Math.max(radius, Math.hypot(...away));
  });
  return { offsets, far, middle, radius, floor: low[1] };
}
