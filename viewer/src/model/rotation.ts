// The proper rotation nearest to a 3 x 3 matrix: the unit quaternion x that maximises x^T N x, with Horn's symmetric N.
// Power iteration: N, shifted to be positive semi-definite, is squared repeatedly and tends to a multiple of x x^T.

// Enough for a relative gap of 1e-5 between the two largest eigenvalues.
const squarings = 22;

export const rotationShader = /* glsl */ `
mat3 nearestRotation(mat3 q) {
  float size = sqrt(dot(q[0], q[0]) + dot(q[1], q[1]) + dot(q[2], q[2]));
  if (!(size > 0.0)) return mat3(1.0);
  mat3 s = q / size; // s[column][row]
  float xy = s[0][1] + s[1][0], xz = s[0][2] + s[2][0], yz = s[1][2] + s[2][1];
  vec3 w = vec3(s[1][2] - s[2][1], s[2][0] - s[0][2], s[0][1] - s[1][0]);
  mat4 n = mat4(s[0][0] + s[1][1] + s[2][2], w.x, w.y, w.z,
                w.x, s[0][0] - s[1][1] - s[2][2], xy, xz,
                w.y, xy, s[1][1] - s[0][0] - s[2][2], yz,
                w.z, xz, yz, s[2][2] - s[0][0] - s[1][1]);
  n += mat4(1.7320508);
  for (int k = 0; k < ${squarings}; ++k) {
    n = n * n;
    n /= n[0][0] + n[1][1] + n[2][2] + n[3][3];
  }
  vec4 x = n[0];
  float largest = n[0][0];
  for (int c = 1; c < 4; ++c) {
    if (n[c][c] > largest) {
      largest = n[c][c];
      x = n[c];
    }
  }
  x = normalize(x);
  vec3 v = x.yzw;
  return (x.x * x.x - dot(v, v)) * mat3(1.0) + 2.0 * outerProduct(v, v) +
         2.0 * x.x * mat3(0.0, v.z, -v.y, -v.z, 0.0, v.x, v.y, -v.x, 0.0);
}
`;

/** The same in script; matrices by rows. */
export function blendedRotation(q: Float64Array): Float64Array {
  const size = Math.hypot(...q);
  if (!(size > 0)) return new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1]);
  const s = q.map((value) => value / size);
  const [xy, xz, yz] = [s[1] + s[3], s[2] + s[6], s[5] + s[7]];
  const w = [s[7] - s[5], s[2] - s[6], s[3] - s[1]];
  let n = [
    s[0] + s[4] + s[8], w[0], w[1], w[2],
    w[0], s[0] - s[4] - s[8], xy, xz,
    w[1], xy, s[4] - s[0] - s[8], yz,
    w[2], xz, yz, s[8] - s[0] - s[4],
  ];
  for (let c = 0; c < 4; ++c) n[5 * c] += Math.sqrt(3);
  for (let k = 0; k < squarings; ++k) {
    const square = n.map((_, at) => {
      const [r, c] = [at >> 2, at & 3];
      return n[4 * r] * n[c] + n[4 * r + 1] * n[4 + c] + n[4 * r + 2] * n[8 + c] + n[4 * r + 3] * n[12 + c];
    });
    const trace = square[0] + square[5] + square[10] + square[15];
    n = square.map((value) => value / trace);
  }
  const longest = [0, 1, 2, 3].reduce((best, c) => (n[5 * c] > n[5 * best] ? c : best), 0);
  const column = n.slice(4 * longest, 4 * longest + 4);
  const length = Math.hypot(...column);
  const [a, x, y, z] = column.map((value) => value / length);
  return new Float64Array([
    ...[1 - 2 * (y * y + z * z), 2 * (x * y - a * z), 2 * (x * z + a * y)],
    ...[2 * (x * y + a * z), 1 - 2 * (x * x + z * z), 2 * (y * z - a * x)],
    ...[2 * (x * z - a * y), 2 * (y * z + a * x), 1 - 2 * (x * x + y * y)],
  ]);
}
