// While a YAML is being repaired, the worker goes on with the former one, and people need its state most.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningWorker } from '../../src/worker/worker.ts';
import { runHere } from '../stand/command.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let worker: RunningWorker;
let yaml: string;
let contact: string;

beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  worker = await world.startWorker(port);
  await world.untilIdle(worker.url);
  yaml = `console: { enabled: true }\n${readFileSync(world.writeConfig(port), 'utf8')}`;
  contact = String(world.platform.truth.contacts()[0]?.['id']);
});
afterAll(() => world.close());

const UNSET = `\${NOBODY_SET_THIS}`;
const broken: Readonly<Record<string, (text: string) => string>> = {
  'a misspelt setting of a mirror': (text) => text.replace('columns:', 'colums:'),
  'a mirror without a target': (text) => `${text}\n  lost:\n    from: contacts\n`,
  'an unset variable': (text) => text.replace(/api_key: .*/, `api_key: ${UNSET}`),
  'bad indentation': (text) => `${text}\n   odd: [\n`,
  'a bad number': (text) => text.replace('feed: { every: 1s', 'feed: { every: soon'),
};

const COMMANDS: readonly (readonly string[])[] = [
  ['status', '--json'],
  ['deadletters', 'list'],
  ['acts'],
  ['console', 'login', '--as', 'viewer'],
];

test.each(Object.keys(broken))('with %s, what only needs Redis works, and warns', async (name) => {
  const path = join(world.dir, 'broken.yaml');
  writeFileSync(path, broken[name]?.(yaml) ?? yaml);
  expect((await runHere(['check', '--config', path])).code).toBe(78);
  for (const command of [...COMMANDS, ['explain', 'contact', contact]]) {
    const { code, stdout, stderr } = await runHere([...command, '--config', path]);
    expect([command, code, stderr]).toEqual([
      command,
      0,
      expect.stringMatching(/^warning: .*slotbridge check/),
    ]);
    expect(stdout).not.toBe('');
  }
});

test.each([
  ['its own section', (text: string) => text.replace(/redis: .*/, 'redis: { url: "nonsense" }')],
  ['a misspelt name', (text: string) => text.replace('redis:', 'rediss:')],
  ['an unset variable', (text: string) => text.replace(/redis: .*/, `redis: { url: "${UNSET}" }`)],
])('when it is uncertain where Redis is (%s), no other state is shown instead', async (_, breaks) => {
  const path = join(world.dir, 'lost.yaml');
  writeFileSync(path, breaks(yaml));
  const { code, stdout } = await runHere(['status', '--config', path]);
  expect([code, stdout]).toEqual([78, '']);
});

test('a rejected reload is a problem and a gauge, until the YAML is right again', async () => {
  const read = async () => {
    const page = async (name: string) => (await fetch(`${worker.url}/${name}`)).text();
    const { problems } = JSON.parse(await page('status')) as {
      problems: { code: string; message: string }[];
    };
    const metrics = await page('metrics');
    const [, value] = /^slotbridge_config_last_reload_successful (\d)$/m.exec(metrics) ?? [];
    return { problems, value };
  };
  expect(await read()).toEqual({ problems: [], value: '1' });
  const rejection = { reason: '2 problems, the first in x.yaml, line 12', names: ['x.yaml:12'] };
  await worker.reloaded({ as: 'rejected', readAtMs: 1, isAboutYaml: true, ...rejection });
  expect(await read()).toMatchObject({
    value: '0',
    problems: [
      { code: 'configuration-rejected', message: expect.stringContaining('line 12'), names: ['x.yaml:12'] },
    ],
  });
  await worker.reloaded({ as: 'unchanged', readAtMs: 2 });
  expect(await read()).toEqual({ problems: [], value: '1' });
});
