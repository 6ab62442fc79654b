import type { PageData, RigHeader } from "../data/page";
import { Blends } from "./blends";
import { RigModel } from "./rig_model";
import type { VirtualBones } from "./skin_model";

/** Models of two layers: vertices blend virtual bones, which depend on the bones in a way of their own. */
export abstract class Layered extends RigModel {
  abstract readonly virtualBones: VirtualBones;
  protected readonly second: Blends;

  constructor(page: PageData, rig: RigHeader) {
    super(page, rig);
    this.second = new Blends(page, "vertex");
  }

  /** Weights of the bones in a virtual bone. */
  protected abstract eachBoneOf(row: number, use: (bone: number, part: number) => void): void;

  /** Adds `value` times the transformed point to out[0..2]. */
  protected abstract addMovedBy(
    row: number,
    frame: number,
    point: ArrayLike<number>,
    value: number,
    out: Float64Array,
  ): void;

  protected makeVirtualBones(count: number): VirtualBones {
    const centres = this.second.centresOfSources(count, this.rest);
    const placeOf = (row: number, frame: number, out: Float64Array): void => {
      this.addMovedBy(row, frame, centres.subarray(3 * row, 3 * row + 3), 1, out.fill(0, 0, 3));
    };
    return { count, placeOf };
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    out.fill(0, 0, 3);
    const point = this.rest.subarray(3 * vertex, 3 * vertex + 3);
    this.second.each(vertex, (row, value) => this.addMovedBy(row, frame, point, value, out));
  }

  protected eachBone(vertex: number, use: (bone: number, weight: number) => void): void {
    this.second.each(vertex, (row, value) => this.eachBoneOf(row, (bone, part) => use(bone, value * part)));
  }

  /** Asks each virtual bone only once, since many vertices share it. */
  override weightsOf(bone: number): Float32Array {
    const parts = new Float32Array(this.virtualBones.count);
    for (let row = 0; row < parts.length; ++row) {
      this.eachBoneOf(row, (other, part) => {
        if (other === bone) parts[row] += part;
      });
    }
    const weights = new Float32Array(this.second.rows);
    for (let i = 0; i < weights.length; ++i) {
      let sum = 0;
      this.second.each(i, (row, value) => {
        sum += value * parts[row];
      });
      weights[i] = sum;
    }
    return weights;
  }
}
