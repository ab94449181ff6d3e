import { seededRandom } from '@slotbridge/sandbox/google/random';
import { afterEach, expect, test } from 'vitest';
import { markedEvents } from '../../src/calendar/wanted.ts';
import type { Snapshot } from '../../src/engine/object.ts';
import { codeOf } from '../../src/google/errors.ts';
import { rowsOf } from '../stand/runs.ts';
import { ANNA, appointment, BORIS, mirror, openStand, ROOM, type Stand, startMsOf } from './stand.ts';

let stand: Stand;
afterEach(() => stand.close());

const CALENDARS: Record<string, string> = { 'r-anna': ANNA, 'r-boris': BORIS, 'r-room': ROOM };
const STATUSES = ['pending', 'confirmed', 'confirmed', 'arrived', 'completed', 'no_show', 'cancelled'];

/** One line per event that has to stand, or that does stand: calendar, start, status. */
const wantedLines = (appointments: Iterable<Snapshot>) =>
  [...appointments]
    .filter((each) => each['status'] !== 'cancelled')
    .flatMap((each) =>
      (each['resource_ids'] as string[]).map((id) =>
        [
          CALENDARS[id],
          Date.parse(String(each['starts_at'])),
          each['status'] === 'pending',
          each['comment'],
        ].join(),
      ),
    )
    .sort();
const foundLines = () =>
  Object.values(CALENDARS)
    .flatMap((calendarId) =>
      stand.google.truth
        .events(calendarId)
        .map((event) =>
          [
            calendarId,
            startMsOf(event),
            event['status'] === 'tentative',
            String(event['description']).split('\n')[1],
          ].join(),
        ),
    )
    .sort();

/** On a busy machine an answer without a fault may be late, too. */
async function calmly(snapshot: Snapshot): Promise<void> {
  for (;;) {
    try {
      await stand.mirror(snapshot);
      return;
    } catch (error) {
      if (codeOf(error) === 'insert-in-doubt') stand.clock.advance(20_000);
      else if (codeOf(error) !== 'google-timeout') throw error;
    }
  }
}

test.each(rowsOf([2, 1, 3], 2))(
  'whatever fails on the way, the calendars end as the platform has it: weather %i',
  async (seed) => {
    stand = await openStand({ seed, timeoutMs: 300, quotas: { calendarPerMinutePerUser: 100_000 } });
    const random = seededRandom(seed);
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
    stand.google.switches.tombstonesMinimal = seed === 2;
    stand.google.switches.reviveAnswers403 = seed === 3;
    for (const fault of [
      { kind: 'reset' as const },
      { kind: 'commit-then-reset' as const },
      { kind: 'commit-then-status' as const, status: 502 },
      { kind: 'status' as const, status: 503 },
      { kind: 'delay' as const, ms: 350 },
    ]) {
      stand.google.faults.add({ path: /^\/calendar/, share: 0.06, fault });
    }
    const appointments = new Map<string, Snapshot>();
    const ids = Array.from({ length: 8 }, (_, n) => `00000000-0000-4000-8000-00000000000${n}`);

    const handle = async (snapshot: Snapshot) => {
      for (let attempt = 0; attempt < 30; attempt++) {
        try {
          await stand.mirror(snapshot);
          return;
        } catch (error) {
          // People deleted the event, and no way back looks for it here: the links are forgotten in the end.
          if (codeOf(error) === 'edit-unseen') return;
          if (codeOf(error) === 'insert-in-doubt') stand.clock.advance(20_000);
          else expect(error).toMatchObject({ family: 'retryable' });
          // Now and then the worker dies here, and a newer state is what the next handler sees.
          if (random() < 0.2) return;
        }
      }
    };
    for (let change = 0; change < 80; change++) {
      const id = pick(ids);
      if (appointments.get(id)?.['status'] === 'cancelled') continue;
      const status = pick(STATUSES);
      const resources = pick([['r-anna'], ['r-boris'], ['r-anna', 'r-room'], ['r-boris', 'r-room']]);
      const startMs = Date.parse('2026-11-03T09:00:00Z') + Math.floor(random() * 100) * 900_000;
      const snapshot = appointment({
        id,
        status,
        resource_ids: status === 'cancelled' ? [] : resources,
        starts_at: new Date(startMs).toISOString(),
        ends_at: new Date(startMs + 3_600_000).toISOString(),
        comment: `change ${change}`,
      });
      appointments.set(id, snapshot);
      await handle(snapshot);
      const [event] = stand.google.truth.events(ANNA);
      if (random() < 0.1 && event !== undefined) {
        stand.staff.remove({ calendarId: ANNA, eventId: String(event['id']) });
      }
    }

    stand.google.faults.clear();
    // Redis is lost; what the calendars know is taken up again; then everything is looked at once more.
    stand.links.forget();
    for (const calendarId of Object.values(CALENDARS)) {
      for await (const { appointmentId, link } of markedEvents(stand.api, () => false).in(calendarId)) {
        await stand.links.adopt(`appointment/${appointmentId}`, mirror.name, link);
      }
    }
    for (const snapshot of appointments.values()) await calmly(snapshot);
    expect(stand.google.faults.hits()).toBeGreaterThan(10);
    expect(foundLines()).toEqual(wantedLines(appointments.values()));
    stand.google.resetCounts();
    for (const snapshot of appointments.values()) expect(await stand.mirror(snapshot)).toBe('nothing');
    expect(stand.google.stats().calls).toBe(0);
  },
);
