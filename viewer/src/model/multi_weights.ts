import { floats, integers, type PageData } from "../data/page";
import { blendedRotation } from "./rotation";

const still = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);

/** A cofactor of the linear part of a 3 x 4 transform (rows). */
function cofactor(a: ArrayLike<number>, r: number, c: number): number {
  const [r1, r2, c1, c2] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3];
  return a[4 * r1 + c1] * a[4 * r2 + c2] - a[4 * r1 + c2] * a[4 * r2 + c1];
}

function determinantOf(a: ArrayLike<number>): number {
  return a[0] * cofactor(a, 0, 0) + a[1] * cofactor(a, 0, 1) + a[2] * cofactor(a, 0, 2);
}

/** a^-1 b of 3 x 4 transforms; a must be invertible. */
function seenFrom(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const determinant = determinantOf(a);
  const out = new Float64Array(12);
  for (let r = 0; r < 3; ++r) {
    for (let c = 0; c < 4; ++c) {
      let sum = 0;
      for (let k = 0; k < 3; ++k) sum += cofactor(a, k, r) * (b[4 * k + c] - (c === 3 ? a[4 * k + 3] : 0));
      out[4 * r + c] = sum / determinant;
    }
  }
  return out;
}

/** Motion of a row of multi-weights: rotation about its centre, then the shift. */
export interface RowMotion {
  turn: ArrayLike<number>;
  shift: Float64Array;
}

/**
 * Multi-weights and the transforms they blend. Transforms are stored minus the identity, relative to the root with the
 * root's joint as origin, to keep precision in floats. The root's transform is applied at the end.
 */
export class MultiWeights {
  readonly centres: Float32Array;
  readonly offsets: Uint32Array;
  readonly bones: Uint32Array;
  readonly values: Float32Array;
  readonly turns: Float32Array;
  readonly origin: [number, number, number];
  private readonly motion: Float32Array;

  constructor(
    page: PageData,
    private readonly boneCount: number,
  ) {
    this.centres = floats(page, "ddm_centres");
    this.offsets = integers(page, "ddm_offsets");
    this.bones = integers(page, "ddm_bones");
    this.values = floats(page, "ddm_values");
    this.motion = floats(page, "motion");
    const bind = floats(page, "bind");
    this.origin = [bind[3], bind[7], bind[11]];
    this.turns = this.makeTurns(page.frames);
  }

  get rows(): number {
    return this.offsets.length - 1;
  }

  /** Weights of the bones in a row. */
  each(row: number, use: (bone: number, weight: number) => void): void {
    for (let k = this.offsets[row]; k < this.offsets[row + 1]; ++k) use(this.bones[k], this.values[10 * k + 9]);
  }

  private makeTurns(frames: number): Float32Array {
    const turns = new Float32Array(this.motion.length);
    const count = this.boneCount;
    for (let t = 0; t < frames; ++t) {
      const root = this.rootOf(t);
      for (let j = 0; j < count; ++j) {
        const at = 12 * (t * count + j);
        const seen = seenFrom(root, this.motion.subarray(at, at + 12));
        for (let r = 0; r < 3; ++r) {
          let shift = seen[4 * r + 3] - this.origin[r];
          for (let k = 0; k < 3; ++k) {
            shift += seen[4 * r + k] * this.origin[k];
            turns[at + 4 * r + k] = seen[4 * r + k] - (r === k ? 1 : 0);
          }
          turns[at + 4 * r + 3] = shift;
        }
      }
    }
    return turns;
  }

  /** The root's transform; the identity if it is singular and cannot be factored out. */
  rootOf(frame: number): Float32Array {
    const at = 12 * frame * this.boneCount;
    const root = this.motion.subarray(at, at + 12);
    return determinantOf(root) === 0 ? still : root;
  }

  centreOf(row: number): Float32Array {
    return this.centres.subarray(3 * row, 3 * row + 3);
  }

  /** Motion relative to the root. */
  motionOf(row: number, frame: number): RowMotion {
    const { values, turns } = this;
    const centre = this.centreOf(row);
    const p = [0, 1, 2].map((a) => centre[a] - this.origin[a]);
    const q = new Float64Array(9);
    const shift = new Float64Array(3);
    for (let e = this.offsets[row]; e < this.offsets[row + 1]; ++e) {
      const v = values.subarray(10 * e, 10 * e + 10);
      const a = [v[0], v[1], v[2], v[1], v[4], v[5], v[2], v[5], v[7]];
      const b = [v[3], v[6], v[8]];
      const at = 12 * (frame * this.boneCount + this.bones[e]);
      for (let r = 0; r < 3; ++r) {
        const d = turns.subarray(at + 4 * r, at + 4 * r + 4);
        const way = d[0] * p[0] + d[1] * p[1] + d[2] * p[2] + d[3];
        for (let k = 0; k < 3; ++k) q[3 * r + k] += a[3 * r + k] + d[0] * a[k] + d[1] * a[3 + k] + d[2] * a[6 + k] + way * b[k];
        shift[r] += d[0] * b[0] + d[1] * b[1] + d[2] * b[2] + way * v[9];
      }
    }
    return { turn: blendedRotation(q), shift };
  }
}
