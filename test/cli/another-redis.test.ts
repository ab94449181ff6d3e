// An on-call person whose YAML names a Redis that no worker uses: what is left there for a worker is never done.
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';
import { rowsOf } from '../stand/runs.ts';
import { startWorld, type World } from '../stand/world.ts';

let world: World;
let config: string;
let another: string;
let appointment: string;
beforeAll(async () => {
  world = await startWorld();
  const port = await world.door();
  await world.subscribe(port);
  appointment = world.book();
  const { url } = await world.startWorker(port);
  await world.untilIdle(url);
  config = world.writeConfig(port);
  another = `${config}-another.yaml`;
  const yaml = readFileSync(config, 'utf8');
  expect(yaml).toContain('redis: { url:');
  writeFileSync(another, yaml.replace('redis: { url:', 'redis: { prefix: old-name, url:'));
});
afterAll(() => world.close());

const COMMANDS = ['replay --object appointment/APPOINTMENT', 'resync', 'approve mails'] as const;
const run = (command: string, path: string) =>
  runHere([...command.replace('APPOINTMENT', appointment).split(' '), '--config', path]);

test.each(rowsOf(COMMANDS, 2))('%s says that no worker has used it yet', async (command) => {
  const { code, stderr } = await run(command, another);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringMatching(/^warning: no worker has used this Redis yet \(prefix old-name\)\./m),
  });
  const own = await run(command, config);
  expect({ code: own.code, stderr: own.stderr }).toEqual({
    code: 0,
    stderr: expect.not.stringContaining('no worker'),
  });
});
