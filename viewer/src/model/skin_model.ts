import type { WebGLRenderer, WebGLRenderTarget } from "three";

export interface Influence {
  bone: number;
  weight: number;
}

/** What some models blend vertices from instead of bones. */
export interface VirtualBones {
  readonly count: number;
  /** Where the middle of what one moves is in a frame, into out[0..2]. */
  placeOf(which: number, frame: number, out: Float64Array): void;
}

/**
 * What deforms the result: the page knows a rig only through this. Another kind of skin is another class with these
 * members; `makeModel` chooses by the name in the header.
 */
export interface SkinModel {
  readonly boneNames: string[];
  /** -1 at a root. */
  readonly boneParents: number[];
  readonly boneColors: string[];
  readonly virtualBones?: VirtualBones;

  /**
   * Deforms on the GPU: writes every vertex's position in `frame` to `target`, and in w its distance to `original`'s
   * (positions in the same layout) or 0 where there is none.
   */
  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void;

  /** The same for one vertex, computed here, into out[0..2]. */
  positionOf(vertex: number, frame: number, out: Float64Array): void;

  /** The bones that a vertex follows, the strongest first. */
  influencesOf(vertex: number): Influence[];

  /** One bone's weight at every vertex. */
  weightsOf(bone: number): Float32Array;

  /** Where a bone stands in a frame: 3 x 4, row by row, bone to model space, into out[0..11]. */
  boneFrame(bone: number, frame: number, out: Float64Array): void;
}
