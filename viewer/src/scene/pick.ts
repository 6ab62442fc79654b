import { type PerspectiveCamera, Vector3 } from "three";

/** A point of a view, in pixels from its upper left. */
export interface ViewPoint {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Distance in pixels from `at` to a model point; infinite behind the camera. */
function pixelDistance(camera: PerspectiveCamera, at: ViewPoint, point: Vector3): number {
  point.project(camera);
  if (point.z > 1) return Infinity;
  return Math.hypot(((point.x + 1) / 2) * at.width - at.x, ((1 - point.y) / 2) * at.height - at.y);
}

/** Index of the nearest of `count` points within `reach` pixels; -1 if none. */
export function pickPoint(
  camera: PerspectiveCamera,
  at: ViewPoint,
  offset: Vector3,
  positions: ArrayLike<number>,
  stride: number,
  count: number,
  reach: number,
): number {
  const point = new Vector3();
  let best = -1;
  let nearest = reach;
  for (let i = 0; i < count; ++i) {
    point.set(positions[stride * i], positions[stride * i + 1], positions[stride * i + 2]).add(offset);
    const distance = pixelDistance(camera, at, point);
    if (distance >= nearest) continue;
    nearest = distance;
    best = i;
  }
  return best;
}

/** Distance along a ray to a triangle (Möller and Trumbore), or -1. `hit` gets the nearest corner. */
function meet(origin: Vector3, direction: Vector3, a: Vector3, b: Vector3, c: Vector3, hit: { corner: number }): number {
  const ab = b.clone().sub(a);
  const ac = c.clone().sub(a);
  const p = direction.clone().cross(ac);
  const determinant = ab.dot(p);
  if (determinant === 0) return -1;
  const to = origin.clone().sub(a);
  const u = to.dot(p) / determinant;
  const q = to.cross(ab);
  const v = direction.dot(q) / determinant;
  if (u < 0 || v < 0 || u + v > 1) return -1;
  const w = 1 - u - v;
  hit.corner = w >= u && w >= v ? 0 : u >= v ? 1 : 2;
  return ac.dot(q) / determinant;
}

/** The vertex nearest to where a click meets the surface; -1 if it does not. `positions`: 4 numbers per vertex. */
export function pickVertex(
  camera: PerspectiveCamera,
  at: ViewPoint,
  offset: Vector3,
  positions: Float32Array,
  triangles: ArrayLike<number>,
): number {
  const origin = camera.position.clone().sub(offset);
  const direction = new Vector3((2 * at.x) / at.width - 1, 1 - (2 * at.y) / at.height, 0.5)
    .unproject(camera)
    .sub(camera.position)
    .normalize();
  const corners = [new Vector3(), new Vector3(), new Vector3()];
  const hit = { corner: 0 };
  let best = -1;
  let nearest = Infinity;
  for (let f = 0; f < triangles.length; f += 3) {
    corners.forEach((corner, c) => corner.fromArray(positions, 4 * triangles[f + c]));
    const distance = meet(origin, direction, corners[0], corners[1], corners[2], hit);
    if (distance <= 0 || distance >= nearest) continue;
    nearest = distance;
    best = triangles[f + hit.corner];
  }
  return best;
}
