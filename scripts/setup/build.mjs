import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { house, run } from './system.mjs';

const stamp = join(house, 'dist/.built-from');
const TYPES_ARE_CHECKED = '--types-are-checked';

/** Builds dist/ from src/ and packages/. */
export const buildDist = {
  says: 'building dist/',
  isNeeded: () => !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint(),
  run() {
    // Taken before the compiler reads: if a file is saved meanwhile, the next setup builds again.
    const before = fingerprint();
    const passedOn = process.argv.includes(TYPES_ARE_CHECKED) ? [TYPES_ARE_CHECKED] : [];
    run(
      [process.execPath, 'scripts/build.mjs', ...passedOn],
      'the build failed; what is wrong stands above.',
    );
    writeFileSync(stamp, before);
  },
};

/**
 * Names, sizes and times of all build inputs. This is cheaper than reading contents, and detects removed files.
 */
function fingerprint() {
  const inputs = [
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'scripts/build.mjs',
    'scripts/bundle.mjs',
    ...sources(),
  ];
  const hash = createHash('sha256');
  for (const path of inputs) {
    const { size, mtimeMs } = statSync(join(house, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

function sources() {
  return ['src', 'packages']
    .flatMap((folder) =>
      readdirSync(join(house, folder), { recursive: true }).map((path) => join(folder, path)),
    )
    .filter((path) => /\.(ts|js|css|html|svg|json)$/.test(path))
    .sort();
}
