import type { Texture } from "three";
import { VertexPass } from "../gpu/pass";
import { pointTable } from "../gpu/table";
import type { Blends } from "./blends";

// Any number of influences: each vertex has a range of (bone, weight) entries, each bone three rows per frame.
const shader = /* glsl */ `
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

/** Blends `count` bones (real or virtual), with transforms in `motion`, at the vertices `rest`. */
export function makeBlendPass(rest: Float32Array, weights: Blends, motion: Texture, count: number): VertexPass {
  return new VertexPass(shader, {
    ...weights.tables(),
    rest: { value: pointTable(rest) },
    motion: { value: motion },
    original: { value: null },
    hasOriginal: { value: false },
    bones: { value: count },
    frame: { value: 0 },
    vertices: { value: weights.rows },
  });
}
