// Builds dist/ from src/: checks the types, then bundles everything into few files. A command that loads six hundred separate
// files takes three times as long to start. `--types-are-checked`: the caller has just checked them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle, licencesOf, packagesIn } from './bundle.mjs';

const house = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** Files for browsers, copied unchanged. */
const servedFiles = {
  'packages/sandbox/src/page/files': 'dist/sandbox-page',
  'src/console/assets': 'dist/assets',
  'node_modules/uplot/dist/uPlot.min.css': 'dist/assets/uPlot.min.css',
  'node_modules/uplot/dist/uPlot.iife.min.js': 'dist/assets/uPlot.iife.min.js',
};

try {
  if (!process.argv.includes('--types-are-checked'))
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: house, stdio: 'inherit' });
  rmSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true, force: true });
  const { metafile } = await build(bundle);
  for (const [from, to] of Object.entries(servedFiles))
    if (existsSync(`${house}${from}`)) cpSync(`${house}${from}`, `${house}${to}`, { recursive: true });
  writeFileSync(`${house}dist/THIRD-PARTY-LICENSES`, licencesOf(packagesIn(metafile)));
} catch (error) {
  // The compiler and esbuild have already printed theirs.
  if (!('status' in error || 'errors' in error)) console.error(error.message);
  process.exitCode = 1;
}
