import { Analysis } from "./analysis";
import { type PageData, sides } from "./data/page";
import { heatTop } from "./heat";
import { makeModel } from "./model/make_model";
import { makeReference } from "./model/reference";
import { Player } from "./player";
import { Stage } from "./scene/stage";
import { measureTravel } from "./scene/travel";
import { type State, Store } from "./state";
import { button, count, el, icon } from "./ui/dom";
import { makeInspector } from "./ui/inspector";
import { listen, makeHelp, type Shortcut } from "./ui/keys";
import { makeLegend } from "./ui/legend";
import { makeNumbers } from "./ui/numbers";
import { makeErrorPlot, makePlots } from "./ui/plots";
import { makeTabs } from "./ui/tabs";
import { colorModes, layouts, makeToolbar } from "./ui/toolbar";
import { makeTransport, speeds } from "./ui/transport";

function firstState({ header }: PageData, far: boolean): State {
  const both = header.original !== null && header.rig !== null;
  return {
    frame: 0,
    playing: false,
    speed: 1,
    clip: -1,
    layout: both ? "side" : header.rig !== null ? "result" : "original",
    color: header.metrics !== null ? "error" : header.rig !== null ? "bones" : "plain",
    heatTop: "p99",
    bones: header.rig !== null,
    wire: false,
    grid: true,
    follow: far,
    selection: { kind: "none" },
    dark: window.matchMedia("(prefers-color-scheme: dark)").matches,
  };
}

/** The whole page; window.marrow in tests and the console. */
export class App {
  readonly store: Store;
  readonly player: Player;
  readonly stage: Stage;
  readonly analysis: Analysis;
  /** Milliseconds of script per drawn frame, newest last. */
  readonly scriptTimes: number[] = [];
  private lastTick = 0;

  constructor(
    readonly page: PageData,
    private readonly root: HTMLElement,
  ) {
    const { header } = page;
    const model = makeModel(page);
    const original = makeReference(page);
    const shown = original ?? model;
    if (shown === null) throw new Error("This page has neither an original nor a rig.");
    const travel = measureTravel(page, shown);
    const store = new Store(firstState(page, travel.far));
    this.store = store;
    this.player = new Player(store, header.timeline.times, header.timeline.clips);
    this.analysis = new Analysis(page, original, model);
    const canvas = el("canvas", { tabindex: 0, role: "img", "aria-label": "The animated model; drag to turn it" });
    const captions = el("div", { class: "captions", "aria-hidden": "true" });
    const viewport = el("div", { class: "viewport" }, canvas, captions);
    this.root.replaceChildren(viewport); // the stage needs its size
    this.stage = new Stage(canvas, page, original, model, travel, store);

    const parts = { page, model, analysis: this.analysis, player: this.player, store };
    const worst = header.metrics === null ? null : (): void => this.goToWorst();
    const tabs = makeTabs([
      ["Numbers", makeNumbers(header)],
      ["Plots", makePlots(parts)],
      ["Inspect", makeInspector(parts, worst)],
    ]);
    const shortcuts = this.shortcuts(worst);
    const help = makeHelp(shortcuts, header.version);
    const toolbar = makeToolbar(header, store, travel.far, () => this.stage.fit());
    if (worst !== null) toolbar.append(button("Worst vertex", worst, "Worst vertex", "X"));
    const dock = el("div", { class: "dock" });
    if (header.rig !== null) dock.append(makeLegend(header, model?.boneNames ?? [], store));
    const errorPlot = makeErrorPlot(parts);
    if (errorPlot !== null) dock.append(errorPlot);
    dock.append(makeTransport(header, store, this.player));
    const said = this.makeStatus(model?.boneNames ?? []);
    this.root.replaceChildren(this.makeTop(() => help.showModal()), toolbar, viewport, dock, tabs.element, help, said);

    this.listenToCanvas(canvas, () => tabs.show("Inspect"));
    listen([...shortcuts, { keys: ["?"], shown: "?", what: "this help", action: () => help.showModal() }]);
    store.on(["dark"], ({ dark }) => document.documentElement.setAttribute("data-theme", dark ? "dark" : "light"));
    const darkness = window.matchMedia("(prefers-color-scheme: dark)");
    darkness.addEventListener("change", ({ matches }) => store.set({ dark: matches }));
    store.on(["heatTop", "frame"], ({ heatTop: choice, frame }) => this.stage.setTop(heatTop(header, choice, frame)));
    new ResizeObserver(() => {
      this.stage.resize();
      this.writeCaptions(captions);
    }).observe(canvas);
    store.on(["layout"], () => this.writeCaptions(captions));
    this.stage.resize();
    this.stage.fit();
    requestAnimationFrame((now) => this.tick(now));
  }

  private makeTop(showHelp: () => void): HTMLElement {
    const { header } = this.page;
    const facts = [`${count(header.vertices)} vertices`, `${count(header.timeline.source_frames)} frames`];
    if (header.rig !== null) facts.push(`${count(header.rig.skeleton.names.length)} bones`);
    const title = header.title === "" ? "Marrow" : header.title;
    document.title = title;
    const theme = button("Dark or light", () => this.store.set({ dark: !this.store.state.dark }), icon("theme"), "T");
    return el(
      "header",
      { class: "top" },
      el("h1", {}, title),
      el("p", {}, facts.join(" · ")),
      theme,
      button("Help", showHelp, "?", "?"),
    );
  }

  /** The selection as text, for screen readers. */
  private makeStatus(boneNames: string[]): HTMLElement {
    const status = el("p", { class: "said", role: "status" });
    this.store.on(["selection"], ({ selection }) => {
      if (selection.kind === "none") status.textContent = "Nothing selected";
      else status.textContent = selection.kind === "bone" ? `Bone ${boneNames[selection.bone]}` : `Vertex ${selection.vertex}`;
    });
    return status;
  }

  /** Writes into each pane what it shows. */
  private writeCaptions(captions: HTMLElement): void {
    const names = sides(this.page.header);
    const spans = this.stage.panes().map(({ x, y, width, height, original, result }) => {
      const both = `${names.result}, the ${names.original.toLowerCase()} over it`;
      const text = original && result ? both : original ? names.original : names.result;
      const place = `left:${x}px;top:${y}px;width:${width}px;height:${height}px`;
      return el("span", { style: place, class: x > 0 ? "right" : y > 0 ? "lower" : "first" }, text);
    });
    captions.replaceChildren(...spans);
  }

  /** Goes to the frame and vertex with the largest error. */
  goToWorst(): void {
    const { metrics } = this.page.header;
    if (metrics === null) return;
    this.player.goTo(this.analysis.frameOfSource(metrics.worst_frame));
    this.store.set({ selection: { kind: "vertex", vertex: metrics.worst_vertex }, playing: false });
    document.getElementById("tab-inspect")?.click();
  }

  private listenToCanvas(canvas: HTMLCanvasElement, inspect: () => void): void {
    let down: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", ({ offsetX, offsetY, isPrimary }) => {
      down = isPrimary ? { x: offsetX, y: offsetY } : null;
    });
    canvas.addEventListener("pointerup", ({ offsetX, offsetY, button: which }) => {
      if (down === null || which !== 0 || Math.hypot(offsetX - down.x, offsetY - down.y) > 4) return;
      const selection = this.stage.pick(offsetX, offsetY);
      this.store.set({ selection });
      if (selection.kind !== "none") inspect();
    });
  }

  private shortcuts(worst: (() => void) | null): Shortcut[] {
    const { store, player, page } = this;
    const cycle = <T>(list: T[], now: T, by: number): T => list[(list.indexOf(now) + by + list.length) % list.length];
    const pace = (by: number): void => {
      const k = Math.min(speeds.length - 1, Math.max(0, speeds.indexOf(store.state.speed) + by));
      store.set({ speed: speeds[k] });
    };
    const modes = colorModes(page.header).map(([mode]) => mode);
    const turns: Record<string, [number, number]> = {
      "Shift+ArrowLeft": [-0.15, 0],
      "Shift+ArrowRight": [0.15, 0],
      "Shift+ArrowUp": [0, 0.1],
      "Shift+ArrowDown": [0, -0.1],
    };
    const list: Shortcut[] = [
      { keys: [" "], shown: "space", what: "play or pause", action: () => store.set({ playing: !store.state.playing }) },
      { keys: ["ArrowLeft", ","], shown: "← ,", what: "previous frame", action: () => player.step(-1) },
      { keys: ["ArrowRight", "."], shown: "→ .", what: "next frame", action: () => player.step(1) },
      { keys: ["Home"], shown: "Home", what: "first frame", action: () => player.goTo(player.range().first) },
      { keys: ["End"], shown: "End", what: "last frame", action: () => player.goTo(player.range().first + player.range().count - 1) },
      { keys: ["["], shown: "[", what: "slower", action: () => pace(-1) },
      { keys: ["]"], shown: "]", what: "faster", action: () => pace(1) },
    ];
    if (page.header.original !== null && page.header.rig !== null) {
      const choose = ({ key }: KeyboardEvent): void => store.set({ layout: layouts[Number(key) - 1][0] });
      list.push({ keys: ["1", "2", "3", "4"], shown: "1 2 3 4", what: `side by side, overlaid, ${sides(page.header).original.toLowerCase()}, ${sides(page.header).result}`, action: choose });
    }
    if (modes.length > 1) {
      list.push({ keys: ["c"], shown: "C", what: "next colouring", action: () => store.set({ color: cycle(modes, store.state.color, 1) }) });
    }
    const bones = page.header.rig?.skeleton.names.length ?? 0;
    if (bones > 0) {
      const nextBone = (by: number) => (): void => {
        const { selection } = store.state;
        const bone = selection.kind === "bone" ? (selection.bone + by + bones) % bones : 0;
        store.set({ selection: { kind: "bone", bone } });
      };
      list.push({ keys: ["b"], shown: "B", what: "show or hide bones", action: () => store.set({ bones: !store.state.bones }) });
      list.push({ keys: ["n"], shown: "N", what: "select the next bone", action: nextBone(1) });
      list.push({ keys: ["p"], shown: "P", what: "select the previous bone", action: nextBone(-1) });
    }
    if (worst !== null) list.push({ keys: ["x"], shown: "X", what: "go to the worst vertex", action: worst });
    list.push(
      { keys: ["w"], shown: "W", what: "show or hide wires", action: () => store.set({ wire: !store.state.wire }) },
      { keys: ["g"], shown: "G", what: "show or hide the grid", action: () => store.set({ grid: !store.state.grid }) },
      { keys: ["f"], shown: "F", what: "follow a model that travels", action: () => store.set({ follow: !store.state.follow }) },
      { keys: Object.keys(turns), shown: "Shift ← → ↑ ↓", what: "turn", action: ({ key }) => this.stage.orbit(...turns[`Shift+${key}`]) },
      { keys: ["+", "="], shown: "+", what: "nearer", action: () => this.stage.orbit(0, 0, 1 / 1.15) },
      { keys: ["-"], shown: "-", what: "farther", action: () => this.stage.orbit(0, 0, 1.15) },
      { keys: ["0"], shown: "0", what: "fit the model into the view", action: () => this.stage.fit() },
      { keys: ["t"], shown: "T", what: "dark or light theme", action: () => store.set({ dark: !store.state.dark }) },
      { keys: ["Escape"], shown: "Esc", what: "clear the selection", action: () => store.set({ selection: { kind: "none" } }) },
    );
    return list;
  }

  private tick(now: number): void {
    const start = performance.now();
    this.player.advance((now - this.lastTick) / 1000);
    this.lastTick = now;
    if (this.stage.draw()) {
      this.scriptTimes.push(performance.now() - start);
      if (this.scriptTimes.length > 600) this.scriptTimes.shift();
    }
    requestAnimationFrame((next) => this.tick(next));
  }
}
