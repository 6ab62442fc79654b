import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  FloatType,
  GLSL3,
  type IUniform,
  Mesh,
  NearestFilter,
  RawShaderMaterial,
  RGBAFormat,
  Scene,
  type WebGLRenderer,
  WebGLRenderTarget,
} from "three";
import { tableHeight, tableShader, tableWidth } from "./table";

const triangle = new BufferGeometry().setAttribute(
  "position",
  new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
);

/** A texture with a position (xyz) and a distance (w) per vertex. */
export function makePositions(vertices: number): WebGLRenderTarget {
  return new WebGLRenderTarget(tableWidth, tableHeight(vertices), {
    format: RGBAFormat,
    type: FloatType,
    internalFormat: "RGBA32F",
    minFilter: NearestFilter,
    magFilter: NearestFilter,
    depthBuffer: false,
  });
}

/** Runs a fragment shader once per vertex. Its source defines `vec4 vertex(int i)`. */
export class VertexPass {
  readonly uniforms: Record<string, IUniform>;
  private readonly scene = new Scene();
  private readonly camera = new Camera();

  constructor(source: string, uniforms: Record<string, IUniform>) {
    this.uniforms = uniforms;
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      uniforms,
      depthTest: false,
      depthWrite: false,
      vertexShader: /* glsl */ `
        in vec3 position;
        void main() { gl_Position = vec4(position, 1.0); }`,
      fragmentShader: /* glsl */ `
        precision highp float;
        precision highp int;
        precision highp sampler2D;
        precision highp usampler2D;
        out vec4 result;
        ${tableShader}
        ${source}
        void main() { result = vertex(int(gl_FragCoord.y) * ${tableWidth} + int(gl_FragCoord.x)); }`,
    });
    const mesh = new Mesh(triangle, material);
    mesh.frustumCulled = false;
    this.scene.add(mesh);
  }

  run(renderer: WebGLRenderer, target: WebGLRenderTarget): void {
    renderer.setRenderTarget(target);
    renderer.render(this.scene, this.camera);
    renderer.setRenderTarget(null);
  }
}
