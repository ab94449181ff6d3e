// dist/ out of src/: types are checked, then everything goes into few files. A command that loads six hundred files one by one
// takes three times as long to start. `--types-are-checked`: whoever calls has just checked them.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const house = fileURLToPath(new URL('..', import.meta.url));
const tsc = fileURLToPath(new URL('../node_modules/typescript/bin/tsc', import.meta.url));

/** What browsers get, as it stands in the source. */
const servedFiles = {
  'src/sandbox/page/files': 'dist/sandbox-page',
  'src/console/assets': 'dist/assets',
};

try {
  if (!process.argv.includes('--types-are-checked'))
    execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: house, stdio: 'inherit' });
  rmSync(fileURLToPath(new URL('../dist', import.meta.url)), { recursive: true, force: true });
  await build({
    absWorkingDir: house,
    entryPoints: ['src/main.ts'],
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    logLevel: 'warning',
    // Packages written as CommonJS ask for the modules of Node by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    // Built for one machine, and bullmq does without it; and what is found by the place of its files.
    external: ['msgpackr-extract', '@bull-board/api', '@bull-board/ui'],
  });
  for (const [from, to] of Object.entries(servedFiles))
    if (existsSync(`${house}${from}`)) cpSync(`${house}${from}`, `${house}${to}`, { recursive: true });
} catch {
  // What is wrong was said where it was found.
  process.exitCode = 1;
}
