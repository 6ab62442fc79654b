// Milliseconds of script per drawn frame while a page plays:  node viewer/bench/frame_time.mjs page.html [seconds]
// The processor time of the page's thread is what counts: with OpenGL in software, the clock also shows how busy the
// machine is with drawing.
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

const session = await page.context().newCDPSession(page);
await session.send("Performance.enable", { timeDomain: "threadTicks" });
const scriptSeconds = async () => {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "ScriptDuration").value;
};
await page.evaluate(() => window.marrow.store.set({ playing: true, speed: 4, bones: true }));
await page.waitForTimeout(2000); // shaders are compiled, caches are warm
await page.evaluate(() => window.marrow.scriptTimes.splice(0));
const before = await scriptSeconds();
await page.waitForTimeout(1000 * Number(seconds));
const spent = 1000 * ((await scriptSeconds()) - before);
const { times, facts } = await page.evaluate(() => {
  const { scriptTimes, page: data } = window.marrow;
  const { vertices, rig, timeline } = data.header;
  return { times: scriptTimes, facts: { vertices, bones: rig?.skeleton.names.length ?? 0, frames: timeline.times.length } };
});
await browser.close();
times.sort((a, b) => a - b);
const at = (fraction) => times[Math.min(times.length - 1, Math.floor(fraction * times.length))].toFixed(2);
console.log(`${facts.vertices} vertices, ${facts.bones} bones, ${facts.frames} frames; loaded in ${loaded} ms`);
console.log(`script per frame over ${times.length} frames: ${(spent / times.length).toFixed(2)} ms of processor time`);
console.log(`by the clock: median ${at(0.5)} ms, 95 % ${at(0.95)} ms`);
