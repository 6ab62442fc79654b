import type { WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData, RigHeader } from "../data/page";
import type { VertexPass } from "../gpu/pass";
import { rowTable } from "../gpu/table";
import { makeBlendPass } from "./blend_pass";
import { Blends } from "./blends";
import { addMoved, RigModel } from "./rig_model";

/** Linear blend skinning: a vertex is transformed by the weighted mean of its bones' transforms. */
export class LinearBlend extends RigModel {
  private readonly weights: Blends;
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    super(page, rig);
    this.weights = new Blends(page, "weight", "bones");
    this.pass = makeBlendPass(this.rest, this.weights, rowTable(this.motion), this.boneNames.length);
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    this.pass.uniforms.frame.value = frame;
    this.runPass(this.pass, renderer, original, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    out.fill(0, 0, 3);
    const point = this.rest.subarray(3 * vertex, 3 * vertex + 3);
    this.weights.each(vertex, (bone, weight) => {
      addMoved(this.motion, frame * this.boneNames.length + bone, point, weight, out);
    });
  }

  protected eachBone(vertex: number, use: (bone: number, weight: number) => void): void {
    this.weights.each(vertex, use);
  }
}
