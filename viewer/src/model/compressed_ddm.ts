import type { DataTexture, WebGLRenderer, WebGLRenderTarget } from "three";
import { floats, type PageData, type RigHeader } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";
import { Blends } from "./blends";
import { blendShader, LinearBlend } from "./linear_blend";
import { MultiWeights } from "./multi_weights";
import type { Influence, SkinModel, VirtualBones } from "./skin_model";

/**
 * Compressed Direct Delta Mush: a few hundred virtual bones turn by multi-weights, computed here; vertices blend them on
 * the GPU.
 */
export class CompressedDdm implements SkinModel {
  readonly boneNames: string[];
  readonly boneParents: number[];
  readonly boneColors: string[];
  readonly virtualBones: VirtualBones;
  /** The plain skin on the same bones: it knows where they are. */
  private readonly plain: LinearBlend;
  private readonly rest: Float32Array;
  private readonly first: MultiWeights;
  private readonly second: Blends;
  private readonly between: DataTexture;
  /** #virtual bones x 12 of the frame that was asked for last. */
  private readonly transforms: Float32Array;
  private loaded = -1;
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    this.boneNames = rig.skeleton.names;
    this.boneParents = rig.skeleton.parents;
    this.boneColors = rig.skeleton.colors;
    this.plain = new LinearBlend(page, rig);
    this.rest = floats(page, "rest");
    this.first = new MultiWeights(page, this.boneNames.length);
    this.second = new Blends(page, "vertex");
    this.between = makeTable(kinds.float4, 3 * this.first.rows, () => {});
    this.transforms = (this.between.image.data as Float32Array).subarray(0, 12 * this.first.rows);
    const { rest } = this;
    const { vertices } = page.header;
    this.pass = new VertexPass(blendShader, {
      ...this.second.tables(),
      rest: { value: makeTable(kinds.float4, vertices, (data, at, i) => data.set(rest.subarray(3 * i, 3 * i + 3), at)) },
      motion: { value: this.between },
      original: { value: null },
      hasOriginal: { value: false },
      bones: { value: this.first.rows },
      frame: { value: 0 }, // the table holds the one that is shown
      vertices: { value: vertices },
    });
    const centres = this.second.centresOfSources(this.first.rows, rest);
    const placeOf = (row: number, frame: number, out: Float64Array): void => {
      this.load(frame);
      this.addMoved(row, centres.subarray(3 * row, 3 * row + 3), 1, out.fill(0, 0, 3));
    };
    this.virtualBones = { count: this.first.rows, placeOf };
  }

  /** The virtual bones' transforms of a frame: root after turning about the centre and moving. */
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
    const { uniforms } = this.pass;
    uniforms.hasOriginal.value = original !== null;
    uniforms.original.value = original?.texture ?? null;
    this.pass.run(renderer, target);
  }

  private addMoved(row: number, point: ArrayLike<number>, value: number, out: Float64Array): void {
    for (let r = 0; r < 3; ++r) {
      const m = this.transforms.subarray(12 * row + 4 * r, 12 * row + 4 * r + 4);
      out[r] += value * (m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3]);
    }
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    this.load(frame);
    out.fill(0, 0, 3);
    const point = this.rest.subarray(3 * vertex, 3 * vertex + 3);
    this.second.each(vertex, (row, value) => this.addMoved(row, point, value, out));
  }

  /** How much a virtual bone follows each bone. */
  private eachBone(row: number, use: (bone: number, part: number) => void): void {
    const { offsets, bones, values } = this.first;
    for (let k = offsets[row]; k < offsets[row + 1]; ++k) use(bones[k], values[10 * k + 9]);
  }

  influencesOf(vertex: number): Influence[] {
    const weights = new Map<number, number>();
    this.second.each(vertex, (row, value) => {
      this.eachBone(row, (bone, part) => weights.set(bone, (weights.get(bone) ?? 0) + value * part));
    });
    return [...weights].map(([bone, weight]) => ({ bone, weight })).sort((a, b) => b.weight - a.weight);
  }

  weightsOf(bone: number): Float32Array {
    const weights = new Float32Array(this.second.rows);
    for (let i = 0; i < weights.length; ++i) {
      for (const influence of this.influencesOf(i)) if (influence.bone === bone) weights[i] = influence.weight;
    }
    return weights;
  }

  boneFrame(bone: number, frame: number, out: Float64Array): void {
    this.plain.boneFrame(bone, frame, out);
  }
}
