import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchOptions, type Figure, figuresOf } from '../figure.ts';
import { calendarMirror, openClinic } from '../stand/clinic.ts';
import { untilAtRest } from '../stand/rest.ts';
import { setStage } from '../stand/stage.ts';

const CALLS_PER_MINUTE = 1_000_000;
const LATENCY_MS = 80;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WITHIN_MS = 300_000;
const LOOK_EVERY_MS = 250;

/** Requirement: a booked event of a daily series costs at most 2.2 Calendar calls, all included, and moving one at most 3 reads and writes. */
export async function series(options: BenchOptions): Promise<Figure[]> {
  const events = options.isQuick ? 10 : 110;
  options.say(`series: ${events} events`);
  const stage = await setStage({
    quotas: { calendarPerMinutePerUser: CALLS_PER_MINUTE, calendarPerMinutePerProject: CALLS_PER_MINUTE },
  });
  try {
    const clinic = await openClinic(stage.google, 1);
    stage.push(() => clinic.platform.close());
    const [person] = clinic.people;
    if (person === undefined) throw new Error('the clinic has nobody');
    const { calendarId } = person;
    const secret = await clinic.subscribe(`${stage.workerUrl}/webhooks/platform`);
    const worker = await stage.startWorker({
      ...{ platformUrl: clinic.platform.url, apiKey: clinic.apiKey, secret, push: true },
      mirrors: `${calendarMirror(clinic.people)}\n${bookingsIn(calendarId)}`,
      calendarPerMinute: CALLS_PER_MINUTE,
    });
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const { google, platform } = { google: stage.google, platform: clinic.platform };
    google.latencyMs = LATENCY_MS;
    google.resetCounts();
    const firstMs = (Math.ceil(Date.now() / HOUR_MS) + 24) * HOUR_MS;
    const side = (laterMs: number) => ({
      dateTime: new Date(firstMs + laterMs).toISOString(),
      timeZone: 'Europe/Moscow',
    });
    google.staff.calendar.add({
      calendarId,
      event: {
        ...{ summary: '#book Vera Orlova', description: '+7 495 000-11-01' },
        ...{ start: side(0), end: side(HOUR_MS / 2) },
        recurrence: [`RRULE:FREQ=DAILY;COUNT=${events}`],
      },
    });
    const shown = () =>
      google.truth.events(calendarId).filter((each) => each['recurringEventId'] !== undefined);
    await until(() => shown().length === events);
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const { calls } = google.stats();
    google.resetCounts();
    const nth = Math.floor(events / 2);
    const startsAt = new Date(firstMs + nth * DAY_MS + 2 * HOUR_MS).toISOString();
    google.staff.calendar.move({ calendarId, eventId: String(shown()[nth]?.['id']), start: startsAt });
    const movedTo = (each: Record<string, unknown>) =>
      Date.parse(String(each['starts_at'])) === Date.parse(startsAt);
    await until(() => platform.truth.appointments().some(movedTo));
    await untilAtRest(worker, { withinMs: WITHIN_MS });
    const { 'events.list': _, ...direct } = google.stats().callsByMethod;

    const told = figuresOf('series');
    told.atMost(2.2, {
      what: 'daily series, Calendar calls for each booked event',
      unit: '',
      figure: calls / events,
      note: `${events} events, 80 ms for each answer, with Google's pings; lists included.`,
    });
    told.atMost(3, {
      what: 'the same, calls after people move one event',
      unit: '',
      figure: Object.values(direct).reduce((sum, count) => sum + count, 0),
      note: 'Without the lists that any change costs.',
    });
    told.atMost(0, {
      what: 'appointments missing or too many',
      unit: '',
      figure: Math.abs(platform.truth.appointments().length - events),
      asked: 'none',
    });
    return told.figures;
  } finally {
    await stage.close();
  }
}

function bookingsIn(calendarId: string): string {
  return `
bookings:
  walk-ins:
    from: { calendar: ${calendarId} }
    when: { title: "#book *" }
    service: Haircut
    customer: { name: "{{ title | remove_first: '#book ' }}", phone: "{{ description | phone }}" }
    region: RU
    recurring: each
    horizon: 120d
    still_for: 1s
`;
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = Date.now() + WITHIN_MS;
  while (!isSo()) {
    if (Date.now() > deadline) throw new Error('the worker does not get there in time');
    await sleep(LOOK_EVERY_MS);
  }
}
