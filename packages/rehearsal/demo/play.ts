import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@slotbridge/sandbox/platform/random';
import type { CaldavColleague } from './caldav/calendar.ts';
import { playPhone } from './caldav/phone.ts';
import { PhoneCalendar } from './caldav/phone-calendar.ts';
import { judgeClasses } from './classes/judge.ts';
import { playCourse } from './classes/play.ts';
import { playDay } from './day/busy-day.ts';
import { Notebook } from './day/notebook.ts';
import {
  BAD_DELIVERY,
  EVENT_DELAY_MS,
  GOOD_DELIVERY,
  spoilCaldav,
  spoilGoogle,
  spoilPlatform,
} from './day/weather.ts';
import { type Wire, wireText } from './judge/company.ts';
import type { PlaceVerdict } from './judge/difference.ts';
import { appointmentShown, isColourPeoples } from './judge/event-picture.ts';
import { feedDifferences } from './judge/feed.ts';
import { judgeMirrors, type Verdict } from './judge/judge.ts';
import { officeTab } from './judge/row-picture.ts';
import { judgeTab } from './judge/sheets.ts';
import { LagObserver } from './lag/observer.ts';
import { CHECK_EVERY_S, FEED } from './mapping.ts';
import { OFFICE_SPREADSHEET, OFFICE_TAB, OFFICE_ZONE } from './office/appointments.ts';
import { playOffice } from './office/office.ts';
import { WishBook } from './office/wish-book.ts';
import { judgeOutside, type OutsideBooking } from './outside/book.ts';
import { bookOutside } from './outside/desk.ts';
import { notBooked } from './outside/not-booked.ts';
import { isRowAnswered } from './outside/rows.ts';
import { isWorkerIdle, untilIdle } from './patience.ts';
import { playPrivateLife } from './private-time/events.ts';
import { judgePrivateTime } from './private-time/judge.ts';
import type { Progress } from './progress.ts';
import { type DemoReport, type Measured, reportOf } from './report.ts';
import { playStaff } from './staff/busy-staff.ts';
import { CORRECTED_TAB, Corrections } from './staff/corrections.ts';
import { Ledger } from './staff/ledger.ts';
import { NOTED_TAB, NOTES } from './staff/sheet-acts.ts';
import { fedResource, type Stage } from './stage.ts';
import { Tally } from './tally.ts';
import { feedAddress } from './write-commands.ts';

const READY_WITHIN_MS = 30_000;
const FIRST_SYNC_WITHIN_MS = 60_000;
const LAST_SYNC_WITHIN_MS = 60_000;
/** One minute of Google's quota and two sheet checks. */
const TABS_MENDED_WITHIN_MS = (60 + 2 * CHECK_EVERY_S) * 1_000;
const LOOK_AGAIN_MS = 500;
/** A change is in a calendar feed at most five seconds after its turn. */
const FEED_RIGHT_WITHIN_MS = 10_000;
/** The feed must be covered this far beyond the last change, because its event is formed with a delay. */
const BEYOND_LAST_CHANGE_MS = 3_000;

export interface Play {
  readonly seed: number;
  /** The minimum number of changes. */
  readonly changes: number;
  /** The demo's start as `performance.now()`, to measure its duration. */
  readonly startedAtMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** Starts the worker, plays the day, waits until the worker is idle, and judges. */
export async function playAndJudge(
  stage: Stage,
  play: Play,
): Promise<{ readonly report: DemoReport; readonly verdict: Verdict }> {
  const { platform, google, company, mapping, worker, api, office, calendars, colleague } = stage;
  const { seed, progress, signal } = play;
  const observer = new LagObserver({ platform, google, ...mapping });
  colleague?.onWrite((event) => observer.written(colleague.calendarId, event));
  progress.phase(
    `a company: ${company.branchIds.length} branches, ${company.resourceIds.length} resources, ${company.serviceIds.length} services, ${company.contactIds.length} contacts, ${company.appointmentIds.length} appointments`,
  );
  worker.start();
  await worker.untilReady(READY_WITHIN_MS, signal);
  progress.phase('the worker is ready; it mirrors the company');
  await mirrorAll(stage, play);

  const random = new Random(seed).fork('day');
  const cast = { platform, company, api, random, notebook: new Notebook(platform, random, office.ids) };
  const tally = new Tally(stage);
  observer.begin(platform);
  platform.delivery = { ...platform.delivery, ...BAD_DELIVERY };
  spoilGoogle(google.faults);
  spoilPlatform(platform.faults);
  if (colleague !== undefined) spoilCaldav(colleague.faults);
  progress.phase(
    `the day: at least ${play.changes} changes; 20 % of the webhooks lost, 20 % doubled, all shuffled; errors on both sides. Events are formed after ${EVENT_DELAY_MS.join('-')} ms instead of 1-3 s. Calendar's quota is raised, Sheets' is Google's 60 a minute`,
  );
  const ledger = new Ledger();
  const corrections = new Corrections(platform);
  const written = (calendarId: string, event: Wire) => {
    if (event['status'] === 'cancelled') ledger.gone({ calendarId, eventId: wireText(event['id']) });
  };
  google.onEventWrite(written);
  colleague?.onWrite((event) => written(colleague.calendarId, event));
  const staff = {
    ...{ google, platform, ledger, corrections },
    ...staffPlaces(stage),
    random: new Random(seed).fork('staff'),
  };
  const closing = new AbortController();
  const staffDay = awaitedLater(playStaff(staff, closing.signal));
  const phoneDay = awaitedLater(
    colleague === undefined
      ? Promise.resolve(0)
      : playPhone(
          { ...phoneOf(colleague), ...{ platform, ledger, random: new Random(seed).fork('phone') } },
          closing.signal,
        ),
  );
  const privateDay = awaitedLater(
    playPrivateLife(
      { google, lives: stage.lives, random: new Random(seed).fork('private day') },
      closing.signal,
    ),
  );
  const courseDay = awaitedLater(
    playCourse(
      { platform, google, course: stage.course, random: new Random(seed).fork('course') },
      closing.signal,
    ),
  );
  const wishes = new WishBook(platform, office.ids);
  const officeDay = awaitedLater(playOffice({ platform, google, appointments: office, wishes }, signal));
  const outside = { ...staff, ...{ company, calendarOf: googleCalendars(stage), bookings: [] } };
  const outsideDay = awaitedLater(
    bookOutside({ ...outside, random: new Random(seed).fork('outside') }, signal),
  );
  let kill: Promise<void> = Promise.resolve();
  const changes = await playDay(cast, {
    changes: play.changes,
    signal,
    onProgress: (done) => progress.bar(done, play.changes, `${done} of ${play.changes} changes`),
    atHalf: () => {
      kill = awaitedLater(killAndRestart(stage, { tally, progress }));
    },
  });
  await outsideDay;
  closing.abort();
  const phoneActs = await phoneDay;
  const staffActs = (await staffDay) + (await privateDay) + (await courseDay);
  const lastChangeAtMs = Date.now();
  await kill;
  google.faults.clear();
  platform.faults.clear();
  colleague?.faults.clear();
  platform.delivery = { ...platform.delivery, ...GOOD_DELIVERY };
  progress.phase(
    `${changes} changes made, ${staffActs} times staff did something in Google; waiting until the worker has come to rest, and feed, calendars and tabs are proved`,
  );
  const coveredBeyondMs = lastChangeAtMs + BEYOND_LAST_CHANGE_MS;
  const atRest = () =>
    untilIdle(worker, {
      withinMs: LAST_SYNC_WITHIN_MS,
      signal,
      coveredBeyondMs,
      provedBeyondMs: lastChangeAtMs,
      onLook: ({ pending }) =>
        progress.bar(0, 1, `${pending.objects} objects and ${pending.sheet_rows} rows are waiting`),
    });
  const judged = (): Verdict => {
    const values = google.truth.values.bind(google.truth);
    const verdict = judgeMirrors(
      platform.truth,
      { events: calendars.events, values },
      {
        ...{ ...mapping, ...(colleague !== undefined && { caldav: colleague.calendarId }) },
        peoples: new Set([...ledger.copies, ...notBooked(google.truth, staff.calendars, outside.bookings)]),
      },
    );
    return { ...verdict, tabs: [...verdict.tabs, judgeOffice(stage)] };
  };
  let status = await atRest();
  const officeActs = await officeDay;
  status = await atRest();
  observer.end();
  let verdict = judged();
  // The next sheet check finds people's row changes, and Google's quota may delay it by a minute.
  const mendedByMs = Date.now() + TABS_MENDED_WITHIN_MS;
  while (verdict.tabs.some(({ differences }) => differences.length > 0) && Date.now() < mendedByMs) {
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
    status = await atRest();
    verdict = judged();
  }
  const outsideVerdict = judgeOutside(outside.bookings, platform.truth, {
    answered: (booking) => isAnswered(stage, booking),
    deleted: ({ eventId = '' }) => ledger.isDeleted(eventId),
    overruled: (booking, { id, resource_id }) =>
      ledger.isMovedBeside(booking.eventId ?? '', wireText(id)) &&
      (isAnswered(stage, booking) || mapping.calendars.get(wireText(resource_id)) !== booking.calendarId),
  });
  const blocked = judgePrivateTime(stage.lives, {
    appointments: platform.truth.appointments(),
    events: google.truth.events.bind(google.truth),
  });
  const classes = judgeClasses(stage.course, {
    appointments: platform.truth.appointments(),
    events: google.truth.events.bind(google.truth),
    calendars: [...staff.calendars, stage.course.calendarId],
  });
  const carried = {
    names: corrections.judge(google.truth.values(mapping.spreadsheetId, CORRECTED_TAB)),
    appointments: wishes.judge(),
  };
  const feedWrong = await judgeFeed(stage, signal);
  const peoplesLost = ledger.changed(peoplesNow(stage));
  progress.phase("judged: every calendar event by event, every sheet cell by cell, and what is people's own");
  const counted = await tally.close();
  const measured: Measured = {
    ...counted,
    changes,
    staffActs: staffActs + officeActs,
    ...(colleague !== undefined && { caldav: { server: colleague.server, phoneActs } }),
    peoplesLost,
    outside: outsideVerdict,
    blocked,
    classes,
    carried,
    feedsRight: feedWrong.length === 0 ? 1 : 0,
    deadLetters: status?.dead_letters.count ?? 0,
    isIdle: status !== undefined && isWorkerIdle(status, { coveredBeyondMs, provedBeyondMs: lastChangeAtMs }),
    notIdleBecause: status?.not_idle_because ?? ['the worker does not answer'],
    calendarLag: observer.calendars(),
    rowLag: observer.rows(),
    seed,
    durationMs: performance.now() - play.startedAtMs,
  };
  const besides = [
    ...[...outsideVerdict.wrong, ...peoplesLost, ...blocked.wrong, ...classes.wrong],
    ...[...carried.names.wrong, ...carried.appointments.wrong, ...feedWrong],
  ];
  return { report: reportOf(measured, verdict), verdict: { ...verdict, besides } };
}

/** An error is reported where the promise is awaited; until then the day continues. */
function awaitedLater<T>(part: Promise<T>): Promise<T> {
  part.catch(() => undefined);
  return part;
}

/** Staff leave the office's calendar alone. */
function staffPlaces(stage: Stage) {
  const { mapping, office } = stage;
  const own = [...googleCalendars(stage)].flatMap(([id, calendarId]) =>
    id === office.resourceId ? [] : [calendarId],
  );
  return { calendars: [...own, ...(mapping.teams?.values() ?? [])], spreadsheetId: mapping.spreadsheetId };
}

function phoneOf(colleague: CaldavColleague) {
  return { calendar: new PhoneCalendar(colleague), calendarId: colleague.calendarId };
}

/** Resource id to calendar. */
function googleCalendars({ mapping, colleague }: Stage): ReadonlyMap<string, string> {
  return new Map([...mapping.calendars].filter(([, id]) => id !== colleague?.calendarId));
}

function judgeOffice({ platform, google, office: { serviceId } }: Stage): PlaceVerdict {
  return judgeTab({
    plan: officeTab({ tab: OFFICE_TAB, serviceId, zone: OFFICE_ZONE }),
    objects: platform.truth.appointments(),
    values: google.truth.values(OFFICE_SPREADSHEET, OFFICE_TAB),
  });
}

/** What is wrong in the feed, after it had time to catch up. */
async function judgeFeed(stage: Stage, signal: AbortSignal): Promise<readonly string[]> {
  const address = new URL(await feedAddress(stage.commands, FEED));
  const byMs = Date.now() + FEED_RIGHT_WITHIN_MS;
  for (;;) {
    const file = await (await fetch(address, { signal })).text();
    const wrong = feedDifferences(file, {
      appointments: stage.platform.truth.appointments(),
      resourceId: fedResource(stage.company),
      nowMs: Date.now(),
    });
    if (wrong.length === 0 || Date.now() > byMs) return wrong.map((line) => `feed ${FEED}: ${line}`);
    await sleep(LOOK_AGAIN_MS, undefined, { signal });
  }
}

/** Whether the booking has an answer at its place. */
function isAnswered(
  { google, mapping, calendars }: Stage,
  { where, phone, calendarId = '', eventId = '' }: OutsideBooking,
) {
  if (where === 'sheet') return isRowAnswered({ google, spreadsheetId: mapping.spreadsheetId }, phone);
  return /── slotbridge ──+\n./.test(wireText(calendars.event({ calendarId, eventId })?.['description']));
}

/** The current state of the fields that people own. */
function peoplesNow({ google, platform, mapping, calendars }: Stage): Parameters<Ledger['changed']>[0] {
  const rows = google.truth.values(mapping.spreadsheetId, NOTED_TAB);
  const header = (rows[0] ?? []).map(wireText);
  const [id, note] = [header.indexOf('ID'), header.indexOf(NOTES)];
  return {
    event: calendars.event,
    isColourPeoples: (event) =>
      isColourPeoples(platform.truth.appointment(appointmentShown(event) ?? '') ?? {}),
    notes: new Map(rows.slice(1).map((row) => [wireText(row[id]), row[note] ?? ''])),
  };
}

/** The first start: the worker mirrors all existing objects. */
async function mirrorAll(stage: Stage, { progress, signal }: Play): Promise<void> {
  const { platform, worker } = stage;
  const { truth } = platform;
  const total = [truth.appointments(), truth.contacts(), truth.leads(), truth.conversations()].flat().length;
  const status = await untilIdle(worker, {
    withinMs: FIRST_SYNC_WITHIN_MS,
    signal,
    onLook: ({ pending }) =>
      progress.bar(total - pending.objects, total, `${pending.objects} objects are waiting`),
  });
  if (status?.idle !== true) {
    progress.phase(
      `not at rest yet (${status?.not_idle_because.join('; ') ?? 'no answer'}): the day begins all the same`,
    );
  }
}

async function killAndRestart(stage: Stage, parts: { tally: Tally; progress: Progress }): Promise<void> {
  await parts.tally.beforeKill();
  const { pid } = stage.worker;
  await stage.worker.kill();
  parts.progress.phase(
    `SIGKILL: the worker (process ${pid}) is gone in the middle of its work; it is started again`,
  );
  stage.worker.start();
}
