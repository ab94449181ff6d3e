// Random histories against the simplest model of what should come out.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runsOf } from '../../../../test/stand/runs.ts';
import { book, eventBody, type Rig, room, startRig } from './rig.ts';

let rig: Rig;
beforeEach(async () => {
  const plenty = 1_000_000;
  rig = await startRig({
    quotas: {
      calendarPerMinutePerUser: plenty,
      sheetsReadsPerMinutePerUser: plenty,
      sheetsWritesPerMinutePerUser: plenty,
    },
  });
});
afterEach(() => rig.sandbox.close());

const action = fc.record({
  kind: fc.constantFrom('add', 'retitle', 'remove', 'restore', 'sync', 'syncPaged', 'empty'),
  pick: fc.nat(30),
});

test('a copy that is fed by sync tokens alone is equal to the calendar, whatever people do', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const calendarId = `c${Math.random()}`;
      rig.sandbox.addCalendar(calendarId, {
        shareWith: ['worker@slotbridge-sandbox.iam.gserviceaccount.com'],
      });
      const { calendar } = rig.sandbox.staff;
      const ids: string[] = [];
      const copy = new Map<string, string>();
      let token = '';
      const sync = async (size: number): Promise<void> => {
        for (let page = ''; ; ) {
          const query = new URLSearchParams({
            maxResults: String(size),
            ...(token === '' ? {} : { syncToken: token }),
            ...(page === '' ? {} : { pageToken: page }),
          });
          const { body } = await rig.call('GET', `/calendar/v3/calendars/${calendarId}/events?${query}`);
          for (const event of body.items) {
            if (event.status === 'cancelled') copy.delete(event.id);
            else copy.set(event.id, event.summary);
          }
          if (body.nextSyncToken !== undefined) {
            token = body.nextSyncToken;
            return;
          }
          page = body.nextPageToken;
          // Somebody is at work between two pages.
          const [first] = ids;
          if (first !== undefined && rig.sandbox.truth.event(calendarId, first)?.['status'] !== 'cancelled')
            calendar.retitle({ calendarId, eventId: first, summary: `between ${page.length}` });
        }
      };
      for (const [i, { kind, pick }] of actions.entries()) {
        const eventId = ids[pick % Math.max(1, ids.length)];
        if (kind === 'sync' || kind === 'syncPaged') await sync(kind === 'sync' ? 100 : 2);
        else if (kind === 'empty') rig.sandbox.switches.emptyPages = !rig.sandbox.switches.emptyPages;
        else if (kind === 'add')
          ids.push(
            String(
              calendar.add({
                calendarId,
                event: eventBody('2026-05-04T08:00:00Z', { summary: `e${i}` }) as never,
              })['id'],
            ),
          );
        else if (eventId === undefined) continue;
        else if (kind === 'remove') calendar.remove({ calendarId, eventId });
        else if (kind === 'restore') calendar.restore({ calendarId, eventId });
        else if (rig.sandbox.truth.event(calendarId, eventId)?.['status'] !== 'cancelled')
          calendar.retitle({ calendarId, eventId, summary: `r${i}` });
      }
      await sync(100);
      await sync(100);
      const truth = new Map(
        rig.sandbox.truth.events(calendarId).map((event) => [String(event['id']), String(event['summary'])]),
      );
      expect(new Map([...copy].sort())).toEqual(new Map([...truth].sort()));
    }),
    { numRuns: runsOf(40) },
  );
});

const size = 8;
const span = fc.record({ start: fc.nat(size - 2), count: fc.integer({ min: 1, max: 3 }) });
const change = fc.oneof(
  span.map((at) => ({ kind: 'insert' as const, ...at, to: 0 })),
  span.map((at) => ({ kind: 'delete' as const, ...at, to: 0 })),
  fc.tuple(span, fc.nat(size)).map(([at, to]) => ({ kind: 'move' as const, ...at, to })),
);

test('rows and columns move as in a plain list of lists, and a refused batch leaves everything', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('ROWS', 'COLUMNS'), change), { maxLength: 12 }),
      async (changes) => {
        const id = `s${Math.random()}`;
        const start = Array.from({ length: size }, (_, r) =>
          Array.from({ length: size }, (__, c) => `${r}.${c}`),
        );
        rig.sandbox.addSpreadsheet(id, {
          shareWith: ['worker@slotbridge-sandbox.iam.gserviceaccount.com'],
          tabs: [{ title: 'T', rows: size, columns: size, values: start }],
        });
        let model = start;
        for (const [dimension, { kind, start: from, count, to }] of changes) {
          const range = { sheetId: 0, dimension, startIndex: from, endIndex: from + count };
          const request =
            kind === 'insert'
              ? { insertDimension: { range } }
              : kind === 'delete'
                ? { deleteDimension: { range } }
                : { moveDimension: { source: range, destinationIndex: to } };
          const { status } = await rig.call('POST', `/v4/spreadsheets/${id}:batchUpdate`, {
            requests: [request],
          });
          if (status !== 200) continue;
          const lines = dimension === 'ROWS' ? model.map((row) => [...row]) : transpose(model);
          const width = lines[0]?.length ?? 0;
          if (kind === 'insert')
            lines.splice(
              from,
              0,
              ...Array.from({ length: count }, () => Array.from({ length: width }, () => '')),
            );
          else {
            const cut = lines.splice(from, count);
            if (kind === 'move') lines.splice(to > from ? to - count : to, 0, ...cut);
          }
          model = dimension === 'ROWS' ? lines : transpose(lines);
        }
        expect(rig.sandbox.truth.values(id, 'T')).toEqual(trimmed(model));
        const refused = await rig.call('POST', `/v4/spreadsheets/${id}:batchUpdate`, {
          requests: [
            { deleteDimension: { range: { sheetId: 0, dimension: 'ROWS', startIndex: 0, endIndex: 1 } } },
            { deleteSheet: { sheetId: 12345 } },
          ],
        });
        expect(refused.status).toBe(400);
        expect(rig.sandbox.truth.values(id, 'T')).toEqual(trimmed(model));
      },
    ),
    { numRuns: runsOf(60) },
  );
});

test('what RAW writes, a plain read gives back', async () => {
  const value = fc.oneof(
    fc.string({ minLength: 1, maxLength: 20 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (row) => {
      await rig.call('PUT', `${rig.sheet}/values/A1:Z1?valueInputOption=RAW`, {
        values: [Array.from({ length: 26 }, (_, i) => row[i] ?? '')],
      });
      const { body } = await rig.call('GET', `${rig.sheet}/values/1:1?valueRenderOption=UNFORMATTED_VALUE`);
      expect(body.values).toEqual([row]);
      expect(rig.sandbox.truth.values(book, 'Sheet1')).toEqual([row]);
    }),
    { numRuns: runsOf(60) },
  );
});

test('the same seed gives the same ids', () => {
  const first = rig.sandbox.staff.calendar.add({ calendarId: room, event: eventBody() as never })['id'];
  return startRig().then(async (other) => {
    const second = other.sandbox.staff.calendar.add({ calendarId: room, event: eventBody() as never })['id'];
    await other.sandbox.close();
    expect(second).toBe(first);
  });
});

function transpose(lines: string[][]): string[][] {
  return Array.from({ length: lines[0]?.length ?? 0 }, (_, c) => lines.map((line) => line[c] ?? ''));
}

function trimmed(lines: string[][]): string[][] {
  const rows = lines.map((line) => line.slice(0, line.findLastIndex((cell) => cell !== '') + 1));
  return rows.slice(0, rows.findLastIndex((row) => row.length > 0) + 1);
}
