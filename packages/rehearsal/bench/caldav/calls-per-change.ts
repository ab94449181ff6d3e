import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { onCaldavStage } from './caldav-stage.ts';

/** As in the bench of Google's calls. */
const PEOPLE = 10;

/** Requirement: a change costs at most 1.05 requests, polls included. */
export async function caldavCalls(options: BenchOptions): Promise<Figure[]> {
  const appointments = options.isQuick ? 30 : 500;
  options.say(`caldav: ${appointments} appointments are booked and moved`);
  const told = figuresOf('caldav: calls');
  return onCaldavStage(PEOPLE, async ({ server, clinic, rest, wrongEvents }) => {
    const home = new URL(server.home).pathname;
    const { platform } = clinic;
    const before = platform.stats().changes;
    server.take();
    const ids = Array.from({ length: appointments }, (_, index) => clinic.book(index));
    await rest();
    for (const [index, id] of ids.entries()) clinic.move(id, { index, tenMinutes: 1 });
    await rest();
    const asked = server.take();
    const looks = asked.filter(({ path }) => path === home);
    const byMethod = new Map<string, number>();
    for (const { method, path } of asked)
      if (path !== home) byMethod.set(method, (byMethod.get(method) ?? 0) + 1);
    const changes = platform.stats().changes - before;
    told.atMost(1.05, {
      what: 'requests per change',
      unit: '',
      figure: (asked.length - looks.length) / changes,
      // What it takes to know each calendar at first is shared by all changes.
      needsFullSize: true,
      note: `${appointments} appointments in ${PEOPLE} calendars, each change alone: booked, moved. ${[...byMethod].map(([method, count]) => `${count} ${method}`).join(', ')}, polls included; and ${looks.length} looks at all calendars at once.`,
    });
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: await wrongEvents(),
      asked: 'none',
    });
    return told.figures;
  });
}
