import type { DataTexture, WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData, RigHeader } from "../data/page";
import type { VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";
import { makeBlendPass } from "./blend_pass";
import { Layered } from "./layered";
import { MultiWeights } from "./multi_weights";
import { addMoved } from "./rig_model";
import type { VirtualBones } from "./skin_model";

/**
 * Compressed Direct Delta Mush. Script computes the transforms of a few hundred virtual bones from multi-weights; the
 * GPU blends them per vertex.
 */
export class CompressedDdm extends Layered {
  readonly virtualBones: VirtualBones;
  private readonly first: MultiWeights;
  private readonly between: DataTexture;
  /** Virtual bones x 12, of the last computed frame. */
  private readonly transforms: Float32Array;
  private loaded = -1;
  /** Always at frame 0: the table holds only the shown frame. */
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    super(page, rig);
    this.first = new MultiWeights(page, this.boneNames.length);
    this.between = makeTable(kinds.float4, 3 * this.first.rows, () => {});
    this.transforms = (this.between.image.data as Float32Array).subarray(0, 12 * this.first.rows);
    this.pass = makeBlendPass(this.rest, this.second, this.between, this.first.rows);
    this.virtualBones = this.makeVirtualBones(this.first.rows);
  }

  /** Computes the transforms of a frame: rotation about the centre, shift, then the root's transform. */
  private load(frame: number): void {
    if (frame === this.loaded) return;
    this.loaded = frame;
    const root = this.first.rootOf(frame);
    for (let row = 0; row < this.first.rows; ++row) {
      const { turn, shift } = this.first.motionOf(row, frame);
      const centre = this.first.centreOf(row);
      const seen = [0, 1, 2].map((r) => {
        const turned = turn[3 * r] * centre[0] + turn[3 * r + 1] * centre[1] + turn[3 * r + 2] * centre[2];
        return [turn[3 * r], turn[3 * r + 1], turn[3 * r + 2], centre[r] + shift[r] - turned];
      });
      for (let r = 0; r < 3; ++r) {
        for (let c = 0; c < 4; ++c) {
          let sum = c === 3 ? root[4 * r + 3] : 0;
          for (let k = 0; k < 3; ++k) sum += root[4 * r + k] * seen[k][c];
          this.transforms[12 * row + 4 * r + c] = sum;
        }
      }
    }
    this.between.needsUpdate = true;
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    this.load(frame);
    this.runPass(this.pass, renderer, original, target);
  }

  protected addMovedBy(row: number, frame: number, point: ArrayLike<number>, value: number, out: Float64Array): void {
    this.load(frame);
    addMoved(this.transforms, row, point, value, out);
  }

  protected eachBoneOf(row: number, use: (bone: number, part: number) => void): void {
    this.first.each(row, use);
  }
}
