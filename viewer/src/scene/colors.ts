import { DataTexture, LinearFilter, RGBAFormat } from "three";
import { kinds, makeTable } from "../gpu/table";
import type { SkinModel } from "../model/skin_model";
import type { ColorMode, State } from "../state";
import { countRamp, errorRamp, fromHex, weightRamp } from "./ramp";

export function errorTexture(): DataTexture {
  const data = new Uint8Array(4 * 256);
  for (let i = 0; i < 256; ++i) {
    data.set(errorRamp.bytes.subarray(3 * i, 3 * i + 3), 4 * i);
    data[4 * i + 3] = 255;
  }
  const texture = new DataTexture(data, 256, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

/** One colour per vertex, for the modes that do not depend on the frame. */
export class VertexColors {
  readonly texture: DataTexture;

  constructor(
    private readonly vertices: number,
    private readonly model: SkinModel | null,
    private readonly mostInfluences: number,
  ) {
    this.texture = makeTable(kinds.byte4, vertices, () => {});
  }

  update({ color, selection }: Readonly<State>): void {
    const bone = selection.kind === "bone" ? selection.bone : 0;
    const colorOf = this.model === null ? null : this.chooser(this.model, color, bone);
    if (colorOf === null) return;
    const data = this.texture.image.data as unknown as Uint8Array;
    for (let i = 0; i < this.vertices; ++i) data.set(colorOf(i), 4 * i);
    this.texture.needsUpdate = true;
  }

  private chooser(model: SkinModel, mode: ColorMode, bone: number): ((i: number) => ArrayLike<number>) | null {
    switch (mode) {
      case "bones": {
        const palette = model.boneColors.map(fromHex);
        return (i) => palette[model.influencesOf(i)[0].bone];
      }
      case "weights": {
        const weights = model.weightsOf(bone);
        return (i) => weightRamp.at(weights[i]);
      }
      case "influences":
        return (i) => countRamp.at(countFraction(model.influencesOf(i).length, this.mostInfluences));
      default:
        return null;
    }
  }
}

/** Position of a number of influences between 1 and the most, 0 to 1. */
export function countFraction(count: number, most: number): number {
  return most > 1 ? (count - 1) / (most - 1) : 0;
}
