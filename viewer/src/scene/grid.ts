import { BufferAttribute, BufferGeometry, LineBasicMaterial, LineSegments } from "three";

const cells = 14;

/** 1, 2 or 5 times a power of ten, near `length`. */
function roundLength(length: number): number {
  const power = 10 ** Math.floor(Math.log10(length));
  const part = length / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

/** Lines on the ground that fade with distance. One segment per cell: long lines would end behind the camera. */
export class Grid extends LineSegments<BufferGeometry, LineBasicMaterial> {
  constructor(radius: number) {
    const cell = roundLength(Math.max(radius, 1e-9) / 2.5);
    const positions: number[] = [];
    const colors: number[] = [];
    const point = (x: number, z: number): void => {
      positions.push(x * cell, 0, z * cell);
      colors.push(1, 1, 1, Math.max(0, 1 - Math.hypot(x, z) / cells) ** 1.5);
    };
    for (let a = -cells; a <= cells; ++a) {
      for (let b = -cells; b < cells; ++b) {
        point(a, b);
        point(a, b + 1);
        point(b, a);
        point(b + 1, a);
      }
    }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(positions), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colors), 4));
    super(geometry, new LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false }));
  }
}
