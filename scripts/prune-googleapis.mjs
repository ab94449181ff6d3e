// Reduces the googleapis package to the two APIs that slotbridge calls: from some 200 MB to about 1 MB. The
// Dockerfile runs it for the image as `node scripts/prune-googleapis.mjs node_modules/googleapis`. It only deletes.
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
  // If a newer package has moved these files, the image build must fail, not the start of the worker.
  const missing = files.filter((file) => !existsSync(join(apis, api, file)));
  if (missing.length > 0) throw new Error(`googleapis has no ${missing.join(' and ')} in apis/${api}`);
}
// Also removes the entry points that load every API: a "not found" error is better than a partial API.
removeAllBut(source, ['apis']);
removeAllBut(apis, Object.keys(kept));
for (const [api, files] of Object.entries(kept)) removeAllBut(join(apis, api), files);

function removeAllBut(parent, names) {
  for (const name of readdirSync(parent)) {
    if (!names.includes(name)) rmSync(join(parent, name), { recursive: true });
  }
}
