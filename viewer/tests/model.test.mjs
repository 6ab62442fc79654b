// What the GPU computes is what the library computes.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { closePage, difference, expectedOf, openPage, picture, setState, startBrowser } from "./browser.mjs";

let browser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser.close());

/** Reads back what is drawn (GPU), and what the page computes itself (script), at the samples. */
async function measured(page, samples) {
  return page.evaluate((list) => {
    const app = window.marrow;
    const { centre } = app.page.header;
    const frames = new Map();
    return list.map(({ frame, vertex }) => {
      app.store.set({ frame });
      if (!frames.has(frame)) frames.set(frame, app.stage.readPositions("result").slice());
      const values = frames.get(frame).subarray(4 * vertex, 4 * vertex + 4);
      return {
        position: [0, 1, 2].map((axis) => values[axis] + centre[axis]),
        error: values[3],
        scriptError: app.analysis.errorAt(vertex, frame),
      };
    });
  }, samples);
}

const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);

function checkPositions({ samples, size }, found) {
  assert.ok(samples.length > 200);
  let moved = 0;
  samples.forEach(({ position, frame, vertex }, k) => {
    const off = distance(position, found[k].position) / size;
    assert.ok(off < 1e-4, `vertex ${vertex} of frame ${frame} is off by ${off} of the size`);
    moved = Math.max(moved, distance(position, samples[0].position));
  });
  assert.ok(moved > 0.1 * size, "the samples are all in one place");
}

function checkErrors({ samples, size, position_error: rounding }, found, exact) {
  // The rounding of the original that the page states, and that of floats about the model.
  const allowed = rounding + 2e-6 * size;
  samples.forEach(({ error, frame, vertex }, k) => {
    for (const shown of [found[k].error, found[k].scriptError]) {
      assert.ok(Math.abs(shown - error) <= allowed, `vertex ${vertex} of frame ${frame}: ${shown}, not ${error}`);
    }
  });
  if (!exact) assert.ok(Math.max(...samples.map(({ error }) => error)) > 20 * allowed, "the errors are too small to tell");
}

for (const name of ["Quadruped", "Cape", "EightInfluences", "TwelveFlexibleInfluences", "PointCloud", "DirectDeltaMush", "TwoLayers", "CompressedDdm"]) {
  test(`${name}: the GPU's positions and errors are the library's`, async () => {
    const expected = expectedOf(name);
    const page = await openPage(browser, name);
    const found = await measured(page, expected.samples);
    checkPositions(expected, found);
    checkErrors(expected, found, name === "EightInfluences");
    await closePage(page);
  });
}

test("RigAlone: the GPU's positions are the library's", async () => {
  const expected = expectedOf("RigAlone");
  const page = await openPage(browser, "RigAlone");
  checkPositions(expected, await measured(page, expected.samples));
  await closePage(page);
});

test("DirectDeltaMush: its plain skin stands beside it, and both have their names", async () => {
  const page = await openPage(browser, "DirectDeltaMush");
  assert.deepEqual(await page.locator(".captions span").allInnerTexts(), ["Linear blend", "Direct Delta Mush"]);
  await page.getByRole("button", { name: "Direct Delta Mush" }).click();
  assert.deepEqual(await page.locator(".captions span").allInnerTexts(), ["Direct Delta Mush"]);
  // The pane beside the result is the plain skin: where the legend says 0, both are at the same place.
  const off = await page.evaluate(() => {
    const { stage, player } = window.marrow;
    player.goTo(7);
    stage.draw();
    const [plain, result] = ["original", "result"].map((of) => stage.readPositions(of).slice());
    let largest = 0;
    for (let i = 0; i < window.marrow.page.header.vertices; ++i) {
      const gap = Math.hypot(...[0, 1, 2].map((axis) => plain[4 * i + axis] - result[4 * i + axis]));
      largest = Math.max(largest, Math.abs(gap - result[4 * i + 3]));
    }
    return largest;
  });
  assert.ok(off < 1e-5, `${off}`);
  await closePage(page);
});

test("TwoLayers: virtual bones are drawn with the bones", async () => {
  const page = await openPage(browser, "TwoLayers");
  await setState(page, { bones: true });
  const shown = await picture(page);
  const { count, wanted } = await page.evaluate(() => {
    const { cubes } = window.marrow.stage.skeleton;
    cubes.visible = false;
    return { count: cubes.count, wanted: window.marrow.page.header.report.figures.virtual_bones };
  });
  assert.equal(count, wanted);
  const hidden = await picture(page);
  assert.ok((await difference(page, shown, hidden)) > 3 * count, "no cubes are seen");
  await closePage(page);
});

test("the picture has the heat map's colours where the errors are", async () => {
  const page = await openPage(browser, "Quadruped");
  const { top, largest } = await page.evaluate(() => {
    const app = window.marrow;
    app.store.set({ heatTop: "max" });
    return { top: app.stage.uniforms.top.value, largest: app.page.header.metrics.error.max };
  });
  assert.equal(top, largest);
  const labels = await page.locator(".legend .ticks span").allInnerTexts();
  const size = expectedOf("Quadruped").size;
  const [units, percent] = labels[2].match(/[\d.e-]+/g).map(Number);
  assert.ok(Math.abs(units - largest) <= 0.006 * largest, labels[2]);
  assert.ok(Math.abs(percent - (100 * largest) / size) <= 0.06 * percent, labels[2]);
  await closePage(page);
});

test("an exact rig is not drawn as noise", async () => {
  const page = await openPage(browser, "EightInfluences");
  const { top, off } = await page.evaluate(() => ({
    top: window.marrow.stage.uniforms.top.value,
    off: window.marrow.page.header.original.position_error,
  }));
  assert.ok(top >= 8 * off);
  await closePage(page);
});
