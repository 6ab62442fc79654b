import {
  DataTexture,
  FloatType,
  NearestFilter,
  type PixelFormat,
  RedIntegerFormat,
  RGBAFormat,
  RGFormat,
  RGIntegerFormat,
  type TextureDataType,
  UnsignedByteType,
  UnsignedIntType,
  UnsignedShortType,
} from "three";

/** Long lists are textures: entry i is texel (i % width, i / width). */
export const tableWidth = 2048;
const mostRows = 8192;

export const tableShader = /* glsl */ `
ivec2 entry(int i) { return ivec2(i & ${tableWidth - 1}, i >> ${Math.log2(tableWidth)}); }
`;

export function tableHeight(entries: number): number {
  const rows = Math.max(1, Math.ceil(entries / tableWidth));
  if (rows > mostRows) throw new Error(`The model is too large for a page: ${entries} numbers in one list.`);
  return rows;
}

interface Kind {
  parts: number;
  format: PixelFormat;
  type: TextureDataType;
  internal: "RGBA32F" | "RG32F" | "RG32UI" | "R16UI" | "RGBA8";
  make(length: number): Float32Array | Uint32Array | Uint16Array | Uint8Array;
}

export const kinds = {
  float4: { parts: 4, format: RGBAFormat, type: FloatType, internal: "RGBA32F", make: (n) => new Float32Array(n) },
  float2: { parts: 2, format: RGFormat, type: FloatType, internal: "RG32F", make: (n) => new Float32Array(n) },
  uint2: { parts: 2, format: RGIntegerFormat, type: UnsignedIntType, internal: "RG32UI", make: (n) => new Uint32Array(n) },
  ushort1: { parts: 1, format: RedIntegerFormat, type: UnsignedShortType, internal: "R16UI", make: (n) => new Uint16Array(n) },
  byte4: { parts: 4, format: RGBAFormat, type: UnsignedByteType, internal: "RGBA8", make: (n) => new Uint8Array(n) },
} satisfies Record<string, Kind>;

/** A texture of `entries` texels. `write` fills one entry, given the index of its first component. */
export function makeTable(
  kind: Kind,
  entries: number,
  write: (data: Float32Array | Uint32Array | Uint16Array | Uint8Array, at: number, entry: number) => void,
): DataTexture {
  const height = tableHeight(entries);
  const data = kind.make(tableWidth * height * kind.parts);
  for (let e = 0; e < entries; ++e) write(data, e * kind.parts, e);
  const texture = new DataTexture(data, tableWidth, height, kind.format, kind.type);
  texture.internalFormat = kind.internal;
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}

/** A table of points (x, y, z). */
export function pointTable(points: Float32Array): DataTexture {
  return makeTable(kinds.float4, points.length / 3, (data, at, i) => data.set(points.subarray(3 * i, 3 * i + 3), at));
}

/** A table of matrix rows (four numbers). */
export function rowTable(rows: Float32Array): DataTexture {
  return makeTable(kinds.float4, rows.length / 4, (data, at, r) => data.set(rows.subarray(4 * r, 4 * r + 4), at));
}
