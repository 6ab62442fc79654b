import { floats, type PageData } from "./data/page";
import type { Reference } from "./model/reference";
import type { SkinModel } from "./model/skin_model";

/** Figures of single vertices and bones, computed on demand. */
export class Analysis {
  private readonly a = new Float64Array(3);
  private readonly b = new Float64Array(3);

  constructor(
    private readonly page: PageData,
    private readonly original: Reference | null,
    private readonly model: SkinModel | null,
  ) {}

  /** Distance to the original, model units; NaN without an original or a rig. */
  errorAt(vertex: number, frame: number): number {
    if (this.original === null || this.model === null) return Number.NaN;
    this.original.positionOf(vertex, frame, this.a);
    this.model.positionOf(vertex, frame, this.b);
    return Math.hypot(this.a[0] - this.b[0], this.a[1] - this.b[1], this.a[2] - this.b[2]);
  }

  /** Errors of one vertex in the shown frames. */
  errorsOf(vertex: number): number[] {
    return Array.from({ length: this.page.frames }, (_, t) => this.errorAt(vertex, t));
  }

  worstFrameOf(vertex: number): number {
    const errors = this.errorsOf(vertex);
    return errors.reduce((best, error, t) => (error > errors[best] ? t : best), 0);
  }

  /** The shown frame nearest to a frame of the source. */
  frameOfSource(source: number): number {
    const shown = this.page.header.timeline.source;
    return shown.reduce((best, s, t) => (Math.abs(s - source) < Math.abs(shown[best] - source) ? t : best), 0);
  }

  /** Number of vertices with any weight and with weight >= 0.5 of a bone; the latter's worst vertex (-1 without metrics). */
  regionOf(bone: number): { vertices: number; mostly: number; worst: number } {
    const weights = this.model?.weightsOf(bone) ?? new Float32Array();
    const largest = this.page.header.metrics === null ? null : floats(this.page, "vertex_max");
    const region = { vertices: 0, mostly: 0, worst: -1 };
    weights.forEach((weight, i) => {
      if (weight === 0) return;
      ++region.vertices;
      if (weight < 0.5) return;
      ++region.mostly;
      if (largest !== null && (region.worst < 0 || largest[i] > largest[region.worst])) region.worst = i;
    });
    return region;
  }
}
