import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventIdOf } from '../../src/engine/ids.ts';
import type { CalendarEvent, EventBody } from '../../src/google/calendar-event.ts';
import { type OpenCaldav, openCaldav } from './contract/open-caldav.ts';
import { describeOn } from './servers/describe.ts';

const BODY: EventBody = {
  summary: 'Haircut',
  start: { dateTime: '2026-11-03T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2026-11-03T11:00:00+01:00', timeZone: 'Europe/Berlin' },
  status: 'confirmed',
  extendedProperties: { private: { slotbridge: '1' } },
};
const CHANGES = 40;

for (const name of ['radicale', 'xandikos'] as const)
  describeOn(name, (start) => {
    let at: OpenCaldav;
    beforeAll(async () => {
      at = await openCaldav(start);
    });
    afterAll(() => at?.close());

    test('a change costs one request, and a look at a quiet calendar one', async () => {
      const calendar = await at.newCalendar();
      const ids = Array.from({ length: CHANGES }, (_, nth) =>
        eventIdOf(`0d3b2f6a-91c4-4f0e-8a56-${String(nth).padStart(12, '0')}`),
      );
      const before = at.requests();
      for (const id of ids) {
        const made = (await at.api.insert(calendar, id, BODY)) as CalendarEvent;
        const seen = (await at.api.getIn(calendar, id, made.etag)) as CalendarEvent;
        await at.api.patch(calendar, seen, { summary: 'Colouring' });
      }
      // What it takes to know the calendar at first is not a change.
      expect((at.requests() - before) / (2 * CHANGES)).toBeLessThanOrEqual(1.05);
      const first = await at.watch.changes(calendar, { syncToken: undefined, pageToken: undefined });
      if (typeof first === 'string') throw new Error(first);
      const quiet = at.requests();
      await at.watch.changes(calendar, { syncToken: first.nextSyncToken, pageToken: undefined });
      expect(at.requests() - quiet).toBe(1);

      // What the worker wrote is known: to read of it costs no more.
      const before2 = at.requests();
      for (const id of ids.slice(0, 3)) {
        const seen = (await at.api.get(calendar, id)) as CalendarEvent;
        await at.api.patch(calendar, seen, { summary: 'Shave' });
      }
      const written = at.requests();
      expect(written - before2).toBe(6);
      const told = await at.watch.changes(calendar, { syncToken: first.nextSyncToken, pageToken: undefined });
      expect(at.requests() - written).toBe(1);
      expect(typeof told === 'string' ? told : told.events.map(({ summary }) => summary)).toEqual(
        Array.from({ length: 3 }, () => 'Shave'),
      );
    });
  });
