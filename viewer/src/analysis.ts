import { floats, type PageData } from "./data/page";
import type { Reference } from "./model/reference";
import type { SkinModel } from "./model/skin_model";

/** What the page can say about single vertices and bones, worked out when asked for. */
export class Analysis {
  private readonly a = new Float64Array(3);
  private readonly b = new Float64Array(3);

  constructor(
    private readonly page: PageData,
    private readonly original: Reference | null,
    private readonly model: SkinModel | null,
  ) {}

  /** Distance to the original, model units; NaN where there is nothing to compare. */
  errorAt(vertex: number, frame: number): number {
    if (this.original === null || this.model === null) return Number.NaN;
    this.original.positionOf(vertex, frame, this.a);
    this.model.positionOf(vertex, frame, this.b);
    return Math.hypot(this.a[0] - this.b[0], this.a[1] - this.b[1], this.a[2] - this.b[2]);
  }

  /** One vertex over the shown frames. */
  errorsOf(vertex: number): number[] {
    return Array.from({ length: this.page.frames }, (_, t) => this.errorAt(vertex, t));
  }

  worstFrameOf(vertex: number): number {
    const errors = this.errorsOf(vertex);
    return errors.reduce((best, error, t) => (error > errors[best] ? t : best), 0);
  }

  /** The shown frame that is nearest to a frame of the source. */
  frameOfSource(source: number): number {
    const shown = this.page.header.timeline.source;
    return shown.reduce((best, s, t) => (Math.abs(s - source) < Math.abs(shown[best] - source) ? t : best), 0);
  }

  /** The vertices that a bone moves, and the worst of them (-1 where nothing was compared). */
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
