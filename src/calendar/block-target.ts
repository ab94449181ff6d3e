/**
 * One turn of one person: brings the blocks on the platform in line with the busy times that were seen. Level-based: reads what exists,
 * derives what should exist from snapshot and clock, and changes nothing when repeated.
 */

import {
  type BlockRule,
  type BookingRules,
  blockOrigin,
  blocksApproved,
  isBlockOrigin,
  type SeenBusy,
  type Span,
} from '../engine/block.ts';
import { type CarryParts, carry, endForOther, isLive } from '../engine/carry-write.ts';
import { holdsApproval } from '../engine/edit-guard.ts';
import { DeferredError, RetryableError } from '../engine/errors.ts';
import type { Action, Handler, WorkQueue } from '../engine/handler.ts';
import { isBookingRequest, requestOf, type Sender, type Subject } from '../engine/intent.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { Memory } from '../engine/memory.ts';
import {
  type Appointment,
  contentHash,
  type EntityKey,
  formatKey,
  originOf,
  resourcesOf,
  type Snapshot,
} from '../engine/object.ts';

import type { CalendarBookings, Verdict } from '../engine/outside-booking.ts';
import type { DirectorySource, PlatformWriter } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock } from '../engine/runtime.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import { type BlockPlan, guarded, planBlocks, type StandingBlock } from './block-plan.ts';
import {
  type BlockReport,
  blockWindow,
  People,
  type Person,
  type RefusedBlock,
  readReport,
  standingRefusals,
  wantedBlocks,
  writeReport,
} from './block-wanted.ts';

/** Most requests in one turn, and the delay of the next turn; others get their turn in between. */
const WRITES_PER_TURN = 20;
const NEXT_TURN_MS = 1_000;
const MINUTE_MS = 60_000;

/** Refusals about the requested time. Any other refusal would also meet the next block. */
const ABOUT_TIME = new Set([
  ...['slot-unavailable', 'outside-working-hours', 'starts-at-in-past', 'no-resources', 'moved-meanwhile'],
  ...['appointment-not-reschedulable', 'appointment-not-cancellable', 'not-found', 'conflict'],
]);

export interface BlockTargetParts extends CarryParts {
  readonly rules: readonly BlockRule[];
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
}

export function createBlockTarget(parts: BlockTargetParts): Handler {
  const everybody = new People(parts.rules, parts.directory);
  return {
    name: 'blocks',
    from: 'block',
    async reconcile(claim) {
      const { key, snapshot } = claim;
      const person = everybody.current().people.find(({ resourceId }) => resourceId === key.id);
      // A person who left the YAML keeps their blocks: an edit of the YAML cancels nothing.
      if (snapshot === undefined || person === undefined || person.rule.paused) return 'nothing';
      return bringInStep(parts, { person, claim }, snapshot as SeenBusy);
    },
  };
}

async function bringInStep(
  parts: BlockTargetParts,
  { person, claim }: { readonly person: Person; readonly claim: Sender },
  seen: SeenBusy,
): Promise<Action> {
  const nowMs = parts.clock.now();
  const within = blockWindow(person, nowMs);
  const { blocks: standing, taken } = await readStanding(parts.writer, person, within);
  const { blocks: wanted, tooShort } = wantedBlocks(person, { busy: busyIn(seen), taken, within });
  const { minMin, stepMin } = person.lengths;
  const all = planBlocks(wanted, standing, { nowMs, minMin, stepMin });
  const unread = seen.calendars.filter(({ busy }) => busy === null).length;
  const coming = standing.filter(({ endMs }) => endMs > nowMs).length;
  const isApproved = holdsApproval(await parts.memory.get(blocksApproved(person.rule.name)), nowMs);
  const { plan, held } = guarded(all, { isWhole: unread === 0, isApproved, standing: coming });
  await reportHeld(parts, person, unread === 0 ? held : 0);
  const known = await readReport(parts.memory, person.resourceId);
  const refused = standingRefusals(known, plan.books, nowMs);
  const books = plan.books.filter((span) => !refused.some(({ startMs }) => startMs === span.startMs));
  const work = new Work(parts, { person, claim });
  try {
    await work.perform({ ...plan, books });
  } finally {
    const report: BlockReport = {
      ...{ rule: person.rule.name, atMs: nowMs, held, unread, tooShort: tooShort.length },
      standing: plan.kept + work.moved + work.booked,
      refused: [...refused, ...work.refused],
    };
    await writeReport(parts.memory, person.resourceId, report);
  }
  const { booked, moved, cancelled } = work;
  // Only a successful booking or move, or a complete turn without refusals, proves that the entry works again.
  if (booked + moved > 0 || (work.isDone && refused.length + work.refused.length === 0))
    await parts.problems.clear(targetOf(person));
  if (booked + moved + cancelled + work.refused.length > 0) {
    const refusals = work.refused.map(({ code }) => code);
    parts.log.info(
      { resource: person.resourceId, booked, moved, cancelled, refusals, held },
      'blocks updated',
    );
  }
  if (!work.isDone) {
    throw new DeferredError('blocks-more-to-do', 'more blocks than one turn books', {
      target: 'platform',
      retryAfterMs: NEXT_TURN_MS,
    });
  }
  if (booked > 0) return 'created';
  return moved > 0 ? 'moved' : cancelled > 0 ? 'removed' : 'nothing';
}

/** Sends the requests of one plan in order, up to the limit of one turn. */
class Work {
  readonly #parts: BlockTargetParts;
  readonly #person: Person;
  readonly #claim: Sender;
  readonly refused: RefusedBlock[] = [];
  booked = 0;
  moved = 0;
  cancelled = 0;
  /** False when the rest of the plan waits for another turn. */
  isDone = true;
  #requests = 0;

  constructor(parts: BlockTargetParts, { person, claim }: { person: Person; claim: Sender }) {
    this.#parts = parts;
    this.#person = person;
    this.#claim = claim;
  }

  async perform({ cancels, moves, books }: BlockPlan): Promise<void> {
    for (const block of cancels) if (!(await this.#cancel(block))) return;
    for (const { block, to } of moves) if (!(await this.#move(block, to))) return;
    for (const span of books) if (!(await this.#book(span))) return;
  }

  async #cancel({ id, origin }: StandingBlock): Promise<boolean> {
    const code = await this.#send(origin, {
      op: 'cancel',
      wish: { op: 'cancel', appointmentId: id, notifyCustomer: false },
    });
    if (code === undefined) this.cancelled += 1;
    return this.#mayGoOn(code);
  }

  async #move(block: StandingBlock, to: Span): Promise<boolean> {
    const { resourceId } = this.#person;
    const [from, startsAt] = [block.startMs, to.startMs].map((ms) => new Date(ms).toISOString());
    const code = await this.#send(block.origin, {
      op: 'move',
      wish: {
        op: 'move',
        appointmentId: block.id,
        startsAt: startsAt ?? '',
        resourceId,
        notifyCustomer: false,
      },
      before: { startsAt: from ?? '', resourceId },
    });
    if (code === undefined) this.moved += 1;
    else if (code !== 'later') {
      this.#note(to, code);
      // The person is no longer busy at the block's old time. Any other refusal would meet the new booking, too, so the block stays.
      if (ABOUT_TIME.has(code)) return this.#cancel(block);
    }
    return this.#mayGoOn(code);
  }

  async #book(span: Span): Promise<boolean> {
    const { resourceId, branchId, serviceId, rule } = this.#person;
    const code = await this.#send(blockOrigin(resourceId, span.startMs), {
      op: 'book',
      wish: {
        ...{ op: 'book', serviceId, branchId, resourceId, notifyCustomer: false },
        startsAt: new Date(span.startMs).toISOString(),
        durationMin: (span.endMs - span.startMs) / MINUTE_MS,
        customer: { contactId: rule.contactId, create: false },
      },
      customer: { contact_id: rule.contactId },
    });
    if (code === undefined) this.booked += 1;
    else if (code !== 'later') this.#note(span, code);
    return this.#mayGoOn(code);
  }

  /** Returns the refusal's code, `later` when the plan must be made again, or undefined on success. */
  async #send(origin: string, subject: Subject): Promise<string | undefined> {
    if (this.#requests >= WRITES_PER_TURN) {
      this.isDone = false;
      return 'later';
    }
    this.#requests += 1;
    const sent = await send(this.#parts, { origin, claim: this.#claim }, subject);
    if (sent.isOther) {
      this.isDone = false;
      return 'later';
    }
    return sent.outcome === 'refused' ? sent.refusal.code : undefined;
  }

  #note(span: Span, code: string): void {
    this.refused.push({ ...span, code, atMs: this.#parts.clock.now() });
  }

  async #mayGoOn(code: string | undefined): Promise<boolean> {
    if (code === undefined || ABOUT_TIME.has(code)) return true;
    if (code === 'later') return false;
    const message = `the platform refuses every block of this entry (${code})`;
    const advice =
      'Run `slotbridge check --live`: it says what is wrong with the service, the contact or the people of the entry.';
    await this.#parts.problems.raise({
      target: targetOf(this.#person),
      code: 'blocks-refused',
      message,
      advice,
    });
    return false;
  }
}

/** Many simultaneous cancellations suggest an emptied calendar, so a person looks first. */
async function reportHeld({ problems }: BlockTargetParts, person: Person, held: number): Promise<void> {
  const target = `blocks:${person.rule.name}/${person.resourceId}`;
  if (held === 0) return problems.clear(target);
  const message = `${held} blocks of one person would be cancelled at once, and wait`;
  const advice = `See whether the events are gone on purpose. If they are: slotbridge approve blocks ${person.rule.name}`;
  await problems.raise({ target, code: 'blocks-mass-cancel', message, advice });
}

function targetOf({ rule }: Person): string {
  return `blocks:${rule.name}`;
}

/** A calendar that was never read counts as empty here; `guarded` then holds the cancellations back. */
function busyIn({ calendars }: SeenBusy): readonly Span[] {
  return calendars.flatMap(({ busy }) => (busy ?? []).map(([startMs, endMs]) => ({ startMs, endMs })));
}

/** Returns the rules by which people book in a given calendar. */
export function bookingsIn(bookings: readonly CalendarBookings[]): (calendarId: string) => BookingRules {
  return (calendarId) =>
    bookings
      .filter(({ calendars }) => calendars.some((each) => isSameCalendar(each.calendarId, calendarId)))
      .map(({ when }) => when);
}

function isSameCalendar(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** Offers no free times after a refusal, because no person waits for suggestions about a block. */
export function blockWriter(writer: PlatformWriter): PlatformWriter {
  return {
    ...writer,
    slots: async () => ({
      ...{ projectId: '', bookingMode: '', zone: 'UTC' },
      ...{ slots: [], windows: [], hasMore: false },
    }),
  };
}

/**
 * Marks a person's blocks dirty whenever one of their appointments changes. A cancellation, for example, frees time that must be blocked.
 */

export function createBlockWaker(parts: {
  readonly rules: readonly BlockRule[];
  readonly directory: DirectorySource;
  readonly view: Pick<Ledger, 'peek'>;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: WorkQueue;
  readonly clock: Clock;
}): Handler {
  const everybody = new People(parts.rules, parts.directory);
  return {
    name: 'blocks-bell',
    from: 'appointment',
    async reconcile({ snapshot }) {
      if (snapshot === undefined) return 'nothing';
      const isBlock = isBlockOrigin(originOf(snapshot));
      const { people } = everybody.current();
      const concerned = people
        .filter(({ rule }) => !rule.paused)
        .map(({ resourceId }): EntityKey => ({ kind: 'block', id: resourceId }))
        .filter(({ id }) => mayBeOf(snapshot, id));
      const seen = await Promise.all(concerned.map((key) => parts.view.peek(key)));
      const nowMs = parts.clock.now();
      const keys = concerned.filter((_, at) => {
        const busy = seen[at]?.snapshot as SeenBusy | undefined;
        return busy !== undefined && (isBlock || hasAnyAfter(busy, nowMs));
      });
      if (keys.length === 0) return 'nothing';
      await parts.dirtyMarks.markDirty(keys, { read: false });
      parts.queue.add(keys.map(formatKey));
      return 'nothing';
    },
  };
}

/** A cancelled appointment may no longer name a resource, so it may have been this person's. The fields of an event are unchecked. */
function mayBeOf({ resource_id: main, resource_ids: all, status }: Snapshot, resourceId: string): boolean {
  if (status === 'cancelled' && typeof main !== 'string') return true;
  return main === resourceId || (Array.isArray(all) && all.includes(resourceId));
}

function hasAnyAfter({ calendars }: SeenBusy, atMs: number): boolean {
  return calendars.some(({ busy }) => (busy ?? []).some(([, endMs]) => endMs > atMs));
}

/** Reads what one person has on the platform now: blocks, and time taken by other appointments. */

/** Most pages that a turn reads of one person's appointments, a hundred per page. */
const PAGES_MAX = 30;
/** Most pages that a command reads of everyone's appointments, while its caller waits. */
export const ALL_PAGES_MAX = 2_000;
/**
 * How far before the window a list starts; the platform filters by start, and an appointment from the day before may reach into the window.
 */
export const BEGUN_BEFORE_MS = 24 * 3_600_000;

/** Statuses in which an appointment can be moved and cancelled (platform API, Appointment states). */
export const OPEN_STATUSES = new Set(['pending', 'confirmed']);

interface StandingTime {
  readonly blocks: readonly StandingBlock[];
  readonly taken: readonly Span[];
}

/** Rejects unless the whole list was read, because the plan would book missing blocks again. */
async function readStanding(
  writer: Pick<PlatformWriter, 'list'>,
  person: Person,
  within: Span,
): Promise<StandingTime> {
  const filters = {
    resource_id: person.resourceId,
    'starts_at[gte]': new Date(within.startMs - BEGUN_BEFORE_MS).toISOString(),
    'starts_at[lt]': new Date(within.endMs).toISOString(),
  };
  const all: Appointment[] = [];
  for await (const each of everyAppointment(writer, filters)) all.push(each);
  return standingAmong(all, person);
}

/** Sorts the person's appointments into blocks and taken time. */
export function standingAmong(appointments: readonly Appointment[], person: Person): StandingTime {
  const blocks: StandingBlock[] = [];
  const taken: Span[] = [];
  for (const each of appointments) {
    if (!resourcesOf(each).includes(person.resourceId)) continue;
    const span = { startMs: Date.parse(each.starts_at), endMs: Date.parse(each.ends_at) };
    const origin = blockOf(each, { contactId: person.rule.contactId, serviceId: person.serviceId });
    if (origin === undefined) taken.push(span);
    else blocks.push({ ...span, id: each.id, origin });
  }
  return { blocks, taken };
}

/** Yields every appointment of one list. Throws `RetryableError` when the list has more than `pagesMax` pages. */
export async function* everyAppointment(
  writer: Pick<PlatformWriter, 'list'>,
  filters: Readonly<Record<string, string>>,
  pagesMax = PAGES_MAX,
): AsyncGenerator<Appointment> {
  let after: string | undefined;
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await writer.list(filters, after);
    yield* page.data;
    after = page.data.at(-1)?.id;
    if (!page.hasMore || after === undefined) return;
  }
  throw new RetryableError(
    'blocks-list-too-long',
    'the platform lists more appointments than blocks can be among',
    {
      target: 'platform',
      advice: 'Shorten the horizon of the entry of blocks.',
    },
  );
}

/**
 * The origin of a block that may be touched: house contact, service and mark agree, and the appointment is open. Undefined for every other
 * appointment.
 */
export function blockOf(
  appointment: Appointment,
  { contactId, serviceId }: { readonly contactId: string; readonly serviceId: string },
): string | undefined {
  const origin = originOf(appointment);
  const isProven =
    isBlockOrigin(origin) &&
    appointment['contact_id'] === contactId &&
    appointment.service_id === serviceId &&
    OPEN_STATUSES.has(appointment.status);
  return isProven ? origin : undefined;
}

/**
 * Sends one step of a plan to the platform. A new request leaves without a lookup, because the plan was made from a current list. Each
 * request is stored before it leaves. A request that is still open ends first: it is sent again only if the plan still wants it. If its
 * answer was lost, the submitter finds it among the contact's appointments.
 */

/** `isOther`: the call returned the end of an earlier request of this origin instead, so the plan may be out of date. */
type Sent = Verdict & { readonly isOther: boolean };

export async function send(
  parts: CarryParts,
  { origin, claim }: { readonly origin: string; readonly claim?: Sender },
  subject: Subject,
): Promise<Sent> {
  const record = await parts.intents.read(origin);
  const open = record?.open;
  if (open !== undefined && isBookingRequest(open)) {
    if (contentHash(open.wish) === contentHash(subject.wish)) {
      const sent = await carry(parts, { origin, request: open, isFresh: false, claim });
      // The block was booked long ago, without an answer, and somebody has cancelled it since. It is wanted again.
      const isOver = open.op === 'book' && sent.outcome === 'done' && !isLive(sent.appointment);
      return { ...sent, isOther: isOver };
    }
    const ended = await endForOther(parts, { origin, request: open });
    if (ended) return { ...ended, isOther: true };
  }
  const seed = await parts.intents.seed();
  const facts = { origin, generation: (record?.generation ?? 0) + 1, nowMs: parts.clock.now(), seed };
  const request = requestOf(subject, facts);
  const begun = await parts.intents.begin(origin, request, claim);
  if (begun.outcome !== 'begun') {
    throw new RetryableError('intent-contended', 'several handlers book for one origin at once', {
      target: 'platform',
    });
  }
  return { ...(await carry(parts, { origin, request, isFresh: true, claim })), isOther: false };
}
