// Leaves of the googleapis package the two APIs that slotbridge calls: of some 200 MB, about 1. For the image; run by
// the Dockerfile as `node scripts/prune-googleapis.mjs node_modules/googleapis`. It only deletes.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const kept = { calendar: ['index.js', 'v3.js'], sheets: ['index.js', 'v4.js'] };

const folder = process.argv[2];
if (folder === undefined || !existsSync(join(folder, 'build/src/apis'))) {
  console.error('usage: node scripts/prune-googleapis.mjs <folder of the googleapis package>');
  process.exit(1);
}

const source = join(folder, 'build/src');
const apis = join(source, 'apis');
for (const [api, files] of Object.entries(kept)) {
  // A newer package that moved them must fail the build of the image, not the start of the worker.
  const missing = files.filter((file) => !existsSync(join(apis, api, file)));
  if (missing.length > 0) throw new Error(`googleapis has no ${missing.join(' and ')} in apis/${api}`);
}
// The entries that load every API go too: better "not found" for them than half of what they promise.
removeAllBut(source, ['apis']);
removeAllBut(apis, Object.keys(kept));
for (const [api, files] of Object.entries(kept)) removeAllBut(join(apis, api), files);

function removeAllBut(parent, names) {
  for (const name of readdirSync(parent)) {
    if (!names.includes(name)) rmSync(join(parent, name), { recursive: true });
  }
}
