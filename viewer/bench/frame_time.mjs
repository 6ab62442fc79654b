// Milliseconds of script per drawn frame while a page plays:  node viewer/bench/frame_time.mjs page.html [seconds]
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { startBrowser } from "../tests/browser.mjs";

const [file, seconds = "6"] = process.argv.slice(2);
if (file === undefined) {
  console.error("usage: node viewer/bench/frame_time.mjs page.html [seconds]");
  process.exit(2);
}
const browser = await startBrowser();
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const start = Date.now();
await page.goto(pathToFileURL(resolve(file)).href);
await page.waitForFunction(() => window.marrow !== undefined && window.marrow.scriptTimes.length > 0);
const loaded = Date.now() - start;
const { times, facts } = await page.evaluate(async (ms) => {
  const app = window.marrow;
  app.store.set({ playing: true, speed: 4, bones: true });
  await new Promise((done) => setTimeout(done, 1000)); // shaders are compiled, caches are warm
  app.scriptTimes.length = 0;
  await new Promise((done) => setTimeout(done, ms));
  const { vertices, rig, timeline } = app.page.header;
  return { times: app.scriptTimes, facts: { vertices, bones: rig?.skeleton.names.length ?? 0, frames: timeline.times.length } };
}, 1000 * Number(seconds));
await browser.close();
times.sort((a, b) => a - b);
const at = (fraction) => times[Math.min(times.length - 1, Math.floor(fraction * times.length))].toFixed(2);
console.log(`${facts.vertices} vertices, ${facts.bones} bones, ${facts.frames} frames; loaded in ${loaded} ms`);
console.log(`script per frame over ${times.length} frames: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, largest ${at(1)} ms`);
