// What a colleague does on a phone in a CalDAV calendar: moves, deletes, recolours, own events.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@slotbridge/sandbox/platform/random';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import ICAL from 'ical.js';
import { type Wire, wireText } from '../judge/company.ts';
import { appointmentShown } from '../judge/event-picture.ts';
import type { Ledger, OwnFields } from '../staff/ledger.ts';
import { addAlarm, ownObject, type PhoneCalendar, type Shown, shift } from './phone-calendar.ts';
import { componentsIn, eventOf, PEOPLES_COLOURS } from './read-event.ts';

export interface PhoneCast {
  readonly calendar: PhoneCalendar;
  readonly calendarId: string;
  /** Read only: a phone changes the calendar, never the platform. */
  readonly platform: PlatformSandbox;
  readonly random: Random;
  readonly ledger: Ledger;
}

interface Picked extends Shown {
  readonly appointment: Wire;
}

type Act = (cast: PhoneCast) => Promise<void>;

const MOVABLE = ['confirmed', 'pending'];
const QUARTER_S = 15 * 60;
const HOUR_MS = 3_600_000;
const PAUSE_MS = 300;
const TRIES_MAX = 20;
const DAYS_AHEAD = 20;

/** Acts and their relative frequencies. */
const ACTS: readonly (readonly [share: number, act: Act])[] = [
  [5, drag],
  [2, resize],
  [3, retitle],
  [4, remove],
  [3, recolour],
  [4, addReminder],
  [2, showAsFree],
  [1, makeAllDay],
  [2, duplicate],
  [2, addOwn],
];
const TICKETS = ACTS.flatMap(([share, act]) => Array.from({ length: share }, () => act));

/** Plays the colleague until the signal aborts. Returns the number of acts. */
export async function playPhone(cast: PhoneCast, over: AbortSignal): Promise<number> {
  let acts = 0;
  while (!over.aborted) {
    await cast.random.pick(TICKETS)(cast);
    acts += 1;
    await sleep(PAUSE_MS, undefined, { signal: over }).catch(() => undefined);
  }
  return acts;
}

async function drag(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, MOVABLE);
  const quarters = (cast.random.below(2) === 0 ? 1 : -1) * (1 + cast.random.below(12));
  if (shown === undefined || isAllDay(shown)) return;
  shift(shown, ['dtstart', 'dtend'], quarters * QUARTER_S);
  if (await cast.calendar.store(shown)) cast.ledger.moved(at(cast, shown), wireText(shown.appointment['id']));
}

async function resize(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, MOVABLE);
  if (shown === undefined || isAllDay(shown)) return;
  shift(shown, ['dtend'], (1 + cast.random.below(4)) * QUARTER_S);
  await cast.calendar.store(shown);
}

async function retitle(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, [...MOVABLE, 'arrived']);
  if (shown === undefined) return;
  shown.component.updatePropertyWithValue('summary', 'Lunch?');
  await cast.calendar.store(shown);
}

async function remove(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, [...MOVABLE, 'arrived']);
  if (shown === undefined) return;
  if (await cast.calendar.remove(shown)) cast.ledger.deleted(at(cast, shown));
}

/** Where the mapping sets no colour for the status. */
async function recolour(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, ['confirmed']);
  if (shown === undefined || wireText(shown.event['colorId']) !== '') return;
  shown.component.updatePropertyWithValue('color', cast.random.pick(PEOPLES_COLOURS));
  await storeOwn(cast, shown, { colour: wireText(eventOf(shown.component)['colorId']) });
}

async function addReminder(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, [...MOVABLE, 'arrived']);
  if (shown === undefined) return;
  const minutes = 5 + cast.random.below(120);
  addAlarm(shown, minutes);
  await storeOwn(cast, shown, { reminder: minutes });
}

async function showAsFree(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, MOVABLE);
  if (shown === undefined) return;
  shown.component.updatePropertyWithValue('transp', 'TRANSPARENT');
  await storeOwn(cast, shown, { transparency: 'transparent' });
}

async function makeAllDay(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, ['confirmed']);
  if (shown === undefined || isAllDay(shown)) return;
  const day = new ICAL.Event(shown.component).startDate.clone();
  day.isDate = true;
  const next = day.clone();
  next.adjust(1, 0, 0, 0);
  for (const [name, date] of [
    ['dtstart', day],
    ['dtend', next],
  ] as const) {
    shown.component.removeAllProperties(name);
    shown.component.addPropertyWithValue(name, date);
  }
  await cast.calendar.store(shown);
}

/** A copy has an id of its own and everything else, also the worker's mark. It is not the worker's event. */
async function duplicate(cast: PhoneCast): Promise<void> {
  const shown = await someEvent(cast, MOVABLE);
  if (shown === undefined) return;
  shown.component.updatePropertyWithValue('uid', cast.random.uuid());
  await storeNew(cast, shown.root);
}

/** An event that has nothing to do with the worker. */
async function addOwn(cast: PhoneCast): Promise<void> {
  const inHours = 24 + cast.random.below(24 * DAYS_AHEAD);
  const start = new Date(Date.now() + inHours * HOUR_MS).toISOString();
  await storeNew(cast, ownObject(cast.random.uuid(), { start, summary: 'Dentist' }));
}

/** A random event of an appointment to come in one of these statuses, if the tries find one. */
async function someEvent(cast: PhoneCast, statuses: readonly string[]): Promise<Picked | undefined> {
  const { calendar, platform, random, ledger } = cast;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const names = calendar.names();
    const shown = names.length === 0 ? undefined : await calendar.open(random.pick(names));
    if (shown === undefined) continue;
    const appointment = platform.truth.appointment(appointmentShown(shown.event) ?? '');
    if (appointment === undefined || ledger.isCopy(at(cast, shown))) continue;
    const isFuture = Date.parse(wireText(appointment['starts_at'])) > Date.now();
    if (isFuture && statuses.includes(wireText(appointment['status']))) return { ...shown, appointment };
  }
  return undefined;
}

async function storeOwn(cast: PhoneCast, shown: Shown, fields: OwnFields): Promise<void> {
  if (await cast.calendar.store(shown)) cast.ledger.own(at(cast, shown), fields);
}

/** People's own event, whatever it looks like. */
async function storeNew(cast: PhoneCast, root: ICAL.Component): Promise<void> {
  const [event = {}] = componentsIn(root).map(eventOf);
  cast.ledger.copied(at(cast, { event }), wireText(event['summary']));
  await cast.calendar.add(root);
}

function at({ calendarId }: PhoneCast, { event }: Pick<Shown, 'event'>) {
  return { calendarId, eventId: wireText(event['id']) };
}

function isAllDay({ event }: Shown): boolean {
  return (event['start'] as Wire)['date'] !== undefined;
}
