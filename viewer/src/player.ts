import type { Clip } from "./data/page";
import type { Store } from "./state";

/** Chooses the frame to show over time. */
export class Player {
  /** Seconds for which each frame is shown. */
  private readonly stay: number[] = [];
  private waited = 0;

  constructor(
    private readonly store: Store,
    times: number[],
    private readonly clips: Clip[],
  ) {
    for (const { first, count } of clips) {
      const mean = count > 1 ? (times[first + count - 1] - times[first]) / (count - 1) : 1 / 30;
      for (let k = 0; k < count; ++k) this.stay.push(k + 1 < count ? times[first + k + 1] - times[first + k] : mean);
    }
    store.on(["clip"], ({ frame }) => {
      const { first, count } = this.range();
      if (frame < first || frame >= first + count) store.set({ frame: first });
    });
  }

  /** The range of frames that plays. */
  range(): { first: number; count: number } {
    return this.clips[this.store.state.clip] ?? { first: 0, count: this.stay.length };
  }

  clipOf(frame: number): Clip | undefined {
    return this.clips.find(({ first, count }) => frame >= first && frame < first + count);
  }

  /** Goes to a frame; switches to all clips if it is outside the current one. */
  goTo(frame: number): void {
    const { first, count } = this.range();
    const inside = frame >= first && frame < first + count;
    this.store.set(inside ? { frame } : { frame, clip: -1 });
  }

  step(by: number): void {
    const { first, count } = this.range();
    const k = this.store.state.frame - first + by;
    this.store.set({ frame: first + ((k % count) + count) % count, playing: false });
  }

  advance(seconds: number): void {
    const { playing, speed } = this.store.state;
    if (!playing) return;
    this.waited += Math.min(seconds, 0.25) * speed;
    const { first, count } = this.range();
    let { frame } = this.store.state;
    for (let guard = 0; guard < count && this.waited >= this.stay[frame]; ++guard) {
      this.waited -= this.stay[frame];
      frame = frame + 1 < first + count ? frame + 1 : first;
    }
    this.store.set({ frame });
  }
}
