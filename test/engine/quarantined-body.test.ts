// What the intake keeps of a delivery that it could not understand.

import { expect, test } from 'vitest';
import { Intake } from '../../src/engine/intake.ts';
import type { QuarantineEntry } from '../../src/engine/intake-store.ts';
import { NO_METER, SILENT_LOG } from '../stand/store.ts';

test('a truncated body contains no half character', async () => {
  const kept: QuarantineEntry[] = [];
  const store = { quarantine: async (entry: QuarantineEntry) => kept.push(entry) > 0 } as never;
  const parts = {
    queue: { add() {} } as never,
    kinds: [],
    clock: { now: () => 1 },
    log: SILENT_LOG,
    meter: NO_METER,
  };
  await new Intake({ store, ...parts }).quarantine('not-json', `${'a'.repeat(8_191)}😀b`);
  expect(kept.map(({ body }) => body)).toEqual(['a'.repeat(8_191)]);
});
