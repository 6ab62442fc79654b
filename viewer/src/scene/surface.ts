import {
  BufferAttribute,
  BufferGeometry,
  Color,
  type DataTexture,
  DoubleSide,
  GLSL3,
  Group,
  type IUniform,
  LineSegments,
  Mesh,
  type Object3D,
  Points,
  RawShaderMaterial,
  type WebGLRenderTarget,
} from "three";
import { kinds, makeTable, tableShader } from "../gpu/table";

/** Source of a surface's colour in the shader. */
export const paint = { plain: 0, error: 1, perVertex: 2, scalar: 3 } as const;

// Positions come from a texture, so that one shader draws original and result for any model. Normals are the area-weighted
// means of the triangles around the vertex in this frame.
const vertexShader = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
uniform mat4 modelViewMatrix;
uniform mat4 projectionMatrix;
uniform mat3 normalMatrix;
uniform sampler2D positions;
uniform usampler2D fans;
uniform usampler2D pairs;
uniform sampler2D colors;
uniform sampler2D scalars;
uniform int paint;
uniform float pointSize;
out vec3 viewPosition;
out vec3 viewNormal;
out vec3 vertexColor;
out float heat;
${tableShader}
void main() {
  vec4 here = texelFetch(positions, entry(gl_VertexID), 0);
  uvec2 fan = texelFetch(fans, entry(gl_VertexID), 0).rg;
  vec3 normal = vec3(0.0);
  for (uint k = fan.x; k < fan.y; ++k) {
    uvec2 pair = texelFetch(pairs, entry(int(k)), 0).rg;
    vec3 a = texelFetch(positions, entry(int(pair.x)), 0).xyz - here.xyz;
    vec3 b = texelFetch(positions, entry(int(pair.y)), 0).xyz - here.xyz;
    normal += cross(a, b);
  }
  float size = length(normal);
  vec4 view = modelViewMatrix * vec4(here.xyz, 1.0);
  viewPosition = view.xyz;
  viewNormal = size > 0.0 ? normalMatrix * (normal / size) : vec3(0.0);
  vertexColor = texelFetch(colors, entry(gl_VertexID), 0).rgb;
  heat = paint == 3 ? texelFetch(scalars, entry(gl_VertexID), 0).r : here.w;
  gl_Position = projectionMatrix * view;
  gl_PointSize = pointSize;
}
`;

const fragmentHead = /* glsl */ `
precision highp float;
precision highp int;
precision highp sampler2D;
in vec3 viewPosition;
in vec3 viewNormal;
in vec3 vertexColor;
in float heat;
uniform vec3 clay;
out vec4 pixel;
vec3 decode(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
vec3 encode(vec3 c) { return mix(12.92 * c, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
vec3 facing() {
  vec3 n = dot(viewNormal, viewNormal) > 0.0 ? normalize(viewNormal) : vec3(0.0, 0.0, 1.0);
  return dot(n, viewPosition) > 0.0 ? -n : n;
}
`;

const surfaceShader = /* glsl */ `
${fragmentHead}
uniform int paint;
uniform float top;
uniform sampler2D ramp;
void main() {
  vec3 base = clay;
  if (paint == 1 || paint == 3) base = decode(texture(ramp, vec2((clamp(heat / top, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb);
  if (paint == 2) base = decode(vertexColor);
  vec3 n = facing();
  vec3 toEye = normalize(-viewPosition);
  float key = max(dot(n, normalize(vec3(0.45, 0.75, 0.65))), 0.0);
  float fill = max(dot(n, normalize(vec3(-0.8, 0.05, 0.5))), 0.0);
  float sky = 0.5 + 0.5 * n.y;
  vec3 light = mix(vec3(0.27, 0.25, 0.25), vec3(0.47, 0.49, 0.53), sky) + 0.55 * key * vec3(1.0, 0.98, 0.94) + 0.14 * fill * vec3(0.8, 0.9, 1.0);
  float gloss = 0.07 * pow(max(dot(n, normalize(normalize(vec3(0.45, 0.75, 0.65)) + toEye)), 0.0), 28.0);
  float rim = 0.10 * pow(1.0 - max(dot(n, toEye), 0.0), 3.0);
  vec3 lit = base * light + gloss + rim * base;
  if (!gl_FrontFacing) lit *= vec3(0.72, 0.75, 0.82);
  pixel = vec4(encode(clamp(lit, 0.0, 1.0)), 1.0);
}
`;

const ghostShader = /* glsl */ `
${fragmentHead}
void main() {
  float edge = 1.0 - abs(dot(facing(), normalize(-viewPosition)));
  pixel = vec4(encode(clay), mix(0.05, 0.9, edge * edge));
}
`;

const wireShader = /* glsl */ `
${fragmentHead}
void main() { pixel = vec4(encode(clay), 0.28); }
`;

const pointShader = /* glsl */ `
${surfaceShader.replace("void main() {", "void main() { if (length(gl_PointCoord - 0.5) > 0.5) discard;")}
`;

/** Shared by original and result: topology, colours and scales. */
export interface SurfaceParts {
  triangles: BufferAttribute;
  edges: BufferAttribute;
  vertices: number;
  uniforms: Record<string, IUniform>;
}

export function makeSurfaceParts(
  triangles: Uint32Array,
  edges: Uint32Array,
  vertices: number,
  uniforms: Record<string, IUniform>,
): SurfaceParts {
  const starts = new Uint32Array(vertices + 1);
  for (const v of triangles) ++starts[v + 1];
  for (let i = 0; i < vertices; ++i) starts[i + 1] += starts[i];
  const next = starts.slice();
  const pairs = new Uint32Array(2 * triangles.length);
  for (let f = 0; f < triangles.length; f += 3) {
    for (let c = 0; c < 3; ++c) {
      const at = 2 * next[triangles[f + c]]++;
      pairs[at] = triangles[f + ((c + 1) % 3)];
      pairs[at + 1] = triangles[f + ((c + 2) % 3)];
    }
  }
  return {
    triangles: new BufferAttribute(triangles, 1),
    edges: new BufferAttribute(edges, 1),
    vertices,
    uniforms: {
      fans: { value: makeTable(kinds.uint2, vertices, (data, at, i) => data.set(starts.subarray(i, i + 2), at)) },
      pairs: {
        value: makeTable(kinds.uint2, triangles.length, (data, at, k) => data.set(pairs.subarray(2 * k, 2 * k + 2), at)),
      },
      ...uniforms,
    },
  };
}

export function scalarTable(values: Float32Array): DataTexture {
  return makeTable(kinds.float2, values.length, (data, at, i) => {
    data[at] = values[i];
  });
}

type Look = "solid" | "ghost";

/** A mesh with positions in a texture. */
export class Surface extends Group {
  readonly paint: IUniform<number> = { value: paint.plain };
  readonly clay: IUniform<Color> = { value: new Color() };
  private readonly wireColor: IUniform<Color> = { value: new Color() };
  private readonly wires: LineSegments | null = null;

  constructor(parts: SurfaceParts, positions: WebGLRenderTarget, look: Look) {
    super();
    const own = { positions: { value: positions.texture }, paint: this.paint, clay: this.clay };
    const ghost = look === "ghost";
    const material = (fragmentShader: string, extra: Record<string, IUniform> = {}): RawShaderMaterial =>
      new RawShaderMaterial({
        glslVersion: GLSL3,
        uniforms: { ...parts.uniforms, ...own, ...extra },
        vertexShader,
        fragmentShader,
        side: DoubleSide,
      });
    if (parts.triangles.count === 0) {
      const all = new BufferAttribute(Uint32Array.from({ length: parts.vertices }, (_, i) => i), 1);
      this.show(new Points(new BufferGeometry().setIndex(all), material(pointShader)));
      return;
    }
    const solid = material(ghost ? ghostShader : surfaceShader);
    solid.transparent = ghost;
    solid.depthWrite = !ghost;
    solid.polygonOffset = true;
    solid.polygonOffsetFactor = solid.polygonOffsetUnits = 1;
    const mesh = new Mesh(new BufferGeometry().setIndex(parts.triangles), solid);
    mesh.renderOrder = ghost ? 1 : 0;
    this.show(mesh);
    const wire = material(wireShader, { clay: this.wireColor });
    wire.transparent = true;
    wire.depthWrite = false;
    this.wires = new LineSegments(new BufferGeometry().setIndex(parts.edges), wire);
    this.wires.renderOrder = 2;
    this.show(this.wires);
  }

  setWire(visible: boolean, color: Color): void {
    if (this.wires !== null) this.wires.visible = visible;
    this.wireColor.value.copy(color);
  }

  private show(object: Object3D): void {
    object.frustumCulled = false; // its bounds are unknown: positions are on the GPU
    this.add(object);
  }
}
