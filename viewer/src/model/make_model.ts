import type { PageData } from "../data/page";
import { CompressedDdm } from "./compressed_ddm";
import { DirectDeltaMush } from "./direct_delta_mush";
import { LinearBlend } from "./linear_blend";
import type { SkinModel } from "./skin_model";
import { TwoLayer } from "./two_layer";

/** The page's rig; null if it shows only a sequence. */
export function makeModel(page: PageData): SkinModel | null {
  const { rig } = page.header;
  if (rig === null) return null;
  if (rig.model === "linear_blend") return new LinearBlend(page, rig);
  if (rig.model === "direct_delta_mush") return new DirectDeltaMush(page, rig);
  if (rig.model === "two_layer") return new TwoLayer(page, rig);
  if (rig.model === "compressed_ddm") return new CompressedDdm(page, rig);
  throw new Error(`This page cannot show a rig of the kind "${rig.model}".`);
}
