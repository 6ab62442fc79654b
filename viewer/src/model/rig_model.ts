import type { WebGLRenderer, WebGLRenderTarget } from "three";
import { floats, type PageData, type RigHeader } from "../data/page";
import type { VertexPass } from "../gpu/pass";
import type { Influence, SkinModel } from "./skin_model";

/** Adds `value` times the point, transformed by transform `which`, to out[0..2]. */
export function addMoved(
  transforms: Float32Array,
  which: number,
  point: ArrayLike<number>,
  value: number,
  out: Float64Array,
): void {
  for (let r = 0; r < 3; ++r) {
    const m = 12 * which + 4 * r;
    const moved = transforms[m] * point[0] + transforms[m + 1] * point[1] + transforms[m + 2] * point[2] + transforms[m + 3];
    out[r] += value * moved;
  }
}

/** Common part of all models: skeleton, motion and rest mesh. */
export abstract class RigModel implements SkinModel {
  readonly boneNames: string[];
  readonly boneParents: number[];
  readonly boneColors: string[];
  protected readonly rest: Float32Array;
  protected readonly motion: Float32Array;
  private readonly bind: Float32Array;

  constructor(page: PageData, rig: RigHeader) {
    this.boneNames = rig.skeleton.names;
    this.boneParents = rig.skeleton.parents;
    this.boneColors = rig.skeleton.colors;
    this.rest = floats(page, "rest");
    this.motion = floats(page, "motion");
    this.bind = floats(page, "bind");
  }

  abstract deform(
    renderer: WebGLRenderer,
    frame: number,
    original: WebGLRenderTarget | null,
    target: WebGLRenderTarget,
  ): void;

  abstract positionOf(vertex: number, frame: number, out: Float64Array): void;

  /** Calls `use` for the bones of a vertex; a bone may come more than once. */
  protected abstract eachBone(vertex: number, use: (bone: number, weight: number) => void): void;

  /** Runs the pass that writes positions; its shader computes distances to `original`. */
  protected runPass(
    pass: VertexPass,
    renderer: WebGLRenderer,
    original: WebGLRenderTarget | null,
    target: WebGLRenderTarget,
  ): void {
    pass.uniforms.hasOriginal.value = original !== null;
    pass.uniforms.original.value = original?.texture ?? null;
    pass.run(renderer, target);
  }

  influencesOf(vertex: number): Influence[] {
    const weights = new Map<number, number>();
    this.eachBone(vertex, (bone, weight) => weights.set(bone, (weights.get(bone) ?? 0) + weight));
    return [...weights].map(([bone, weight]) => ({ bone, weight })).sort((a, b) => b.weight - a.weight);
  }

  weightsOf(bone: number): Float32Array {
    const weights = new Float32Array(this.rest.length / 3);
    for (let i = 0; i < weights.length; ++i) {
      this.eachBone(i, (other, weight) => {
        if (other === bone) weights[i] += weight;
      });
    }
    return weights;
  }

  boneFrame(bone: number, frame: number, out: Float64Array): void {
    const m = 12 * (frame * this.boneNames.length + bone);
    const b = 12 * bone;
    for (let row = 0; row < 3; ++row) {
      for (let column = 0; column < 4; ++column) {
        let sum = column === 3 ? this.motion[m + 4 * row + 3] : 0;
        for (let k = 0; k < 3; ++k) sum += this.motion[m + 4 * row + k] * this.bind[b + 4 * k + column];
        out[4 * row + column] = sum;
      }
    }
  }
}
