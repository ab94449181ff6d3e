import { createHash } from 'node:crypto';
import {
  type BlockRule,
  type BookingRules,
  type BusyEvent,
  type BusyMoment,
  type BusyRule,
  blocksApproved,
  type SeenBusy,
  type SeenCalendar,
  type Span,
} from '../engine/block.ts';
import { counted } from '../engine/counts.ts';
import { APPROVED_FOR_MS, holdsApproval } from '../engine/edit-guard.ts';
import { WorkerError } from '../engine/errors.ts';
import { takesEvent } from '../engine/event-rule.ts';
import { isNoteId, objectOf } from '../engine/ids.ts';
import type { Intake } from '../engine/intake.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { Memory } from '../engine/memory.ts';
import { canHaveBeen } from '../engine/moments.ts';
import type { EntityKey } from '../engine/object.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { type Part, repeat, type WakeAll } from '../engine/supervisor.ts';
import { readLocal } from '../engine/zone-local.ts';
import type { BusyEventsApi } from '../google/calendar-events.ts';
import { common, merged } from './block-plan.ts';
import { blocksRead } from './block-read-until.ts';
import { blockWindow, type Misnamed, People, type Person } from './block-wanted.ts';

const NAME_CHARS = 16;

export interface ReadingParts {
  readonly calendars: BusyEventsApi;
  /** The rules by which people book in a calendar. Events that match one are not private. */
  readonly bookingsIn: (calendarId: string) => BookingRules;
  readonly log: Log;
}

/** Reads the calendars of one round, each calendar once, however many people share it. */
export class Reading {
  readonly #parts: ReadingParts;
  readonly #events = new Map<string, Promise<readonly BusyEvent[] | undefined>>();
  /** Calendar to error code, for calendars that could not be read. */
  readonly unread = new Map<string, string>();

  constructor(parts: ReadingParts) {
    this.#parts = parts;
  }

  /** Undefined when the calendar cannot be read now. */
  async busy(person: Person, calendarId: string, nowMs: number): Promise<readonly Span[] | undefined> {
    const { rule, zone } = person;
    const window = blockWindow(person, nowMs);
    const bookings = this.#parts.bookingsIn(calendarId);
    const key = `${calendarId.toLowerCase()} ${window.startMs} ${window.endMs}`;
    const events = this.#events.get(key) ?? this.#read(calendarId, window, { ruled: bookings.length > 0 });
    this.#events.set(key, events);
    const found = await events;
    return found && common(busySpans(found, rule.busy, { zone, bookings }), [window]);
  }

  async #read(
    calendarId: string,
    { startMs, endMs }: Span,
    options: { readonly ruled: boolean },
  ): Promise<readonly BusyEvent[] | undefined> {
    try {
      return await this.#parts.calendars.list(calendarId, { fromMs: startMs, untilMs: endMs }, options);
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      const { code, family } = error;
      this.unread.set(calendarId, code);
      this.#parts.log.warn({ calendar: calendarName(calendarId), code, family }, 'private calendar not read');
      return undefined;
    }
  }
}

/** Hashes the id, because addresses do not belong in state or logs. Case does not matter in them. */
export function calendarName(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, NAME_CHARS);
}

/**
 * Selects the events that take their person's time. In: the events of one calendar. Out: merged time spans and nothing else about the
 * events. The worker's own events never count, so no appointment can cause a block.
 */

/** Event types that say where a person is or whose day it is, not that the person is busy (Calendar API, Event.eventType). */
const TELLS_NO_TIME = new Set(['workingLocation', 'birthday']);
const OUT_OF_OFFICE = 'outOfOffice';
const MINUTE_MS = 60_000;

/** `zone` is the branch's zone: whole days are days there. `bookings` are the rules by which people book in this calendar. */
export function busySpans(
  events: readonly BusyEvent[],
  rule: BusyRule,
  { zone, bookings = [] }: { readonly zone: string; readonly bookings?: BookingRules },
): readonly Span[] {
  const spans = events
    .filter((event) => !isOwn(event) && takesTime(event, rule) && !isBooking(event, bookings))
    .flatMap((event) => spanOf(event, zone) ?? [])
    .filter(({ startMs, endMs }) => endMs - startMs >= rule.shortestMs)
    .map(({ startMs, endMs }) => ({ startMs: startMs - rule.paddingMs, endMs: endMs + rule.paddingMs }));
  return merged(spans);
}

/** Recognizes the worker's events by id, which only the worker assigns, and by mark, which copies share. */
function isOwn({ id, seriesId, isMarked }: BusyEvent): boolean {
  const isOurs = (eventId: string) => objectOf(eventId) !== undefined || isNoteId(eventId);
  return isMarked || isOurs(id) || isOurs(seriesId ?? '');
}

function takesTime(event: BusyEvent, rule: BusyRule): boolean {
  if (TELLS_NO_TIME.has(event.type)) return false;
  if (event.type === OUT_OF_OFFICE && !rule.outOfOffice) return false;
  if (event.isFree && !rule.free) return false;
  if (event.start.dateTime === undefined && !rule.allDay) return false;
  if (event.response === 'declined') return rule.declined;
  if (event.isInvitation && event.response === 'needsAction') return rule.unanswered;
  return rule.tentative || !(event.isTentative || event.response === 'tentative');
}

function isBooking({ ruled }: BusyEvent, bookings: BookingRules): boolean {
  return ruled !== undefined && bookings.some((when) => takesEvent(when, ruled));
}

/** In whole minutes, because appointments have no seconds. Undefined for an event without length or time. */
function spanOf({ start, end }: BusyEvent, zone: string): Span | undefined {
  const startMs = Math.floor(momentOf(start, zone) / MINUTE_MS) * MINUTE_MS;
  const endMs = Math.ceil(momentOf(end, zone) / MINUTE_MS) * MINUTE_MS;
  return startMs < endMs ? { startMs, endMs } : undefined;
}

function momentOf({ dateTime, date }: BusyMoment, zone: string): number {
  if (dateTime !== undefined) return Date.parse(dateTime);
  return date === undefined ? Number.NaN : readLocal(date, zone).toMillis();
}

/** How often each person gets a turn without a change; the worker may have missed a change to blocks on the platform. */
const LOOK_ANYHOW_MS = 60 * 60_000;

interface BlockPollParts extends ReadingParts {
  readonly rules: readonly BlockRule[];
  readonly directory: DirectorySource;
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
}

export class BlockPoll {
  readonly #parts: BlockPollParts;
  readonly #everybody: People;
  /** Resource to the time of its last forced turn. */
  readonly #lookedAtMs = new Map<string, number>();

  constructor(parts: BlockPollParts) {
    this.#parts = parts;
    this.#everybody = new People(parts.rules, parts.directory);
  }

  /**
   * One round for one entry. Rejects when Redis fails or the lease is lost. A calendar that cannot be read is logged and keeps its last
   * known busy times.
   */
  async round(rule: BlockRule, lease: Lease): Promise<void> {
    const { clock, memory } = this.#parts;
    const nowMs = clock.now();
    const { people, misnamed } = this.#everybody.current();
    await this.#tellMisnamed(rule, misnamed);
    const reading = new Reading(this.#parts);
    const approvedAtMs = await this.#approvedAtMs(rule, nowMs);
    for (const person of people.filter((each) => each.rule === rule)) {
      lease.signal.throwIfAborted();
      await this.#observe(person, { reading, nowMs, approvedAtMs, lease });
    }
    if (reading.unread.size === 0) await memory.set(blocksRead(rule.name), String(nowMs));
  }

  async #observe(
    person: Person,
    {
      reading,
      nowMs,
      approvedAtMs,
      lease,
    }: {
      readonly reading: Reading;
      readonly nowMs: number;
      readonly approvedAtMs: number;
      readonly lease: Lease;
    },
  ): Promise<void> {
    const { intake, view } = this.#parts;
    const key: EntityKey = { kind: 'block', id: person.resourceId };
    const known = (await view.peek(key))?.snapshot as SeenBusy | undefined;
    const calendars: SeenCalendar[] = [];
    for (const calendarId of person.calendarIds) {
      const name = calendarName(calendarId);
      const spans = await reading.busy(person, calendarId, nowMs);
      const before = known?.calendars.find((each) => each.name === name)?.busy ?? null;
      calendars.push({ name, busy: spans?.map(({ startMs, endMs }) => [startMs, endMs] as const) ?? before });
    }
    const seen_at = new Date(nowMs).toISOString();
    const snapshot: SeenBusy = { id: key.id, rule: person.rule.name, seen_at, calendars };
    const lookedAtMs = this.#lookedAtMs.get(key.id) ?? 0;
    const isLong = lookedAtMs < Math.max(nowMs - LOOK_ANYHOW_MS, approvedAtMs);
    const force = isLong || !canHaveBeen(lookedAtMs, nowMs);
    await intake.observe({
      ...{ key, source: 'calendar', occurredAtMs: nowMs, under: { name: lease.name, proof: lease.proof } },
      ...(force && { force }),
      seen: { as: 'snapshot', snapshot },
    });
    if (force) this.#lookedAtMs.set(key.id, nowMs);
  }

  /** When a person approved the entry's cancellations; 0 without a valid approval. An approval takes effect in the next round. */
  async #approvedAtMs({ name }: BlockRule, nowMs: number): Promise<number> {
    const until = await this.#parts.memory.get(blocksApproved(name));
    return holdsApproval(until, nowMs) ? Number(until) - APPROVED_FOR_MS : 0;
  }

  async #tellMisnamed(rule: BlockRule, misnamed: readonly Misnamed[]): Promise<void> {
    const { problems } = this.#parts;
    const target = `blocks:${rule.name}/names`;
    const own = misnamed.filter((each) => each.rule === rule.name);
    const [first] = own;
    if (first === undefined) return problems.clear(target);
    const message = `this entry of blocks has ${counted(own.length, 'name')} that cannot be used (${first.what}-${first.why})`;
    const advice = 'Run `slotbridge check --live`: it says which, and what to write instead.';
    await problems.raise({ target, code: 'blocks-misnamed', message, advice });
  }
}

interface LoopParts extends BlockPollParts {
  readonly leases: Leases;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
  readonly wakeAll: WakeAll;
  readonly log: Log;
}

/** Reads private calendars at the pace of their entries, one process at a time. */
export function blockPollLoop(parts: LoopParts): Part {
  const { rules, leases, isCurrent, wakeAll, log } = parts;
  const poll = new BlockPoll(parts);
  return {
    name: 'blocks',
    async run(signal) {
      await Promise.all(
        rules
          .filter(({ paused }) => !paused)
          .map((rule) =>
            repeat({ name: 'blocks', everyMs: rule.everyMs, signal, log, wakeAll }, async () => {
              if (!(await isCurrent())) return undefined;
              await leases.hold(`blocks:${rule.name}`, (lease) => poll.round(rule, lease), { until: signal });
              return undefined;
            }),
          ),
      );
    },
  };
}
