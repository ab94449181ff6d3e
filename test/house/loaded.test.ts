import { build, type Metafile } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import { house, read } from './tree.ts';

let inputs: Metafile['inputs'];
let outputs: Metafile['outputs'];

const GOOGLE = ['googleapis', 'googleapis-common', 'google-auth-library', 'gaxios'];

beforeAll(async () => {
  const { metafile } = await build({
    ...{ absWorkingDir: house, entryPoints: ['src/main.ts'], outdir: 'dist', write: false },
    ...{ bundle: true, splitting: true, format: 'esm', platform: 'node', metafile: true, logLevel: 'silent' },
    external: ['msgpackr-extract'],
  });
  ({ inputs, outputs } = metafile);
});

test('a command that needs no configuration loads commander and no other package', () => {
  expect(packagesOf('src/program.ts')).toEqual(['commander']);
});

test('completion reads names from a YAML with nothing but the parser: a person is typing', () => {
  expect(packagesOf('src/cli/completion-names.ts')).toEqual(['yaml']);
});

test('a worker that exports no traces loads nothing of OpenTelemetry', () => {
  // prom-client brings the types and constants of the API.
  const ofTraces = (file: string) =>
    packagesOf(file).filter((name) => /^@opentelemetry\/(?!api$)/.test(name));
  expect(ofTraces('src/worker/worker.ts')).toEqual([]);
  expect(ofTraces('src/operate/tracing.ts')).toContain('@opentelemetry/sdk-trace-base');
});

test('a worker loads CalDAV only with such a calendar, and the reader of rare series only when it meets one', () => {
  for (const rare of ['ical.js', 'rrule-temporal'])
    expect(packagesOf('src/worker/worker.ts')).not.toContain(rare);
  expect(packagesOf('src/caldav/live.ts')).toContain('ical.js');
  expect(packagesOf('src/caldav/live.ts')).not.toContain('rrule-temporal');
});

test('status beside a worker and without one loads no client of Google, no queue and no templates', () => {
  const loaded = packagesOf('src/worker/stored-status.ts');
  expect(loaded).toContain('ioredis');
  for (const heavy of ['googleapis', 'bullmq', 'liquidjs', 'luxon', 'fastify', 'pino'])
    expect(loaded).not.toContain(heavy);
});

test('explain loads no client of Google, no queue and no templates', () => {
  const loaded = packagesOf('src/worker/explain-session.ts');
  expect(loaded).toContain('ioredis');
  for (const heavy of [...GOOGLE, 'bullmq', 'liquidjs', 'luxon', 'libphonenumber-js', 'fastify', 'pino'])
    expect(loaded).not.toContain(heavy);
});

test('the schema of the configuration needs neither phone numbers nor a calendar library', () => {
  const loaded = packagesOf('src/mapping/load.ts');
  expect(loaded).toContain('yaml');
  for (const heavy of ['libphonenumber-js', 'luxon', 'liquidjs']) expect(loaded).not.toContain(heavy);
});

test('status and explain read the configuration without the engine of templates', () => {
  const program = read('src/program.ts');
  for (const command of ['addStatus', 'addExplain']) {
    const [, parts = ''] = program.split(`${command}(program, {`);
    expect([command, /^[^;]*?checks: noTemplates/.test(parts)]).toEqual([command, true]);
  }
});

test('the configuration is read without any client', () => {
  const loaded = [...packagesOf('src/mapping/load.ts'), ...packagesOf('src/mapping/render-check.ts')];
  expect(loaded).toContain('zod');
  for (const heavy of ['googleapis', 'bullmq', 'ioredis', 'fastify', 'pino'])
    expect(loaded).not.toContain(heavy);
});

test('of zod only what the schemas use is loaded, and no language but English', () => {
  const parts = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const zod = parts.filter(([path, { bytesInOutput }]) => path.includes('/zod/') && bytesInOutput > 0);
  expect(zod.length).toBeGreaterThan(5);
  const languages = zod.flatMap(([path]) => /locales\/(\w+)\.js$/.exec(path)?.[1] ?? []);
  expect([...new Set(languages)]).toEqual(['en']);
  expect(zod.map(([path]) => path)).not.toContain('node_modules/zod/v4/classic/from-json-schema.js');
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
