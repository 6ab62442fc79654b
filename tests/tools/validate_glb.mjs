// Validates every *.glb below FOLDER with the Khronos validator; with PREFIXES, only in those folders of
// FOLDER whose names start with one of them. Fails on errors and warnings, and if there was nothing to validate.
//   node validate_glb.mjs FOLDER [PREFIX...]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...prefixes] = process.argv.slice(2);
const validator = await import('gltf-validator').catch(() => {
  console.error('gltf-validator is not installed: run scripts/test, or npm ci in tests/tools');
  process.exit(1);
});

function glbsBelow(path) {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) return glbsBelow(inner);
    return entry.name.endsWith('.glb') ? [inner] : [];
  });
}

const files = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && (prefixes.length === 0 || prefixes.some((p) => entry.name.startsWith(p))))
  .flatMap((entry) => glbsBelow(join(folder, entry.name)))
  .sort();

let failed = 0;
for (const file of files) {
  const report = await validator.default.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
  if (report.issues.numErrors + report.issues.numWarnings === 0) continue;
  ++failed;
  console.error(`${file}: ${report.issues.numErrors} errors, ${report.issues.numWarnings} warnings`);
  for (const issue of report.issues.messages.filter((message) => message.severity <= 1)) {
    console.error(`  ${issue.code} at ${issue.pointer ?? issue.offset}: ${issue.message}`);
  }
}
console.log(`${files.length} files, ${failed} with issues`);
if (files.length === 0) console.error(`no GLB below ${folder}: run the tests that write them first`);
process.exit(files.length === 0 || failed > 0 ? 1 : 0);
