import type { Header } from "../data/page";
import type { Player } from "../player";
import type { Store } from "../state";
import { button, el, icon, select } from "./dom";

export const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export function makeTransport(header: Header, store: Store, player: Player): HTMLElement {
  const { timeline } = header;
  const play = button("Play", () => store.set({ playing: !store.state.playing }), icon("play"), "space");
  play.classList.add("play");
  store.on(["playing"], ({ playing }) => {
    play.replaceChildren(icon(playing ? "pause" : "play"));
    play.setAttribute("aria-label", playing ? "Pause" : "Play");
  });
  const scrub = el("input", { type: "range", step: 1, "aria-label": "Frame", class: "scrub" });
  scrub.addEventListener("input", () => store.set({ frame: Number(scrub.value), playing: false }));
  const where = el("output", { class: "where", "aria-live": "off" });
  store.on(["clip"], () => {
    const { first, count } = player.range();
    scrub.min = String(first);
    scrub.max = String(first + count - 1);
  });
  store.on(["frame", "clip"], ({ frame }) => {
    scrub.value = String(frame);
    const clip = timeline.clips.length > 1 ? `${player.clipOf(frame)?.name ?? ""} · ` : "";
    const seconds = timeline.times[frame].toFixed(2);
    where.value = `${clip}${timeline.source[frame]} / ${timeline.source_frames - 1} · ${seconds} s`;
    scrub.setAttribute("aria-valuetext", `frame ${timeline.source[frame]}`);
  });
  const pace = select("Speed", speeds.map((s) => [String(s), `${s}×`]), "1", (s) => store.set({ speed: Number(s) }));
  store.on(["speed"], ({ speed }) => {
    pace.value = String(speed);
  });
  const first = button("First frame", () => player.goTo(player.range().first), icon("first"), "Home");
  const last = button("Last frame", () => player.goTo(player.range().first + player.range().count - 1), icon("last"), "End");
  for (const end of [first, last]) end.classList.add("end");
  const bar = el("div", { class: "transport", role: "group", "aria-label": "Playback" });
  bar.append(
    first,
    button("Previous frame", () => player.step(-1), icon("back"), "←"),
    play,
    button("Next frame", () => player.step(1), icon("forward"), "→"),
    last,
    scrub,
    where,
    pace,
  );
  if (timeline.clips.length > 1) {
    const options = timeline.clips.map(({ name }, k): [string, string] => [String(k), name]);
    const clips = select("Clip", [["-1", "all clips"], ...options], "-1", (c) => store.set({ clip: Number(c) }));
    store.on(["clip"], ({ clip }) => {
      clips.value = String(clip);
    });
    bar.append(clips);
  }
  return bar;
}
