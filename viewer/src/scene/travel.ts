import type { PageData } from "../data/page";
import type { Reference } from "../model/reference";
import type { SkinModel } from "../model/skin_model";

type Point = [number, number, number];

/** Motion of the model as a whole, from a sample of its vertices. */
export interface Travel {
  /** Frames x 3: displacement of the mean from the first frame. */
  offsets: Float64Array;
  /** Whether the model travels; the camera then follows. */
  far: boolean;
  /** Centre and radius of a ball around all frames (without the displacement if `far`), and the lowest y. */
  middle: Point;
  radius: number;
  floor: number;
}

const sampledVertices = 240;

/** Calls `visit` with a sample of the vertices in all frames. `point` is reused. */
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
