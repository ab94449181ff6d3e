import { expect, test } from 'vitest';
import type { Claim } from '../../src/domain/work.ts';
import { explain } from '../../src/ops/explain.ts';
import { formatExplanation } from '../../src/ops/explain-text.ts';

const NOW = Date.parse('2026-03-02T09:00:00Z');
const CLAIM: Claim = {
  key: { kind: 'booking', id: 'b1' },
  ...{ fence: 1, desiredRev: 2, syncedRev: 2, deleted: false, verify: false },
  ...{ projectId: undefined, pendingSinceMs: undefined, sightings: [] },
  snapshot: {
    id: 'b1',
    ...{ mapping: 'walk-ins', place: 'calendar', state: 'live' },
    ...{ calendar_id: 'anna@clinic.example', event_id: 'e1' },
    ...{ title: '#book Vera Orlova', description: '+7 495 000-11-01' },
    ...{ starts_at: '2026-03-03T07:00:00Z', ends_at: '2026-03-03T08:00:00Z' },
  },
  links: { 'walk-ins': { booking: { state: 'refused', code: 'slot-unavailable', answered: 'h' } } },
};

test('a refused booking is told on one screen: where it was made, what was decided and when, and nothing that people typed', async () => {
  const told = await explain(
    {
      view: { peek: async () => CLAIM, dueAt: async () => undefined },
      history: {
        note() {},
        of: async () => [
          { what: 'seen', atMs: NOW, via: 'calendar', occurredAtMs: NOW, outcome: 'fresh' },
          {
            ...{ what: 'acted', atMs: NOW, by: 'booking', code: 'refused' },
            ...{ rule: 'bookings.walk-ins', ids: { reason: 'slot-unavailable' } },
          },
        ],
      },
      deadLetters: { all: async () => [] },
      waitingRows: async () => [],
      opinions: async () => [],
      clock: { now: () => NOW },
    },
    CLAIM.key,
  );
  expect(told.state).toMatchObject({
    ...{ status: 'refused', code: 'slot-unavailable', is_answered: true },
    ...{ mapping: 'walk-ins', event_id: 'e1' },
  });
  const text = formatExplanation(told, { color: false });
  expect(text).toMatch(/refused, slot-unavailable, by bookings\.walk-ins/);
  expect(text).toMatch(/booking.*refused/);
  expect(text.split('\n').length).toBeLessThan(24);
  expect(JSON.stringify(told)).not.toMatch(/Vera|495/);
  expect(text).not.toMatch(/Vera|495/);
});
