import type { IUniform, WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData, RigHeader } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable, pointTable, rowTable } from "../gpu/table";
import { MultiWeights } from "./multi_weights";
import { RigModel } from "./rig_model";
import { rotationShader } from "./rotation";

// Each vertex has a range of entries: a bone and a symmetric 4 x 4 matrix about the vertex's centre of rotation, in three
// texels (bone xx xy xz, xw yy yz yw, zz zw ww). Each bone has three rows per frame: its transform minus the identity,
// relative to the root with the root's joint as origin. The root's transform is applied at the end.
const shader = /* glsl */ `
uniform sampler2D rest;
uniform sampler2D centres;
uniform usampler2D runs;
uniform sampler2D entries;
uniform sampler2D turns;
uniform sampler2D original;
uniform bool hasOriginal;
uniform vec3 origin;
uniform vec4 root[3];
uniform int bones;
uniform int frame;
uniform int vertices;
${rotationShader}
vec4 vertex(int i) {
  if (i >= vertices) return vec4(0.0);
  uvec2 run = texelFetch(runs, entry(i), 0).rg;
  vec3 centre = texelFetch(centres, entry(i), 0).xyz;
  vec4 p = vec4(centre - origin, 1.0);
  mat3 q = mat3(0.0);
  vec3 shift = vec3(0.0);
  for (uint k = run.x; k < run.y; ++k) {
    vec4 first = texelFetch(entries, entry(3 * int(k)), 0);
    vec4 second = texelFetch(entries, entry(3 * int(k) + 1), 0);
    vec4 third = texelFetch(entries, entry(3 * int(k) + 2), 0);
    mat3 a = mat3(first.y, first.z, first.w, first.z, second.y, second.z, first.w, second.z, third.x);
    vec3 b = vec3(second.x, second.w, third.y);
    int row = 3 * (frame * bones + int(first.x));
    vec4 x = texelFetch(turns, entry(row), 0), y = texelFetch(turns, entry(row + 1), 0), z = texelFetch(turns, entry(row + 2), 0);
    vec3 way = vec3(dot(x, p), dot(y, p), dot(z, p));
    mat3 d = transpose(mat3(x.xyz, y.xyz, z.xyz));
    q += a + d * a + outerProduct(way, b);
    shift += d * b + third.z * way;
  }
  vec3 arm = texelFetch(rest, entry(i), 0).xyz - centre;
  vec4 seen = vec4(centre + (shift + nearestRotation(q) * arm), 1.0);
  vec3 moved = vec3(dot(root[0], seen), dot(root[1], seen), dot(root[2], seen));
  return vec4(moved, hasOriginal ? distance(moved, texelFetch(original, entry(i), 0).xyz) : 0.0);
}
`;

/** Direct Delta Mush skinning, as src/ddm/deform.cpp evaluates it, but from transforms rounded to floats. */
export class DirectDeltaMush extends RigModel {
  private readonly weights: MultiWeights;
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    super(page, rig);
    this.weights = new MultiWeights(page, this.boneNames.length);
    this.pass = new VertexPass(shader, this.makeUniforms(page.header.vertices));
  }

  private makeUniforms(vertices: number): Record<string, IUniform> {
    const { rest } = this;
    const { centres, offsets, bones, values, turns, origin } = this.weights;
    return {
      rest: { value: pointTable(rest) },
      centres: { value: pointTable(centres) },
      runs: { value: makeTable(kinds.uint2, vertices, (data, at, i) => data.set(offsets.subarray(i, i + 2), at)) },
      entries: {
        value: makeTable(kinds.float4, 3 * bones.length, (data, at, texel) => {
          const k = Math.floor(texel / 3);
          const part = texel % 3;
          if (part === 0) data[at] = bones[k];
          // Ten values, starting at the second component of the first texel.
          const first = 10 * k + 4 * part - 1;
          for (let c = part === 0 ? 1 : 0; c < (part === 2 ? 3 : 4); ++c) data[at + c] = values[first + c];
        }),
      },
      turns: { value: rowTable(turns) },
      original: { value: null },
      hasOriginal: { value: false },
      origin: { value: origin },
      root: { value: new Float32Array(12) },
      bones: { value: this.boneNames.length },
      frame: { value: 0 },
      vertices: { value: vertices },
    };
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    const { uniforms } = this.pass;
    uniforms.frame.value = frame;
    uniforms.root.value = this.weights.rootOf(frame);
    this.runPass(this.pass, renderer, original, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    const centre = this.weights.centreOf(vertex);
    const { turn, shift } = this.weights.motionOf(vertex, frame);
    const seen = shift.map((way, r) => centre[r] + way);
    for (let r = 0; r < 3; ++r) {
      for (let k = 0; k < 3; ++k) seen[r] += turn[3 * r + k] * (this.rest[3 * vertex + k] - centre[k]);
    }
    const root = this.weights.rootOf(frame);
    for (let r = 0; r < 3; ++r) {
      out[r] = root[4 * r] * seen[0] + root[4 * r + 1] * seen[1] + root[4 * r + 2] * seen[2] + root[4 * r + 3];
    }
  }

  protected eachBone(vertex: number, use: (bone: number, weight: number) => void): void {
    this.weights.each(vertex, use);
  }
}
