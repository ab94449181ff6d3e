import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { differingIds, historiesOf } from '../../demo/histories.ts';
import type { Verdict } from '../../demo/judge/judge.ts';
import { writeCommands } from '../../demo/write-commands.ts';

const IDS = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'] as const;
const NOTHING: Verdict = { calendars: [], tabs: [], besides: [] };
const DIFFERENT: Verdict = {
  calendars: [
    {
      ...{ place: 'calendar c', label: 'Anna', expected: 1, found: 2 },
      differences: [
        { kind: 'stale', place: 'calendar c', id: IDS[0], what: 'differs in start' },
        { kind: 'doubled', place: 'calendar c', id: 'event e1', what: 'an event of no appointment' },
      ],
    },
  ],
  tabs: [],
  besides: [
    `event e2 in c: its appointment still stands, appointment ${IDS[1]}`,
    `class of 10:00: an event, and nobody comes`,
    `appointment ${IDS[0]}: in a class, with an event of its own`,
  ],
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'histories-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A command line that repeats its arguments, and does not know people's event. */
function commands(): string {
  const program = join(folder, 'program');
  writeFileSync(program, '#!/bin/sh\ncase "$2" in e1) exit 4;; esac\necho "told: $*"\n');
  chmodSync(program, 0o700);
  return writeCommands({ program: ['/bin/sh', program], folder, env: {} });
}

test('each object that differs is explained once, whatever names it', async () => {
  expect(differingIds(DIFFERENT)).toEqual([IDS[0], 'e1', 'e2', IDS[1]]);
  const told = await historiesOf(DIFFERENT, commands());
  for (const id of [IDS[0], 'e2', IDS[1]]) expect(told.split(`told: explain ${id}\n`)).toHaveLength(2);
  expect(told).toContain('e1: ');
});

test('nothing is explained when nothing differs', async () => {
  expect(await historiesOf(NOTHING, commands())).toBe('');
});
