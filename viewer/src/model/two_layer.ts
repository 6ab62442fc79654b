import type { WebGLRenderer, WebGLRenderTarget } from "three";
import type { PageData, RigHeader } from "../data/page";
import { makePositions, VertexPass } from "../gpu/pass";
import { rowTable } from "../gpu/table";
import { makeBlendPass } from "./blend_pass";
import { Blends } from "./blends";
import { Layered } from "./layered";
import { addMoved } from "./rig_model";
import type { VirtualBones } from "./skin_model";

// First layer: each virtual bone has a range of (bone, value) entries; writes its three rows.
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

/** Two-layer skinning in two passes: bones to virtual bones, virtual bones to vertices. */
export class TwoLayer extends Layered {
  readonly virtualBones: VirtualBones;
  private readonly first: Blends;
  private readonly between: WebGLRenderTarget;
  private readonly firstPass: VertexPass;
  /** Always at frame 0: the first pass writes only the shown frame. */
  private readonly secondPass: VertexPass;

  constructor(page: PageData, rig: RigHeader) {
    super(page, rig);
    this.first = new Blends(page, "virtual");
    const rows = 3 * this.first.rows;
    this.between = makePositions(rows);
    this.firstPass = new VertexPass(firstShader, {
      ...this.first.tables(),
      motion: { value: rowTable(this.motion) },
      bones: { value: this.boneNames.length },
      frame: { value: 0 },
      rows: { value: rows },
    });
    this.secondPass = makeBlendPass(this.rest, this.second, this.between.texture, this.first.rows);
    this.virtualBones = this.makeVirtualBones(this.first.rows);
  }

  deform(renderer: WebGLRenderer, frame: number, original: WebGLRenderTarget | null, target: WebGLRenderTarget): void {
    this.firstPass.uniforms.frame.value = frame;
    this.firstPass.run(renderer, this.between);
    this.runPass(this.secondPass, renderer, original, target);
  }

  protected addMovedBy(row: number, frame: number, point: ArrayLike<number>, value: number, out: Float64Array): void {
    this.first.each(row, (bone, part) => {
      addMoved(this.motion, frame * this.boneNames.length + bone, point, value * part, out);
    });
  }

  protected eachBoneOf(row: number, use: (bone: number, part: number) => void): void {
    this.first.each(row, use);
  }
}
