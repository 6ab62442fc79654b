import { type DataTexture, Vector3, type WebGLRenderer, type WebGLRenderTarget } from "three";
import { floats, type PageData } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable, tableHeight, tableWidth } from "../gpu/table";
import type { Reference } from "./reference";

const shader = /* glsl */ `
uniform usampler2D steps; // all x, then all y, then all z
uniform vec3 origin;
uniform vec3 size;
uniform int vertices;
float whole(int i) { return float(texelFetch(steps, entry(i), 0).r); }
vec4 vertex(int i) {
  if (i >= vertices) return vec4(0.0);
  return vec4(origin + size * vec3(whole(i), whole(vertices + i), whole(2 * vertices + i)), 0.0);
}
`;

/** The original's frames as 16-bit steps from an origin per frame. */
export class Original implements Reference {
  private readonly vertices: number;
  private readonly origins: Float32Array;
  private readonly values: Uint16Array;
  private readonly tableSize: number;
  private readonly steps: DataTexture;
  private readonly pass: VertexPass;

  constructor(
    page: PageData,
    private readonly step: [number, number, number],
  ) {
    this.vertices = page.header.vertices;
    this.origins = floats(page, "frame_origins");
    const values = page.arrays.get("frames") as Uint16Array;
    // A frame goes to the GPU without a copy. What follows it fills the last row of the texture; zeros after the last frame.
    this.tableSize = tableWidth * tableHeight(3 * this.vertices);
    this.values = new Uint16Array(values.length + this.tableSize);
    this.values.set(values);
    this.steps = makeTable(kinds.ushort1, 3 * this.vertices, () => {});
    this.pass = new VertexPass(shader, {
      steps: { value: this.steps },
      origin: { value: new Vector3() },
      size: { value: new Vector3(...step) },
      vertices: { value: this.vertices },
    });
  }

  /** Writes all positions of a frame to `target`. */
  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void {
    const first = 3 * this.vertices * frame;
    this.steps.image.data = this.values.subarray(first, first + this.tableSize);
    this.steps.needsUpdate = true;
    this.pass.uniforms.origin.value.fromArray(this.origins, 3 * frame);
    this.pass.run(renderer, target);
  }

  positionOf(vertex: number, frame: number, out: Float64Array): void {
    for (let a = 0; a < 3; ++a) {
      const steps = this.values[(3 * frame + a) * this.vertices + vertex];
      out[a] = this.origins[3 * frame + a] + this.step[a] * steps;
    }
  }
}
