/** Decodes the arrays of src/view/payload.cpp: base64, deflate, byte planes, differences. */

export interface Section {
  name: string;
  type: "f32" | "u32" | "u16";
  count: number;
  rows: number;
  coding: "plain" | "delta" | "rows";
}

export type Arrays = Map<string, Float32Array | Uint32Array | Uint16Array>;

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let k = 0; k < bytes.length; ++k) bytes[k] = binary.charCodeAt(k);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Value k of `length` values whose byte planes start at `start`. */
function joinPlanes(bytes: Uint8Array, start: number, length: number, k: number, width: number): number {
  let value = 0;
  for (let b = 0; b < width; ++b) value |= bytes[start + b * length + k] << (8 * b);
  return value >>> 0;
}

function decodeSection(bytes: Uint8Array, at: number, section: Section): Float32Array | Uint32Array | Uint16Array {
  const { type, count, rows, coding } = section;
  const width = type === "u16" ? 2 : 4;
  const values = width === 2 ? new Uint16Array(count) : new Uint32Array(count);
  const length = rows > 0 ? count / rows : 0;
  const back = coding === "rows" ? length : 1;
  for (let r = 0; r < rows; ++r) {
    const start = at + r * length * width;
    for (let k = 0; k < length; ++k) {
      const bits = joinPlanes(bytes, start, length, k, width);
      const i = r * length + k;
      if (coding === "plain") values[i] = bits;
      // Typed arrays wrap around, as the writer's unsigned differences did.
      else values[i] = ((bits >>> 1) ^ -(bits & 1)) + (i >= back ? values[i - back] : 0);
    }
  }
  return type === "f32" ? new Float32Array(values.buffer) : values;
}

export async function decodeArrays(base64: string, sections: Section[]): Promise<Arrays> {
  const bytes = await inflate(bytesOfBase64(base64));
  const arrays: Arrays = new Map();
  let at = 0;
  for (const section of sections) {
    arrays.set(section.name, decodeSection(bytes, at, section));
    at += section.count * (section.type === "u16" ? 2 : 4);
  }
  if (at !== bytes.length) throw new Error(`the page's data is ${bytes.length} bytes long, not ${at}: it is damaged`);
  return arrays;
}
