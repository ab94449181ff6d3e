/** Two people approve in two terminals: nothing that one of them approved is lost, and nothing that nobody saw is approved (P7). */
import { expect, test } from 'vitest';
import { APPROVED_FOR_MS, holdsApproval, parkedRow } from '../../src/engine/edit-guard.ts';
import { approveParked, declineParked, nothingWaits, type Waiting } from '../../src/operate/approvals.ts';
import { MapMemory } from '../doubles/map-memory.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const clock = { now: () => NOW };
const NAME = 'approved-deletions:anna@clinic.example';

test('what two people approve at the same moment is all approved', async () => {
  const memory = new MapMemory();
  const approve = (...members: readonly string[]) =>
    approveParked({ memory, clock }, { name: NAME, members });
  await Promise.all([
    approve('appointment/1'),
    approve('appointment/2', 'appointment/3'),
    approve('appointment/4'),
  ]);
  const approval = await memory.get(NAME);
  for (const nth of [1, 2, 3, 4]) expect(holdsApproval(approval, NOW, `appointment/${nth}`)).toBe(true);
  expect(holdsApproval(approval, NOW, 'appointment/5')).toBe(false);
});

test.each([NAME, 'approved-deletions:contacts', 'approved-orphans:calendar:anna@clinic.example'])(
  'a second approval of %s finds that nothing waits, and is for nothing that joins later; the first one stays',
  async (name) => {
    const memory = new MapMemory();
    await approveParked({ memory, clock }, { name, members: ['appointment/1'] });
    await approveParked({ memory, clock }, nothingWaits(name));
    const approval = await memory.get(name);
    expect(holdsApproval(approval, NOW, 'appointment/1')).toBe(true);
    expect(holdsApproval(approval, NOW, 'appointment/2')).toBe(false);
  },
);

test.each(['approved-mails', 'approved-blocks:private'])(
  '%s hold for an hour, whatever comes',
  async (name) => {
    const memory = new MapMemory();
    expect(await approveParked({ memory, clock }, nothingWaits(name))).toEqual({
      untilMs: NOW + APPROVED_FOR_MS,
    });
    expect(holdsApproval(await memory.get(name), NOW, 'anybody')).toBe(true);
  },
);

test('of two people of whom one approves rows and one declines them, the faster decides, and the other learns of it', async () => {
  const memory = new MapMemory();
  const parked = ['contact/1', 'contact/2'].map(
    (key) => [key, JSON.stringify({ atMs: NOW, of: key })] as const,
  );
  for (const [key, text] of parked)
    await memory.set(parkedRow({ kind: 'edits', place: 'contacts', key }), text);
  const waiting = { name: 'approved-edits:contacts', facts: new Map(parked) } as unknown as Waiting;
  expect(await approveParked({ memory, clock }, waiting)).toEqual({ done: 2 });
  expect(await declineParked({ memory }, waiting)).toEqual({ done: 0 });
});
