import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { percentile } from '../flow/percentile.ts';
import { type CaldavStage, namesIn, onCaldavStage } from './caldav-stage.ts';

const CALENDARS = 50;
/** Not a multiple of the time between two looks, so that changes fall anywhere between them. */
const EVERY_MS = 1_037;
const SEEN_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 10;

/**
 * Requirement: with 50 calendars of one account, the worker reads a calendar within 2 s of a person's change there, and asks less than one
 * request a second for each calendar.
 */
export async function caldavLag(options: BenchOptions): Promise<Figure[]> {
  const calendars = options.isQuick ? 5 : CALENDARS;
  const told = figuresOf('caldav: lag');
  return onCaldavStage(calendars, async (at) => {
    const { server, clinic, rest } = at;
    const ids = server.calendars.map((_, index) => clinic.book(index));
    await rest();
    options.say(`caldav: people move an event in each of ${calendars} calendars`);
    server.take();
    const beganAt = performance.now();
    const moves: Promise<Lag>[] = [];
    for (const [index, id] of ids.entries()) {
      moves.push(moved(at, { path: server.calendars[index] ?? '', id }));
      await sleep(EVERY_MS);
    }
    const lags = await Promise.all(moves);
    const seconds = (performance.now() - beganAt) / 1_000;
    const asked = server.take();
    const perCalendar = server.calendars.map(
      (path) => asked.filter((each) => each.path.startsWith(path)).length,
    );
    const looks = asked.filter(({ path }) => path === new URL(server.home).pathname).length;
    const read = lags.map(({ readMs }) => readMs);
    told.atMost(2_000, {
      what: `from a person's change to the worker's read of the calendar, ${calendars} calendars, p99`,
      unit: 'ms',
      figure: percentile(read, 0.99),
      needsFullSize: true,
      note: `p50 ${Math.round(percentile(read, 0.5))} ms. A change each second, in another calendar each.`,
    });
    const carried = lags.map(({ carriedMs }) => carriedMs);
    told.note("until the platform has a person's move, p99", [percentile(carried, 0.99), 'ms'], {
      note: `p50 ${Math.round(percentile(carried, 0.5))} ms.`,
    });
    told.atMost(0.999, {
      what: 'requests a second for each calendar, looks at all of them included',
      unit: '',
      figure: asked.length / calendars / seconds,
      asked: '< 1',
      note: `${looks} looks, ${asked.length - looks} requests to single calendars, at most ${Math.max(...perCalendar)} to one, in ${Math.round(seconds)} s.`,
    });
    await rest();
    told.atMost(0, {
      what: 'events not as the platform has them',
      unit: '',
      figure: await at.wrongEvents(),
      asked: 'none',
    });
    return told.figures;
  });
}

interface Lag {
  readonly readMs: number;
  readonly carriedMs: number;
}

/** Moves the only event of a calendar by ten minutes. */
async function moved(
  { server, clinic, startOf }: CaldavStage,
  { path, id }: { readonly path: string; readonly id: string },
): Promise<Lag> {
  const [name = ''] = await namesIn(server, path);
  const text = await (await server.send('GET', name)).text();
  const later = text.replace(/(?<=^DT(?:START|END);TZID=[^:]+:\d{8}T\d\d)\d/gm, (ten) =>
    String(Number(ten) + 1),
  );
  const answer = await server.send('PUT', name, {
    body: later,
    headers: { 'content-type': 'text/calendar; charset=utf-8' },
  });
  if (!answer.ok || later === text) throw new Error(`the move was not taken: ${answer.status}`);
  const changedAt = performance.now();
  const wantedMs = await startOf(path);
  let readAt: number | undefined;
  const until = performance.now() + SEEN_WITHIN_MS;
  const { onAsked } = server;
  server.onAsked = (asked) => {
    onAsked(asked);
    if (asked.method === 'REPORT' && asked.path.startsWith(path)) readAt ??= asked.answeredAt;
  };
  while (performance.now() < until) {
    const startsAtMs = Date.parse(String(clinic.platform.truth.appointment(id)?.['starts_at']));
    if (startsAtMs === wantedMs && readAt !== undefined)
      return { readMs: readAt - changedAt, carriedMs: performance.now() - changedAt };
    await sleep(LOOK_EVERY_MS);
  }
  throw new Error('a change was never seen');
}
