import { type DataTexture, Vector3, type WebGLRenderer, type WebGLRenderTarget } from "three";
import { floats, type PageData } from "../data/page";
import { VertexPass } from "../gpu/pass";
import { kinds, makeTable } from "../gpu/table";

const shader = /* glsl */ `
uniform usampler2D steps;
uniform vec3 origin;
uniform vec3 size;
vec4 vertex(int i) { return vec4(origin + size * vec3(texelFetch(steps, entry(i), 0).xyz), 0.0); }
`;

/** The original's frames, in whole steps from each frame's origin. */
export class Original {
  private readonly vertices: number;
  private readonly origins: Float32Array;
  private readonly values: Uint16Array;
  private readonly steps: DataTexture;
  private readonly pass: VertexPass;

  constructor(
    page: PageData,
    private readonly step: [number, number, number],
  ) {
    this.vertices = page.header.vertices;
    this.origins = floats(page, "frame_origins");
    this.values = page.arrays.get("frames") as Uint16Array;
    this.steps = makeTable(kinds.ushort4, this.vertices, () => {});
    this.pass = new VertexPass(shader, {
      steps: { value: this.steps },
      origin: { value: new Vector3() },
      size: { value: new Vector3(...step) },
    });
  }

  /** Writes every position of a frame to `target`. */
  show(renderer: WebGLRenderer, frame: number, target: WebGLRenderTarget): void {
    const n = this.vertices;
    const { values } = this;
    const data = this.steps.image.data as unknown as Uint16Array;
    const x = 3 * n * frame;
    for (let i = 0, at = 0; i < n; ++i, at += 4) {
      data[at] = values[x + i];
      data[at + 1] = values[x + n + i];
      data[at + 2] = values[x + 2 * n + i];
    }
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
