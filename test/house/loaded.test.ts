import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { house } from './tree.ts';

let inputs: Metafile['inputs'];

beforeAll(async () => {
  const { metafile } = await build({
    ...{ absWorkingDir: house, entryPoints: ['src/main.ts'], outdir: 'dist', write: false },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', metafile: true, logLevel: 'silent' },
    external: ['msgpackr-extract'],
  });
  inputs = metafile.inputs;
});

test('a command that needs no configuration loads commander and no other package', () => {
  expect(packagesOf('src/program.ts')).toEqual(['commander']);
});

test('status beside a worker and without one loads no client of Google, no queue and no templates', () => {
  const loaded = packagesOf('src/compose/stored-status.ts');
  expect(loaded).toContain('ioredis');
  for (const heavy of ['googleapis', 'bullmq', 'liquidjs', 'luxon', 'fastify', 'pino'])
    expect(loaded).not.toContain(heavy);
});

test('the configuration is read without any client', () => {
  const loaded = [...packagesOf('src/config/load.ts'), ...packagesOf('src/mirrors/render/check.ts')];
  expect(loaded).toContain('zod');
  for (const heavy of ['googleapis', 'bullmq', 'ioredis', 'fastify', 'pino'])
    expect(loaded).not.toContain(heavy);
});

/** Packages that are loaded with the file: what it imports at once, not what it imports when it is needed. */
function packagesOf(file: string): readonly string[] {
  const seen = new Set([file]);
  for (const path of seen) {
    for (const { path: to, kind, external } of inputs[path]?.imports ?? [])
      if (kind !== 'dynamic-import' && external !== true) seen.add(to);
  }
  const names = [...seen].flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(names)].sort();
}
