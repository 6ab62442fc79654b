export type Layout = "side" | "overlay" | "result" | "original";
export type ColorMode = "plain" | "error" | "error_max" | "bones" | "weights" | "influences";
export type HeatTop = "p99" | "max" | "frame";
export type Selection = { kind: "none" } | { kind: "bone"; bone: number } | { kind: "vertex"; vertex: number };

export interface State {
  frame: number;
  playing: boolean;
  speed: number;
  /** Which clip plays; -1: all, one after the other. */
  clip: number;
  layout: Layout;
  color: ColorMode;
  /** What the hottest colour of the error stands for. */
  heatTop: HeatTop;
  bones: boolean;
  wire: boolean;
  grid: boolean;
  /** The camera goes along with a model that travels. */
  follow: boolean;
  selection: Selection;
  dark: boolean;
}

type Listener = (state: Readonly<State>) => void;

/** What the page shows, and who wants to know when it changes. */
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

  /** Calls `listener` when one of `keys` changes (none: any), and once now. */
  on(keys: (keyof State)[], listener: Listener): void {
    this.listeners.push({ keys, listener });
    listener(this.current);
  }
}
