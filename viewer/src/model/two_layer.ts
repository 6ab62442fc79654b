import type { WebGLRenderer, WebGLRenderTarget } from "three";
import { floats, type PageData, type RigHeader } from "../data/page";
import { makePositions, VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";
import { Blends } from "./blends";
import { blendShader, LinearBlend } from "./linear_blend";
import type { Influence, SkinModel, VirtualBones } from "./skin_model";

// The first layer: every virtual bone has a run of (bone, value) entries, and three rows to be written.
const firstShader = /* glsl */ `
uniform usampler2D runs;
uniform sampler2D entries;
uniform sampler2D motion;
uniform int bones;
uniform int frame;
uniform int rows;

vec4 vertex(int i) {
  if (i >= rows) return vec4(0.0);
  uvec2 run = texelFetch(runs, entry(i / 3), 0).rg;
  vec4 sum = vec4(0.0);
  for (uint k = run.x; k < run.y; ++k) {
    vec2 part = texelFetch(entries, entry(int(k)), 0).rg;
    sum += part.y * texelFetch(motion, entry(3 * (frame * bones + int(part.x)) + i % 3), 0);
  }
  return sum;
}
`;

/** Two-layer skinning: bones are blended to virtual bones, and those to vertices, in two passes. */
export class TwoLayer implements SkinModel {
  readonly boneNames: string[];
  readonly boneParents: number[];
  readonly boneColors: string[];
  readonly virtualBones: VirtualBones;
  /** The plain skin on the same bones: it knows where they are. */
  private readonly plain: LinearBlend;
  private readonly rest: Float32Array;
  private readonly motion: Float32Array;
  private readonly first: Blends;
  private readonly second: Blends;
  private readonly between: WebGLRenderTarget;
  private readonly firstPass: VertexPass;
  private readonly secondPass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    this.boneNames = rig.skeleton.names;
    this.boneParents = rig.skeleton.parents;
    this.boneColors = rig.skeleton.colors;
    this.plain = new LinearBlend(page, rig);
    this.rest = floats(page, "rest");
    this.motion = floats(page, "motion");
    this.first = new Blends(page, "virtual");
    this.second = new Blends(page, "vertex");
    const { rest, motion, first, second } = this;
    const rows = 3 * first.rows;
    this.between = makePositions(rows);
    this.firstPass = new VertexPass(firstShader, {
      ...first.tables(),
      motion: {
        value: makeTable(kinds.float4, motion.length / 4, (data, at, r) => data.set(motion.subarray(4 * r, 4 * r + 4), at)),
      },
      bones: { value: this.boneNames.length },
      frame: { value: 0 },
      rows: { value: rows },
    });
    const { vertices } = page.header;
    this.secondPass = new VertexPass(blendShader, {
      ...second.tables(),
      rest: { value: makeTable(kinds.float4, vertices, (data, at, i) => data.set(rest.subarray(3 * i, 3 * i + 3), at)) },
      motion: { value: this.between.texture },
      original: { value: null },
      hasOriginal: { value: false },
      bones: { value: first.rows },
      frame: { value: 0 }, // the first pass has written the one that is shown
      vertices: { value: vertices },
    });
    this.virtualBones = this.findVirtualBones();
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    this.firstPass.uniforms.frame.value = frame;
    this.firstPass.run(renderer, this.between);
    const { uniforms } = this.secondPass;
    uniforms.hasOriginal.value = original !== null;
    uniforms.original.value = original?.texture ?? null;
    this.secondPass.run(renderer, target);
  }

  /** What a virtual bone makes of a point, times `value`, added to out[0..2]. */
  private addMoved(row: number, frame: number, point: ArrayLike<number>, value: number, out: Float64Array): void {
    this.first.each(row, (bone, part) => {
      const at = 12 * (frame * this.boneNames.length + bone);
      for (let r = 0; r < 3; ++r) {
        const m = this.motion.subarray(at + 4 * r, at + 4 * r + 4);
        out[r] += value * part * (m[0] * point[0] + m[1] * point[1] + m[2] * point[2] + m[3]);
      }
    });
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    out.fill(0, 0, 3);
    const point = this.rest.subarray(3 * vertex, 3 * vertex + 3);
    this.second.each(vertex, (row, value) => this.addMoved(row, frame, point, value, out));
  }

  private findVirtualBones(): VirtualBones {
    const count = this.first.rows;
    const centres = this.second.centresOfSources(count, this.rest);
    const placeOf = (row: number, frame: number, out: Float64Array): void => {
      out.fill(0, 0, 3);
      this.addMoved(row, frame, centres.subarray(3 * row, 3 * row + 3), 1, out);
    };
    return { count, placeOf };
  }

  influencesOf(vertex: number): Influence[] {
    const weights = new Map<number, number>();
    this.second.each(vertex, (row, value) => {
      this.first.each(row, (bone, part) => weights.set(bone, (weights.get(bone) ?? 0) + value * part));
    });
    return [...weights].map(([bone, weight]) => ({ bone, weight })).sort((a, b) => b.weight - a.weight);
  }

  weightsOf(bone: number): Float32Array {
    const parts = new Float32Array(this.first.rows);
    for (let row = 0; row < parts.length; ++row) {
      this.first.each(row, (source, part) => {
        if (source === bone) parts[row] = part;
      });
    }
    const weights = new Float32Array(this.second.rows);
    for (let i = 0; i < weights.length; ++i) {
      this.second.each(i, (row, value) => {
        weights[i] += value * parts[row];
      });
    }
    return weights;
  }

  boneFrame(bone: number, frame: number, out: Float64Array): void {
    this.plain.boneFrame(bone, frame, out);
  }
}
