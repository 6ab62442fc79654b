import type { WebGLRenderer, WebGLRenderTarget } from "three";

export interface Influence {
  bone: number;
  weight: number;
}

/** Virtual bones of two-layer models. */
export interface VirtualBones {
  readonly count: number;
  /** Writes the position of the centroid of its vertices in a frame to out[0..2]. */
  placeOf(which: number, frame: number, out: Float64Array): void;
}

/**
 * Deforms the result; the page knows a rig only by this interface. A new kind of model is a new class, chosen by the
 * model's name in the header (`makeModel`).
 */
export interface SkinModel {
  readonly boneNames: string[];
  /** -1 at a root. */
  readonly boneParents: number[];
  readonly boneColors: string[];
  readonly virtualBones?: VirtualBones;

  /**
   * Deforms on the GPU: writes the position of every vertex in `frame` to `target`, and to w its distance to `original`
   * (positions in the same layout), or 0 without one.
   */
  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void;

  /** Computes the position of one vertex in script, into out[0..2]. */
  positionOf(vertex: number, frame: number, out: Float64Array): void;

  /** The bones of a vertex, largest weight first. */
  influencesOf(vertex: number): Influence[];

  /** Weight of one bone at every vertex. */
  weightsOf(bone: number): Float32Array;

  /** Bone to model space in a frame, 3 x 4 by rows, into out[0..11]. */
  boneFrame(bone: number, frame: number, out: Float64Array): void;
}
