/** Colour ramps at even perceptual steps (Ottosson's OKLab, 2020). */

type Triple = [number, number, number];

export function fromHex(hex: string): Triple {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const decode = (byte: number): number => {
  const v = byte / 255;
  return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
};

const encode = (linear: number): number => {
  const v = Math.min(1, Math.max(0, linear));
  return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
};

function toLab(rgb: Triple): Triple {
  const [r, g, b] = rgb.map(decode);
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromLab([light, a, b]: Triple): Triple {
  const l = (light + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (light - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (light - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    encode(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export class Ramp {
  /** 256 colours, 3 bytes each. */
  readonly bytes = new Uint8Array(3 * 256);

  constructor(stops: string[]) {
    const labs = stops.map((hex) => toLab(fromHex(hex)));
    const reached = [0];
    for (let k = 1; k < labs.length; ++k) {
      reached.push(reached[k - 1] + Math.hypot(...labs[k].map((v, axis) => v - labs[k - 1][axis])));
    }
    for (let i = 0, k = 1; i < 256; ++i) {
      const length = (reached[reached.length - 1] * i) / 255;
      while (k + 1 < labs.length && reached[k] < length) ++k;
      const t = Math.min(1, (length - reached[k - 1]) / (reached[k] - reached[k - 1]));
      const lab = labs[k].map((v, axis) => labs[k - 1][axis] + t * (v - labs[k - 1][axis])) as Triple;
      this.bytes.set(fromLab(lab), 3 * i);
    }
  }

  /** The three bytes at a fraction (0 to 1) of the ramp. */
  at(fraction: number): Uint8Array {
    const i = Math.round(255 * Math.min(1, Math.max(0, fraction)));
    return this.bytes.subarray(3 * i, 3 * i + 3);
  }

  css(fraction: number): string {
    return `rgb(${this.at(fraction).join(" ")})`;
  }

  /** A CSS gradient, left to right. */
  gradient(): string {
    const stops = Array.from({ length: 17 }, (_, k) => this.css(k / 16));
    return `linear-gradient(to right, ${stops.join(", ")})`;
  }
}

/** Zero error looks like unpainted clay; lightness falls monotonically. */
export const errorRamp = new Ramp(["#e4e1da", "#f3d88b", "#f0a445", "#de6233", "#b3243c", "#5c1048"]);
export const weightRamp = new Ramp(["#d6d6d2", "#f0a07a", "#d2483c", "#8a0a2a"]);
export const countRamp = new Ramp(["#e2e8e4", "#86c1ad", "#2f8589", "#1d4a70", "#1c1f4a"]);
