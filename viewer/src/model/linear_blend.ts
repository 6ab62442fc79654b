import type { IUniform, WebGLRenderer, WebGLRenderTarget } from "three";
import { floats, integers, type PageData, type RigHeader } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";
import type { Influence, SkinModel } from "./skin_model";

// Any number of influences: a vertex has a run of (bone, weight) entries, a bone three rows per frame.
export const blendShader = /* glsl */ `
uniform sampler2D rest;
uniform usampler2D runs;
uniform sampler2D entries;
uniform sampler2D motion;
uniform sampler2D original;
uniform bool hasOriginal;
uniform int bones;
uniform int frame;
uniform int vertices;

vec4 vertex(int i) {
  if (i >= vertices) return vec4(0.0);
  uvec2 run = texelFetch(runs, entry(i), 0).rg;
  vec4 x = vec4(0.0), y = vec4(0.0), z = vec4(0.0);
  for (uint k = run.x; k < run.y; ++k) {
    vec2 influence = texelFetch(entries, entry(int(k)), 0).rg;
    int row = 3 * (frame * bones + int(influence.x));
    x += influence.y * texelFetch(motion, entry(row), 0);
    y += influence.y * texelFetch(motion, entry(row + 1), 0);
    z += influence.y * texelFetch(motion, entry(row + 2), 0);
  }
  vec4 p = vec4(texelFetch(rest, entry(i), 0).xyz, 1.0);
  vec3 moved = vec3(dot(x, p), dot(y, p), dot(z, p));
  return vec4(moved, hasOriginal ? distance(moved, texelFetch(original, entry(i), 0).xyz) : 0.0);
}
`;

/** Linear blend skinning: every vertex follows a weighted mean of its bones' transforms. */
export class LinearBlend implements SkinModel {
  readonly boneNames: string[];
  readonly boneParents: number[];
  readonly boneColors: string[];
  private readonly rest: Float32Array;
  private readonly offsets: Uint32Array;
  private readonly bones: Uint32Array;
  private readonly values: Float32Array;
  private readonly bind: Float32Array;
  private readonly motion: Float32Array;
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    this.boneNames = rig.skeleton.names;
    this.boneParents = rig.skeleton.parents;
    this.boneColors = rig.skeleton.colors;
    this.rest = floats(page, "rest");
    this.offsets = integers(page, "weight_offsets");
    this.bones = integers(page, "weight_bones");
    this.values = floats(page, "weight_values");
    this.bind = floats(page, "bind");
    this.motion = floats(page, "motion");
    this.pass = new VertexPass(blendShader, this.makeUniforms(page.header.vertices));
  }

  private makeUniforms(vertices: number): Record<string, IUniform> {
    const { rest, offsets, bones, values, motion } = this;
    return {
      rest: { value: makeTable(kinds.float4, vertices, (data, at, i) => data.set(rest.subarray(3 * i, 3 * i + 3), at)) },
      runs: { value: makeTable(kinds.uint2, vertices, (data, at, i) => data.set(offsets.subarray(i, i + 2), at)) },
      entries: {
        value: makeTable(kinds.float2, values.length, (data, at, k) => {
          data[at] = bones[k];
          data[at + 1] = values[k];
        }),
      },
      motion: {
        value: makeTable(kinds.float4, motion.length / 4, (data, at, r) => data.set(motion.subarray(4 * r, 4 * r + 4), at)),
      },
      original: { value: null },
      hasOriginal: { value: false },
      bones: { value: this.boneNames.length },
      frame: { value: 0 },
      vertices: { value: vertices },
    };
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    const { uniforms } = this.pass;
    uniforms.frame.value = frame;
    uniforms.hasOriginal.value = original !== null;
    uniforms.original.value = original?.texture ?? null;
    this.pass.run(renderer, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    out.fill(0, 0, 3);
    const [x, y, z] = this.rest.subarray(3 * vertex, 3 * vertex + 3);
    for (let k = this.offsets[vertex]; k < this.offsets[vertex + 1]; ++k) {
      const at = 12 * (frame * this.boneNames.length + this.bones[k]);
      for (let row = 0; row < 3; ++row) {
        const m = at + 4 * row;
        const moved = this.motion[m] * x + this.motion[m + 1] * y + this.motion[m + 2] * z + this.motion[m + 3];
        out[row] += this.values[k] * moved;
      }
    }
  }

  influencesOf(vertex: number): Influence[] {
    const list: Influence[] = [];
    for (let k = this.offsets[vertex]; k < this.offsets[vertex + 1]; ++k) {
      list.push({ bone: this.bones[k], weight: this.values[k] });
    }
    return list.sort((a, b) => b.weight - a.weight);
  }

  weightsOf(bone: number): Float32Array {
    const weights = new Float32Array(this.offsets.length - 1);
    for (let i = 0; i < weights.length; ++i) {
      for (let k = this.offsets[i]; k < this.offsets[i + 1]; ++k) if (this.bones[k] === bone) weights[i] = this.values[k];
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
