import { expect, test } from 'vitest';
import { Supervisor } from '../../src/engine/supervisor.ts';
import { SILENT_LOG } from '../stand/store.ts';

const never = () => new Promise(() => {});

test('a release that never ends keeps no other from its turn, nor the worker from its end', async () => {
  const done: string[] = [];
  const supervisor = new Supervisor(SILENT_LOG);
  supervisor.own('first', () => void done.push('first'));
  supervisor.own('second', never, 50);
  supervisor.own('third', () => Promise.reject(new Error('fails')));
  supervisor.own('fourth', never, 50);
  await supervisor.stop();
  expect(done).toEqual(['first']);
});

test('those without a time of their own share one, however many of them never end', async () => {
  const late: unknown[] = [];
  const log = { ...SILENT_LOG, warn: (fields: object) => void late.push(fields) };
  const supervisor = new Supervisor(log);
  for (const name of ['one', 'two', 'three']) supervisor.own(name, never);
  await supervisor.stop();
  expect(late).toEqual([{ name: 'three' }, { name: 'two' }, { name: 'one' }]);
});

test('all parts are told to end at once, and what they stand on is given back after they have', async () => {
  const done: string[] = [];
  const supervisor = new Supervisor(SILENT_LOG);
  const part = (name: string, waitsFor?: string) => ({
    name,
    async run(signal: AbortSignal) {
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      while (waitsFor !== undefined && !done.includes(waitsFor)) await new Promise(setImmediate);
      done.push(name);
    },
  });
  supervisor.own('store', () => void done.push('store'));
  supervisor.start(part('early'));
  // Ends only after the part that was started before it: one signal for each would wait for ever.
  supervisor.start(part('late', 'early'));
  await supervisor.stop();
  expect(done).toEqual(['early', 'late', 'store']);
});

test('the first part that fails is told of, and the others go on', async () => {
  const supervisor = new Supervisor(SILENT_LOG);
  const error = new Error('cannot go on');
  let isStopped = false;
  supervisor.start({
    name: 'other',
    run: (signal) =>
      new Promise((done) =>
        signal.addEventListener('abort', () => {
          isStopped = true;
          done(undefined);
        }),
      ),
  });
  supervisor.start({ name: 'broken', run: () => Promise.reject(error) });
  expect(await supervisor.failed).toBe(error);
  expect(isStopped).toBe(false);
  await supervisor.stop();
  expect(isStopped).toBe(true);
});

test('what a part opens while the worker stops is given back as well', async () => {
  const done: string[] = [];
  const supervisor = new Supervisor(SILENT_LOG);
  supervisor.start({
    name: 'starts late',
    async run(signal) {
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      supervisor.own('late', () => void done.push('late'));
    },
  });
  await supervisor.stop();
  expect(done).toEqual(['late']);
});
