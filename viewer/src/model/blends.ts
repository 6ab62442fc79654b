import type { IUniform } from "three";
import { floats, integers, type PageData } from "../data/page";
import { kinds, makeTable } from "../gpu/table";

/** Compressed rows: row i has the entries offsets[i] to offsets[i + 1] - 1. */
export class Blends {
  readonly offsets: Uint32Array;
  readonly sources: Uint32Array;
  readonly values: Float32Array;

  constructor(page: PageData, name: string, sources = "sources") {
    this.offsets = integers(page, `${name}_offsets`);
    this.sources = integers(page, `${name}_${sources}`);
    this.values = floats(page, `${name}_values`);
  }

  get rows(): number {
    return this.offsets.length - 1;
  }

  each(row: number, use: (source: number, value: number) => void): void {
    for (let k = this.offsets[row]; k < this.offsets[row + 1]; ++k) use(this.sources[k], this.values[k]);
  }

  tables(): Record<string, IUniform> {
    return {
      runs: { value: makeTable(kinds.uint2, this.rows, (data, at, i) => data.set(this.offsets.subarray(i, i + 2), at)) },
      entries: {
        value: makeTable(kinds.float2, this.values.length, (data, at, k) => {
          data[at] = this.sources[k];
          data[at + 1] = this.values[k];
        }),
      },
    };
  }

  /** Weighted centroid of the points (rows x 3) of each source. */
  centresOfSources(count: number, points: Float32Array): Float64Array {
    const centres = new Float64Array(3 * count);
    const sums = new Float64Array(count);
    for (let i = 0; i < this.rows; ++i) {
      this.each(i, (source, value) => {
        sums[source] += Math.abs(value);
        for (let a = 0; a < 3; ++a) centres[3 * source + a] += Math.abs(value) * points[3 * i + a];
      });
    }
    return centres.map((sum, k) => sum / (sums[Math.floor(k / 3)] || 1));
  }
}
