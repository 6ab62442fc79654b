import type { WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData } from "../data/page";
import { LinearBlend } from "./linear_blend";
import { Original } from "./original";

/** What the result is compared with. */
export interface Reference {
  /** Writes all positions of a frame to `target`. */
  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void;
  /** Computes the position of one vertex in script, into out[0..2]. */
  positionOf(vertex: number, frame: number, out: Float64Array): void;
}

/** The plain skin of the rig, beside its better skin. */
class PlainSkin implements Reference {
  constructor(private readonly skin: LinearBlend) {}

  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void {
    this.skin.deform(renderer, frame, null, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    this.skin.positionOf(vertex, frame, out);
  }
}

/** What the page shows beside the result; null if nothing. */
export function makeReference(page: PageData): Reference | null {
  const { original, rig } = page.header;
  if (original === null) return null;
  if (original.kind === "frames") return new Original(page, original.step);
  if (rig === null) throw new Error("This page has a plain skin, but no rig.");
  return new PlainSkin(new LinearBlend(page, rig));
}
