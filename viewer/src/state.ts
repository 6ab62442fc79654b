export type Layout = "side" | "overlay" | "result" | "original";
export type ColorMode = "plain" | "error" | "error_max" | "bones" | "weights" | "influences";
export type HeatTop = "p99" | "max" | "frame";
export type Selection = { kind: "none" } | { kind: "bone"; bone: number } | { kind: "vertex"; vertex: number };

export interface State {
  frame: number;
  playing: boolean;
  speed: number;
  /** Index of the clip that plays; -1: all, one after the other. */
  clip: number;
  layout: Layout;
  color: ColorMode;
  /** Choice of the hottest colour's value. */
  heatTop: HeatTop;
  bones: boolean;
  wire: boolean;
  grid: boolean;
  /** Whether the camera follows a model that travels. */
  follow: boolean;
  selection: Selection;
  dark: boolean;
}

type Listener = (state: Readonly<State>) => void;

/** The page's state and its listeners. */
export class Store {
  private readonly listeners: { keys: (keyof State)[]; listener: Listener }[] = [];

  constructor(private current: State) {}

  get state(): Readonly<State> {
    return this.current;
  }

  set(patch: Partial<State>): void {
    const changed = (Object.keys(patch) as (keyof State)[]).filter((key) => patch[key] !== this.current[key]);
    if (changed.length === 0) return;
    this.current = { ...this.current, ...patch };
    for (const { keys, listener } of this.listeners) {
      if (keys.length === 0 || keys.some((key) => changed.includes(key))) listener(this.current);
    }
  }

  /** Calls `listener` now, and when one of `keys` changes (any key if empty). */
  on(keys: (keyof State)[], listener: Listener): void {
    this.listeners.push({ keys, listener });
    listener(this.current);
  }
}
