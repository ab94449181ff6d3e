import type { CalendarServer } from '@slotbridge/rehearsal/demo/caldav/server';
import { expect, vi } from 'vitest';
import { handsOf, makeCalendar } from '../caldav/stand.ts';
import { PATIENCE_MS } from './patience.ts';
import { startWorld, type World } from './world.ts';

export const until = <T>(check: () => Promise<T>) =>
  vi.waitFor(check, { timeout: PATIENCE_MS, interval: 100 });

/** The section in which an event `#book <name>` with a phone in its description is booked. */
export const walkIns = (calendar: string, lines = '') => `bookings:
  walk-ins:
    from: { calendar: "${calendar}" }
    when: { title: "#book *" }
    service: Haircut
    customer: { name: "{{ title | remove_first: '#book ' }}", phone: "{{ description | phone }}" }
    still_for: 1s
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
${lines}`;

/** A worker that mirrors Anna's appointments into a calendar on a CalDAV server, and hands that write there as a calendar program does. */
export async function startCaldavWorld(
  server: CalendarServer,
  {
    accounts = '',
    map = '',
    event = '',
    rest = () => '',
    furnish = () => {},
    watch = '{ every: 5s, settle: 100ms }',
  }: {
    /** Sections after the mirror. */
    readonly rest?: (calendar: string) => string;
    /** Before the worker starts. */
    readonly furnish?: (world: World) => void;
    /** Lines of `caldav.accounts`, `calendars.map` and `event`. */
    readonly accounts?: string;
    readonly map?: string;
    readonly event?: string;
    readonly watch?: string;
  } = {},
) {
  const [anna] = server.accounts;
  const hands = handsOf(anna);
  const calendar = await makeCalendar(anna, 'work');
  const world = await startWorld({
    watch,
    mirrors: `
caldav:
  accounts:
    office: { url: "${server.url}", user: "${anna.user}", password: "${anna.password}" }
    ${accounts}
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
        Anna Petrova: { id: "${calendar}", account: office }
        ${map.replaceAll('\n', '\n        ')}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      ${event.replaceAll('\n', '\n      ')}
    staff_edits: { moved: reschedule, deleted: cancel, grace: 2s }
${rest(calendar)}`,
  });
  furnish(world);
  const port = await world.door();
  await world.subscribe(port);
  const { url } = await world.startWorker(port);
  return {
    ...{ world, url, port, calendar, hands },
    files: () => hands.names(calendar),
    /** The name of the only event. */
    only: () =>
      until(async () => {
        const found = await hands.names(calendar);
        expect(found).toHaveLength(1);
        return found[0] ?? '';
      }),
    /** The calendar was read after this moment. */
    readAfter: (atMs: number) =>
      until(async () => {
        const { coverage } = await world.status(url);
        const read = coverage.calendars.find((each) => each.calendar === calendar)?.covered_until ?? '1970';
        expect(Date.parse(read)).toBeGreaterThan(atMs);
      }),
    statusOf: (id: string) => world.platform.truth.appointment(id)?.['status'],
    async close() {
      await world.close();
      await server.stop();
    },
  };
}

export type CaldavWorld = Awaited<ReturnType<typeof startCaldavWorld>>;
