/** A booking sheet whose entry leaves the YAML while rows wait, and comes back. */

import { afterAll, beforeEach, expect, test } from 'vitest';
import { IntakeStands, type IntakeWorld } from '../stand/intake-sheet.ts';

const stands = new IntakeStands();
afterAll(() => stands.close());
let at: IntakeWorld;
beforeEach(async () => {
  at = await stands.start();
});

const AWAY_MS = 600_000;

/** The entry is not in the YAML while its rows have their turns, and it is read again after `meanwhile`. */
async function leaveAndReturn(meanwhile: () => void = () => undefined): Promise<void> {
  at.clock.advance(AWAY_MS);
  await at.flush({ isNamed: false });
  await at.work(6, { isNamed: false });
  meanwhile();
  await at.restart();
  await at.settle();
}

test.each(['status', 'reset'] as const)(
  'P4, P1: a row whose request got no answer (%s) is booked once its entry is back',
  async (kind) => {
    const fault = kind === 'status' ? { kind, status: 503 } : { kind };
    const back = at.platform.sandbox.faults.add({ method: 'POST', fault });
    const row = at.type();
    await at.poll();
    await at.work();
    expect(at.row(row)).toMatchObject({ Status: '' });
    expect(at.row(row)['ID']).not.toBe('');
    back();
    await leaveAndReturn();
    expect(at.row(row)).toMatchObject({ Status: 'Booked.' });
    expect(at.booked()).toHaveLength(1);
    await leaveAndReturn();
    expect(at.appointments()).toHaveLength(1);
  },
);

test('P2: a row whose answer was lost is booked once, and says so once its entry is back', async () => {
  at.platform.sandbox.faults.add({ method: 'POST', times: 1, fault: { kind: 'commit-then-reset' } });
  const back = at.platform.sandbox.faults.add({ fault: { kind: 'status', status: 503 } });
  const row = at.type();
  await at.poll();
  await at.work();
  back();
  await leaveAndReturn();
  expect(at.row(row)).toMatchObject({ Status: 'Booked.' });
  expect(at.appointments()).toHaveLength(1);
});

test('P7: a waiting row that was deleted while its entry was away books nothing; one typed over books what it says now', async () => {
  const back = at.platform.sandbox.faults.add({ method: 'POST', fault: { kind: 'status', status: 503 } });
  const [gone, other] = [
    at.type(),
    at.type({ Start: '04.03.2026 12:00', Name: 'Olga Lis', Phone: '8 495 000-11-02' }),
  ];
  await at.poll();
  await at.work();
  back();
  await leaveAndReturn(() => {
    at.put(other, 'Start', '04.03.2026 15:00');
    at.staff.deleteRow({ ...at.at, row: gone });
  });
  expect(at.booked()).toEqual([expect.stringContaining('2026-03-04T12:00:00')]);
});

test('P4: a refusal and a confirmation that had not been written are written once their entry is back', async () => {
  const [booked, refused] = [at.type(), at.type({ Service: 'Unheard-of' })];
  await at.poll();
  await at.work();
  expect([at.row(booked)['Status'], at.row(refused)['Status']]).toEqual(['', '']);
  await leaveAndReturn();
  expect(at.row(booked)['Status']).toBe('Booked.');
  expect(at.row(refused)['Status']).toContain('no service');
  expect(at.appointments()).toHaveLength(1);
});
