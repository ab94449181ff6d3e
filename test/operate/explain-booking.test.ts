import { expect, test } from 'vitest';
import { formatExplanation } from '../../src/cli/explain.ts';
import type { BookingRecord } from '../../src/engine/outside-booking.ts';
import type { Claim } from '../../src/engine/work.ts';
import { explain } from '../../src/operate/explain.ts';
import { double } from '../stand/double.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const REFUSED: BookingRecord = {
  ...{ state: 'refused', code: 'slot-unavailable' },
  told: { is: 'given', answer: { state: 'refused', text: 'No.' }, stands: 'h' },
};
const CLAIM: Claim = {
  key: { kind: 'booking', id: 'b1' },
  ...{ fence: '1', desiredRev: 2, syncedRev: 2, deleted: false, verify: false },
  ...{ projectId: undefined, pendingSinceMs: undefined, sightings: [] },
  snapshot: {
    id: 'b1',
    ...{ mapping: 'walk-ins', place: 'calendar', state: 'live' },
    ...{ calendar_id: 'anna@clinic.example', event_id: 'e1' },
    ...{ title: '#book Vera Orlova', description: '+7 495 000-11-01' },
    ...{ starts_at: '2026-03-03T07:00:00Z', ends_at: '2026-03-03T08:00:00Z' },
  },
  links: { 'walk-ins': { booking: REFUSED } },
};

const told = (claim: Claim) =>
  explain(
    {
      view: double({ peek: async () => claim, dueAt: async () => undefined }),
      history: double({ note() {}, of: async () => [] }),
      deadLetters: { ofObject: async () => [] },
      waitingRows: async () => [],
      opinions: async () => [],
      clock: { now: () => NOW },
    },
    claim.key,
  );

test('the hours of a booking are told in UTC, by whatever clock its calendar or sheet tells them', async () => {
  const times = { starts_at: '2026-03-03T10:00:00+03:00', ends_at: '2026-03-03T11:00:00+03:00' };
  const { ends_at: _, ...row } = { ...CLAIM.snapshot, ...times, id: 'b1', place: 'row' };
  const event = await told({ ...CLAIM, snapshot: { ...CLAIM.snapshot, id: 'b1', ...times } });
  expect(formatExplanation(event, { color: false })).toContain(
    '2026-03-03 07:00:00 UTC to 2026-03-03 08:00:00 UTC',
  );
  expect(event.state['starts_at']).toBe('2026-03-03T07:00:00.000Z');
  const typed = formatExplanation(await told({ ...CLAIM, snapshot: row }), { color: false });
  expect(typed).toMatch(/, 2026-03-03 07:00:00 UTC$/m);
});

test('a refused booking is told on one screen: where it was made, what was decided and when, and nothing that people typed', async () => {
  const refused = await explain(
    {
      view: double({ peek: async () => CLAIM, dueAt: async () => undefined }),
      history: double({
        note() {},
        of: async () => [
          { what: 'seen', atMs: NOW, via: 'calendar', occurredAtMs: NOW, outcome: 'fresh' },
          {
            ...{ what: 'acted', atMs: NOW, by: 'booking', code: 'refused' },
            ...{ rule: 'bookings.walk-ins', ids: { reason: 'slot-unavailable' } },
          },
        ],
      }),
      deadLetters: { ofObject: async () => [] },
      waitingRows: async () => [],
      opinions: async () => [],
      clock: { now: () => NOW },
    },
    CLAIM.key,
  );
  expect(refused.state).toMatchObject({
    ...{ status: 'refused', code: 'slot-unavailable', is_answered: true },
    ...{ mapping: 'walk-ins', event_id: 'e1' },
  });
  const text = formatExplanation(refused, { color: false });
  expect(text).toMatch(/refused, slot-unavailable, by bookings\.walk-ins/);
  expect(text).toMatch(/booking.*refused/);
  expect(text.split('\n').length).toBeLessThan(24);
  expect(JSON.stringify(refused)).not.toMatch(/Vera|495/);
  expect(text).not.toMatch(/Vera|495/);
});
