import { readFileSync } from "node:fs";
import { defineConfig } from "vite";

const bundled = ["three", "uplot"];

function licences() {
  const text = bundled.map((name) => {
    const licence = readFileSync(new URL(`node_modules/${name}/LICENSE`, import.meta.url), "utf8");
    return `${name}\n\n${licence.trim()}`;
  });
  return `<!--\nThis page contains the following software.\n\n${text.join("\n\n").replaceAll("--", "- -")}\n-->\n`;
}

/** Moves every script and style into the page, so that it is one file. */
function oneFile() {
  return {
    name: "one-file",
    enforce: "post",
    generateBundle(_options, bundle) {
      const page = bundle["index.html"];
      for (const [name, part] of Object.entries(bundle)) {
        if (name === "index.html") continue;
        const isScript = part.type === "chunk";
        const tag = isScript
          ? new RegExp(`<script[^>]*src="[^"]*${name}"[^>]*></script>`)
          : new RegExp(`<link[^>]*href="[^"]*${name}"[^>]*>`);
        if (!tag.test(page.source)) this.error(`${name} is not used by index.html and cannot be put into it`);
        const inline = isScript
          ? `<script type="module">${part.code.replaceAll("</script", "<\\/script")}</script>`
          : `<style>${part.source}</style>`;
        page.source = page.source.replace(tag, () => inline);
        delete bundle[name];
      }
      page.source = page.source.replace("<html", () => `${licences()}<html`);
    },
  };
}

export default defineConfig({
  base: "./",
  build: { target: "es2022", modulePreload: false, cssCodeSplit: false, assetsInlineLimit: 1e9, chunkSizeWarningLimit: 2000 },
  plugins: [oneFile()],
});
