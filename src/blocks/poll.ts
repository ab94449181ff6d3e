/**
 * Reads the calendars of an entry and observes when its people are busy. In: events. Out: one observation per person, with times alone; it
 * gives a turn when the times differ from what is known. A calendar that cannot be read keeps its last known times.
 */
import { createHash } from 'node:crypto';
import {
  type BlockRule,
  type BookingRules,
  type BusyEvent,
  blocksApproved,
  type SeenBusy,
  type SeenCalendar,
  type Span,
} from '../domain/block.ts';
import type { EntityKey } from '../domain/entity.ts';
import { WorkerError } from '../domain/errors.ts';
import type { BusyCalendars } from '../ports/blocks.ts';
import type { Intake } from '../ports/intake.ts';
import type { Lease } from '../ports/leases.ts';
import type { Memory } from '../ports/memory.ts';
import type { ProblemBoard } from '../ports/operator.ts';
import type { DirectorySource } from '../ports/platform.ts';
import type { Clock, Log } from '../ports/runtime.ts';
import type { ObjectView } from '../ports/work.ts';
import { dayEnd, dayStart } from './hours.ts';
import { type Misnamed, People, type Person } from './people.ts';
import { blocksRead } from './read-until.ts';
import { busySpans } from './select.ts';
import { common } from './spans.ts';

/** Everybody has a turn so often although nothing has changed: the platform is where blocks may have gone unheard. */
const LOOK_ANYHOW_MS = 60 * 60_000;
/** How long an approval lasts. */
const APPROVED_FOR_MS = 60 * 60_000;
const NAME_CHARS = 16;

export interface BlockPollParts {
  readonly rules: readonly BlockRule[];
  readonly calendars: BusyCalendars;
  /** The rules by which people book in a calendar: such events are no private ones. */
  readonly bookingsIn: (calendarId: string) => BookingRules;
  readonly directory: DirectorySource;
  readonly intake: Pick<Intake, 'observe'>;
  readonly view: Pick<ObjectView, 'peek'>;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  readonly clock: Clock;
  readonly log: Log;
}

export class BlockPoll {
  readonly #parts: BlockPollParts;
  readonly #everybody: People;
  /** By resource: when it had its last turn for nothing. */
  readonly #lookedAtMs = new Map<string, number>();

  constructor(parts: BlockPollParts) {
    this.#parts = parts;
    this.#everybody = new People(parts.rules, parts.directory);
  }

  /** One round of one entry. Rejects when the store or the lease is lost; calendars that cannot be read are told of and left out. */
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
    if (reading.isWhole) await memory.set(blocksRead(rule.name), String(nowMs));
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
    const force = (this.#lookedAtMs.get(key.id) ?? 0) < Math.max(nowMs - LOOK_ANYHOW_MS, approvedAtMs);
    await intake.observe({
      ...{ key, source: 'calendar', occurredAtMs: nowMs, under: { name: lease.name, proof: lease.proof } },
      ...(force && { force }),
      seen: { as: 'snapshot', snapshot },
    });
    if (force) this.#lookedAtMs.set(key.id, nowMs);
  }

  /** What a person has let happen happens at the next round. */
  async #approvedAtMs({ name }: BlockRule, nowMs: number): Promise<number> {
    const untilMs = Number(await this.#parts.memory.get(blocksApproved(name)));
    return untilMs > nowMs ? untilMs - APPROVED_FOR_MS : 0;
  }

  async #tellMisnamed(rule: BlockRule, misnamed: readonly Misnamed[]): Promise<void> {
    const { problems } = this.#parts;
    const target = `blocks:${rule.name}/names`;
    const own = misnamed.filter((each) => each.rule === rule.name);
    const [first] = own;
    if (first === undefined) return problems.clear(target);
    const message = `${own.length} names of this entry of blocks cannot be used (${first.what}-${first.why})`;
    const advice = 'Run `slotbridge check --live`: it says which, and what to write instead.';
    await problems.raise({ target, code: 'blocks-misnamed', message, advice });
  }
}

/** The calendars of one round, each read once, however many people have it. */
class Reading {
  readonly #parts: BlockPollParts;
  readonly #events = new Map<string, Promise<readonly BusyEvent[] | undefined>>();
  isWhole = true;

  constructor(parts: BlockPollParts) {
    this.#parts = parts;
  }

  /** Undefined when the calendar cannot be read now. */
  async busy(person: Person, calendarId: string, nowMs: number): Promise<readonly Span[] | undefined> {
    const { rule, zone } = person;
    const window = { startMs: dayStart(nowMs, zone), endMs: dayEnd(nowMs + rule.horizonMs, zone) };
    const bookings = this.#parts.bookingsIn(calendarId);
    const key = `${calendarId.toLowerCase()} ${window.startMs} ${window.endMs}`;
    const events = this.#events.get(key) ?? this.#read(calendarId, window, { ruled: bookings.length > 0 });
    this.#events.set(key, events);
    const found = await events;
    if (found === undefined) this.isWhole = false;
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
      this.#parts.log.warn({ calendar: calendarName(calendarId), code, family }, 'private calendar not read');
      return undefined;
    }
  }
}

/** Addresses are nobody's business in state and logs, and case means nothing in them. */
function calendarName(calendarId: string): string {
  return createHash('sha256').update(calendarId.toLowerCase()).digest('hex').slice(0, NAME_CHARS);
}
