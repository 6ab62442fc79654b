import type { Header } from "./data/page";
import type { HeatTop } from "./state";

/**
 * Value of the hottest colour, model units. At least eight times the page's rounding, so that an exact result is not
 * drawn as noise.
 */
export function heatTop(header: Header, choice: HeatTop, frame: number): number {
  const { metrics } = header;
  if (metrics === null) return 1;
  const least = 8 * (header.original?.position_error ?? 0);
  const source = header.timeline.source[frame];
  const wanted = { p99: metrics.error.p99, max: metrics.error.max, frame: metrics.per_frame.max[source] }[choice];
  return Math.max(wanted, least, Number.MIN_VALUE * 1e10);
}

export const percent = (header: Header, units: number): number => (header.size > 0 ? (100 * units) / header.size : 0);
