import type { IUniform, WebGLRenderer, WebGLRenderTarget } from "three";
import { floats, integers, type PageData, type RigHeader } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";
import { LinearBlend } from "./linear_blend";
import { blendedRotation, rotationShader } from "./rotation";
import type { Influence, SkinModel } from "./skin_model";

// A vertex has a run of entries: a bone and a symmetric 4 x 4 matrix about the vertex's centre of rotation, in three
// texels (bone xx xy xz, xw yy yz yw, zz zw ww). A bone has three rows per frame: what it does beyond standing still,
// seen from the root with the root's joint as the origin; the root itself follows at the end.
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

const still = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]);

/** Of the linear part of a 3 x 4 transform, row by row. */
function cofactor(a: ArrayLike<number>, r: number, c: number): number {
  const [r1, r2, c1, c2] = [(r + 1) % 3, (r + 2) % 3, (c + 1) % 3, (c + 2) % 3];
  return a[4 * r1 + c1] * a[4 * r2 + c2] - a[4 * r1 + c2] * a[4 * r2 + c1];
}

function determinantOf(a: ArrayLike<number>): number {
  return a[0] * cofactor(a, 0, 0) + a[1] * cofactor(a, 0, 1) + a[2] * cofactor(a, 0, 2);
}

/** a^-1 b of 3 x 4 transforms; a must be invertible. */
function seenFrom(a: ArrayLike<number>, b: ArrayLike<number>): Float64Array {
  const determinant = determinantOf(a);
  const out = new Float64Array(12);
  for (let r = 0; r < 3; ++r) {
    for (let c = 0; c < 4; ++c) {
      let sum = 0;
      for (let k = 0; k < 3; ++k) sum += cofactor(a, k, r) * (b[4 * k + c] - (c === 3 ? a[4 * k + 3] : 0));
      out[4 * r + c] = sum / determinant;
    }
  }
  return out;
}

/** Direct Delta Mush skinning, as src/ddm/deform.cpp evaluates it, but from transforms rounded to floats. */
export class DirectDeltaMush implements SkinModel {
  readonly boneNames: string[];
  readonly boneParents: number[];
  readonly boneColors: string[];
  /** The plain skin on the same bones: it knows where they are. */
  private readonly plain: LinearBlend;
  private readonly rest: Float32Array;
  private readonly centres: Float32Array;
  private readonly offsets: Uint32Array;
  private readonly bones: Uint32Array;
  private readonly values: Float32Array;
  private readonly motion: Float32Array;
  private readonly turns: Float32Array;
  private readonly origin: [number, number, number];
  private readonly pass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    this.boneNames = rig.skeleton.names;
    this.boneParents = rig.skeleton.parents;
    this.boneColors = rig.skeleton.colors;
    this.plain = new LinearBlend(page, rig);
    this.rest = floats(page, "rest");
    this.centres = floats(page, "ddm_centres");
    this.offsets = integers(page, "ddm_offsets");
    this.bones = integers(page, "ddm_bones");
    this.values = floats(page, "ddm_values");
    this.motion = floats(page, "motion");
    const bind = floats(page, "bind");
    this.origin = [bind[3], bind[7], bind[11]];
    this.turns = this.makeTurns(page.frames);
    this.pass = new VertexPass(shader, this.makeUniforms(page.header.vertices));
  }

  private makeTurns(frames: number): Float32Array {
    const turns = new Float32Array(this.motion.length);
    const count = this.boneNames.length;
    for (let t = 0; t < frames; ++t) {
      const root = this.rootOf(t);
      for (let j = 0; j < count; ++j) {
        const at = 12 * (t * count + j);
        const seen = seenFrom(root, this.motion.subarray(at, at + 12));
        for (let r = 0; r < 3; ++r) {
          let shift = seen[4 * r + 3] - this.origin[r];
          for (let k = 0; k < 3; ++k) {
            shift += seen[4 * r + k] * this.origin[k];
            turns[at + 4 * r + k] = seen[4 * r + k] - (r === k ? 1 : 0);
          }
          turns[at + 4 * r + 3] = shift;
        }
      }
    }
    return turns;
  }

  /** What the root does; a root that flattens everything cannot be taken out and counts as standing still. */
  private rootOf(frame: number): Float32Array {
    const at = 12 * frame * this.boneNames.length;
    const root = this.motion.subarray(at, at + 12);
    return determinantOf(root) === 0 ? still : root;
  }

  private makeUniforms(vertices: number): Record<string, IUniform> {
    const { rest, centres, offsets, bones, values, turns } = this;
    const points = (list: Float32Array) => ({
      value: makeTable(kinds.float4, vertices, (data, at, i) => data.set(list.subarray(3 * i, 3 * i + 3), at)),
    });
    return {
      rest: points(rest),
      centres: points(centres),
      runs: { value: makeTable(kinds.uint2, vertices, (data, at, i) => data.set(offsets.subarray(i, i + 2), at)) },
      entries: {
        value: makeTable(kinds.float4, 3 * bones.length, (data, at, texel) => {
          const k = Math.floor(texel / 3);
          const part = texel % 3;
          if (part === 0) data[at] = bones[k];
          // Ten values from the second place of the first texel on.
          const first = 10 * k + 4 * part - 1;
          for (let c = part === 0 ? 1 : 0; c < (part === 2 ? 3 : 4); ++c) data[at + c] = values[first + c];
        }),
      },
      turns: {
        value: makeTable(kinds.float4, turns.length / 4, (data, at, r) => data.set(turns.subarray(4 * r, 4 * r + 4), at)),
      },
      original: { value: null },
      hasOriginal: { value: false },
      origin: { value: this.origin },
      root: { value: new Float32Array(12) },
      bones: { value: this.boneNames.length },
      frame: { value: 0 },
      vertices: { value: vertices },
    };
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    const { uniforms } = this.pass;
    uniforms.frame.value = frame;
    uniforms.root.value = this.rootOf(frame);
    uniforms.hasOriginal.value = original !== null;
    uniforms.original.value = original?.texture ?? null;
    this.pass.run(renderer, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    const { values, turns } = this;
    const centre = this.centres.subarray(3 * vertex, 3 * vertex + 3);
    const p = [0, 1, 2].map((a) => centre[a] - this.origin[a]);
    const q = new Float64Array(9);
    const seen = new Float64Array(centre);
    for (let e = this.offsets[vertex]; e < this.offsets[vertex + 1]; ++e) {
      const v = values.subarray(10 * e, 10 * e + 10);
      const a = [v[0], v[1], v[2], v[1], v[4], v[5], v[2], v[5], v[7]];
      const b = [v[3], v[6], v[8]];
      const at = 12 * (frame * this.boneNames.length + this.bones[e]);
      for (let r = 0; r < 3; ++r) {
        const d = turns.subarray(at + 4 * r, at + 4 * r + 4);
        const way = d[0] * p[0] + d[1] * p[1] + d[2] * p[2] + d[3];
        for (let k = 0; k < 3; ++k) q[3 * r + k] += a[3 * r + k] + d[0] * a[k] + d[1] * a[3 + k] + d[2] * a[6 + k] + way * b[k];
        seen[r] += d[0] * b[0] + d[1] * b[1] + d[2] * b[2] + way * v[9];
      }
    }
    const turn = blendedRotation(q);
    for (let r = 0; r < 3; ++r) {
      for (let k = 0; k < 3; ++k) seen[r] += turn[3 * r + k] * (this.rest[3 * vertex + k] - centre[k]);
    }
    const root = this.rootOf(frame);
    for (let r = 0; r < 3; ++r) {
      out[r] = root[4 * r] * seen[0] + root[4 * r + 1] * seen[1] + root[4 * r + 2] * seen[2] + root[4 * r + 3];
    }
  }

  influencesOf(vertex: number): Influence[] {
    const list: Influence[] = [];
    for (let k = this.offsets[vertex]; k < this.offsets[vertex + 1]; ++k) {
      list.push({ bone: this.bones[k], weight: this.values[10 * k + 9] });
    }
    return list.sort((a, b) => b.weight - a.weight);
  }

  weightsOf(bone: number): Float32Array {
    const weights = new Float32Array(this.offsets.length - 1);
    for (let i = 0; i < weights.length; ++i) {
      for (let k = this.offsets[i]; k < this.offsets[i + 1]; ++k) if (this.bones[k] === bone) weights[i] = this.values[10 * k + 9];
    }
    return weights;
  }

  boneFrame(bone: number, frame: number, out: Float64Array): void {
    this.plain.boneFrame(bone, frame, out);
  }
}
