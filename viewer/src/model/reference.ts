import type { WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData } from "../data/page";
import { LinearBlend } from "./linear_blend";
import { Original } from "./original";

/** What the result is held against. */
export interface Reference {
  /** Writes every position of a frame to `target`. */
  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void;
  /** The same for one vertex, computed here, into out[0..2]. */
  positionOf(vertex: number, frame: number, out: Float64Array): void;
}

/** The plain skin of the rig whose better skin is the result. */
class PlainSkin implements Reference {
  constructor(private readonly skin: LinearBlend) {}

  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void {
    this.skin.deform(renderer, frame, null, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    this.skin.positionOf(vertex, frame, out);
  }
}

/** What the page shows beside the result, or null where that is alone. */
export function makeReference(page: PageData): Reference | null {
  const { original, rig } = page.header;
  if (original === null) return null;
  if (original.kind === "frames") return new Original(page, original.step);
  if (rig === null) throw new Error("This page has a plain skin, but no rig.");
  return new PlainSkin(new LinearBlend(page, rig));
}
