import type { CalendarEvents } from './calendar-events.ts';
import { counted } from './counts.ts';
import { TerminalError } from './errors.ts';
import type { WorkQueue } from './handler.ts';
import type { Ledger } from './ledger.ts';
import type { Memory, Tally } from './memory.ts';
import { canHaveBeen, distanceMs } from './moments.ts';
import { contentHash, parseKey, readFact } from './object.ts';
import { isHeldBooking } from './outside-booking.ts';
import type { ProblemBoard } from './problem-board.ts';
import type { Clock } from './runtime.ts';
import type { DirtyMarks } from './sweep.ts';
import type { Claim } from './work.ts';

/** Deletions in one calendar that pass without a question. */
const DELETIONS_MAX = 5;
/** Share of a calendar's upcoming events that may be deleted together: more is rarely meant. */
const DELETED_SHARE_MAX = 0.25;
const DELETIONS_WINDOW_MS = 60 * 60_000;
/** How long an undecided deletion counts: deletions that wait for a person must not pass by waiting. */
const OPEN_DELETIONS_WINDOW_MS = 35 * 24 * 3_600_000;
/** How often people's changes of one appointment may be carried or put back: more looks like two programs that undo each other. */
const EDITS_MAX = 10;
const EDITS_WINDOW_MS = 10 * 60_000;
/** Customers who may be mailed about staff edits. */
const MAILS_MAX = 20;
const MAILS_WINDOW_MS = 10 * 60_000;
/** Appointments that one address may book by invitations. */
const INVITED_MAX = 10;
const INVITED_WINDOW_MS = 60 * 60_000;

/**
 * Names in the memory. The value says until when a person approved the deletions of a calendar, or the mails; epoch milliseconds as text.
 */
const APPROVED_DELETIONS = 'approved-deletions:';
const APPROVED_MAILS = 'approved-mails';

/** Name of the tally of what people did to an object. */
export function editTally(key: string): string {
  return `edited:${key}`;
}

export interface GuardParts {
  readonly tally: Tally;
  readonly memory: Memory;
  readonly events: Pick<CalendarEvents, 'upcoming'>;
  readonly clock: Clock;
}

/** Stops what no single decision can see: an emptied calendar, two programs that undo each other, a storm of mails. */
export class EditGuard {
  readonly #parts: GuardParts;

  constructor(parts: GuardParts) {
    this.#parts = parts;
  }

  /** Counts every deletion when it is first seen, so that one at the end of its grace sees all others. */
  async deletionSeen(calendarId: string, key: string): Promise<number> {
    return this.#parts.tally.count(`deleted:${calendarId}`, key, DELETIONS_WINDOW_MS);
  }

  /** Also counts a deletion that waits for the end of its grace: however late that is, it counts with the others that wait. */
  async deletionWaits(calendarId: string, key: string): Promise<number> {
    const recent = await this.deletionSeen(calendarId, key);
    const open = await this.#parts.tally.count(`deleting:${calendarId}`, key, OPEN_DELETIONS_WINDOW_MS);
    return Math.max(recent, open);
  }

  async deletionUndone(calendarId: string, key: string): Promise<void> {
    await this.#parts.tally.forget(`deleted:${calendarId}`, key);
    await this.deletionDecided(calendarId, key);
  }

  /** The deletion no longer waits. */
  async deletionDecided(calendarId: string, key: string): Promise<void> {
    await this.#parts.tally.forget(`deleting:${calendarId}`, key);
  }

  /** A tick that cancels nothing, or no longer, does not count among those that would cancel much at once. */
  async tickEnded(
    place: string,
    key: string,
    { isCancelled }: { readonly isCancelled: boolean },
  ): Promise<void> {
    if (isCancelled) await this.deletionDecided(place, key);
    else await this.deletionUndone(place, key);
  }

  /** Rejects with `TerminalError` `mass-deletion` (case 50: a calendar emptied by mistake, or by the wrong account). */
  async assertNoMassDeletion(calendarId: string, key: string): Promise<void> {
    const upcoming = () => this.#parts.events.upcoming(calendarId, this.#parts.clock.now());
    if (await this.#isFewOrApproved(calendarId, { key, upcoming })) return;
    throw new TerminalError(
      'mass-deletion',
      'many events were deleted in one calendar: nothing was cancelled',
      {
        target: `calendar:${calendarId}`,
        advice: `Ask whoever keeps the calendar. If the appointments are to be cancelled, run \`slotbridge approve deletions ${calendarId}\` and retry the dead letters; otherwise set staff_edits.deleted to restore.`,
      },
    );
  }

  /** The same for ticks in the tab of a mirror or entry. `upcoming`: number of its rows that are still to come. */
  async assertNoMassTicking(mirror: string, key: string, upcoming: () => Promise<number>): Promise<void> {
    if (await this.#isFewOrApproved(mirror, { key, upcoming })) return;
    throw new TerminalError('mass-deletion', 'many rows of one tab were ticked: nothing was cancelled', {
      target: `tab:${mirror}`,
      advice: `Ask the office. If the appointments are to be cancelled, run \`slotbridge approve deletions ${mirror}\` and retry the dead letters; otherwise have the ticks taken out.`,
    });
  }

  /**
   * `mark` identifies one change, not its content: reported twice it counts once, there and back are two. Where changes are seen only every
   * `paceMs`, the window is longer. Rejects with `TerminalError` `edit-loop`.
   */
  async assertNoLoop(key: string, mark: string, paceMs = 0): Promise<void> {
    const windowMs = Math.max(EDITS_WINDOW_MS, 2 * EDITS_MAX * paceMs);
    if ((await this.#parts.tally.count(editTally(key), mark, windowMs)) <= EDITS_MAX) return;
    throw new TerminalError('edit-loop', 'the event or row of this appointment is changed again and again', {
      advice: 'See which other program writes to the calendar or the sheet, stop one of the two, then retry.',
    });
  }

  /** False: this organizer has booked enough by invitations in this hour. Each booking counts once. */
  async mayBeBooked(organizer: string, key: string): Promise<boolean> {
    const { tally } = this.#parts;
    // Hashed, because an address does not belong in the name of a key.
    const name = `invited:${contentHash(organizer.toLowerCase())}`;
    return tally.admit(name, key, { max: INVITED_MAX, windowMs: INVITED_WINDOW_MS });
  }

  /** Rejects with `TerminalError` `mail-storm`. */
  async assertMayMail(key: string, mark: string): Promise<void> {
    const mails = await this.#parts.tally.count('mailed', `${key} ${mark}`, MAILS_WINDOW_MS);
    if (mails <= MAILS_MAX || (await this.#isApproved(APPROVED_MAILS))) return;
    throw new TerminalError(
      'mail-storm',
      'staff changed more appointments at once than customers may be mailed about',
      {
        target: 'platform',
        advice:
          'See whether the changes are meant. If so, run `slotbridge approve mails` and retry the dead letters.',
      },
    );
  }

  async #isFewOrApproved(
    place: string,
    { key, upcoming }: { readonly key: string; readonly upcoming: () => Promise<number> },
  ): Promise<boolean> {
    const deletions = await this.deletionWaits(place, key);
    const isFew =
      deletions <= DELETIONS_MAX ||
      (await this.#isApproved(APPROVED_DELETIONS + place, key)) ||
      deletions <= (deletions + (await upcoming())) * DELETED_SHARE_MAX;
    if (isFew) await this.deletionDecided(place, key);
    return isFew;
  }

  async #isApproved(name: string, key?: string): Promise<boolean> {
    return holdsApproval(await this.#parts.memory.get(name), this.#parts.clock.now(), key);
  }
}

// Holds back what people type into sheets in bulk. The facts in the memory say what waits and what a person decided. Each fact is written
// before its row says that it waits, and removed after the outcome is stored. So a death in between repeats a step and loses nothing.

// What the worker or a command stopped as too much at once. The memory keeps it until a person has looked.

/** `parked-deletions`: how many contacts a complete walk did not return, without those that a person has approved. */
export interface ParkedContacts {
  readonly walk: { readonly id: string; readonly startedAtMs: number };
  readonly missed: number;
  readonly known: number;
}

/** `parked-orphans:<place>`: what `audit --fix` or `apply` would have removed there. */
export interface ParkedOrphans {
  readonly count: number;
  readonly atMs: number;
  /** Keys of the objects. Earlier versions stored none. */
  readonly members?: readonly string[];
}

/** How long an approval is valid. Only its end is stored; the moment of the approval is computed from it. */
export const APPROVED_FOR_MS = 3_600_000;

export const PARKED = 'parked-';
export const PARKED_CONTACTS = `${PARKED}deletions`;
/** The first of these contacts as `formatKey`, a JSON list: an approval covers only what it lists. A list of its own, so that an erasure takes one out. */
export const PARKED_MISSED = `${PARKED}missed`;
/** Present while contacts are parked: the platform deleted too many at once. */
export const PARKED_ERASURES = `${PARKED}erasures`;
/** Prefix; the contact follows as `formatKey`. The value is a `ParkedErasure`. */
export const PARKED_ERASURE = `${PARKED}erasure:`;
/**
 * Name of the approval of erasures. Earlier versions stored a moment here, epoch ms as text: contacts parked until then are approved. If
 * the clock was set back, that included later contacts. So now each contact that a person has seen is marked individually.
 */
export const APPROVED_ERASURES = 'approved-erasures';

/** `parked-erasure:<contact>`: a contact whose erasure waits for a person. */
export interface ParkedErasure {
  /** When it was parked, epoch ms. */
  readonly atMs: number;
  readonly isApproved: boolean;
}

/** `approvedUntil`: what an earlier version stored under `APPROVED_ERASURES`; it counts only for contacts that this version parked. */
export function readParkedErasure(text: string, approvedUntil: string | undefined): ParkedErasure {
  const stored = JSON.parse(text) as ParkedErasure | number;
  if (typeof stored !== 'number') return stored;
  return { atMs: stored, isApproved: stored <= Number(approvedUntil ?? 0) };
}

export function parkedOrphans(place: string): string {
  return `${PARKED}orphans:${place}`;
}

/** An approval as stored: when it ends, epoch ms as text; behind it, the members that a person has seen, as JSON. */
export function writeApproval(untilMs: number, members?: readonly string[]): string {
  return members === undefined ? String(untilMs) : `${untilMs} ${JSON.stringify(members)}`;
}

/** `members` is absent where the whole place is approved, as by earlier versions. */
export function readApproval(text = '0'): {
  readonly untilMs: number;
  readonly members?: readonly string[];
} {
  const at = text.indexOf(' ');
  if (at < 0) return { untilMs: Number(text) };
  return { untilMs: Number(text.slice(0, at)), members: JSON.parse(text.slice(at + 1)) as readonly string[] };
}

/**
 * Whether an approval for an hour is still valid, and for this member; `approval` as stored. If its hour is in the future, the clock has
 * been set back since. Then the approval is invalid: it would last longer by as much as that clock was ahead.
 */
export function holdsApproval(approval: string | undefined, nowMs: number, member?: string): boolean {
  const { untilMs, members } = readApproval(approval);
  if (member !== undefined && members?.includes(member) === false) return false;
  return nowMs < untilMs && canHaveBeen(untilMs - APPROVED_FOR_MS, nowMs);
}

/** What people typed in bulk and a person must see first: edits of a mirror's rows, or new rows of a booking sheet. */
export type HeldKind = 'edits' | 'bookings';

/** An object whose edits, or whose booking, wait for a person. `place`: name of the mirror or entry. `key`: by `formatKey`. */
export interface HeldObject {
  readonly kind: HeldKind;
  readonly place: string;
  readonly key: string;
}

/** `parked-edits:<mirror> <object>`, `parked-bookings:<entry> <object>`. */
export interface ParkedRow {
  /** When it was parked, epoch ms. */
  readonly atMs: number;
  /** Hash of what people typed: a verdict is about nothing else. */
  readonly of: string;
  /** Absent: it waits. */
  readonly verdict?: 'approved' | 'declined';
}

/** May be present without parked rows, never absent with one: so that nobody has to look through all facts. */
export const PARKED_ROWS = `${PARKED}rows`;

export function parkedRow({ kind, place, key }: HeldObject): string {
  return `${PARKED}${kind}:${place} ${key}`;
}

/** The object that the name of a fact stands for; undefined for all other facts. */
export function heldObject(fact: string): HeldObject | undefined {
  const [, kind, place, key] = /^parked-(edits|bookings):(.*) ([^ ]+)$/s.exec(fact) ?? [];
  if (place === undefined || key === undefined) return undefined;
  return { kind: kind === 'edits' ? 'edits' : 'bookings', place, key };
}

export interface HeldWish {
  /** Hash of what people typed. */
  readonly of: string;
  /** The object's own record says that it is held. */
  readonly isHeld: boolean;
  /** Objects of this place that may pass within an hour without a person; 0: this one may not. */
  readonly perHour: number;
}

/** `isParked`: there is a fact to `release` once the outcome is stored. */
export interface HoldVerdict {
  readonly verdict: 'pass' | 'wait' | 'declined';
  readonly isParked: boolean;
}

export interface HeldRowsParts {
  readonly memory: Pick<Memory, 'get' | 'set' | 'forget' | 'all'>;
  readonly tally: Pick<Tally, 'admit' | 'forget'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list'>;
  readonly view: Pick<Ledger, 'peek'>;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: Pick<WorkQueue, 'add'>;
  readonly clock: Clock;
}

/** Window of `edits_per_hour` and `rows_per_hour`. */
const WINDOW_MS = 3_600_000;
/** Pause before a decided object gets another turn: the first one usually ends within seconds. */
const TURN_AGAIN_MS = 60_000;

const CODES = { edits: 'mass-edit', bookings: 'mass-booking' } as const;

interface Parked extends HeldObject {
  readonly fact: string;
  readonly row: ParkedRow;
}

/** Holds back what people type in bulk, until a person has approved or declined it. */
export class HeldRows {
  readonly #parts: HeldRowsParts;
  /** Fact to the moment of its object's last turn, epoch ms. */
  readonly #turned = new Map<string, number>();

  constructor(parts: HeldRowsParts) {
    this.#parts = parts;
  }

  /** Counts an object once an hour, however often it is judged. What waits is never released by waiting alone. */
  async judge(object: HeldObject, { of, isHeld, perHour }: HeldWish): Promise<HoldVerdict> {
    const { memory, tally } = this.#parts;
    const fact = parkedRow(object);
    const known = await readFact<ParkedRow>(memory, fact);
    // A verdict that a death left behind is about earlier text: the next text is counted like any other.
    const isOver = known?.verdict !== undefined && !isHeld;
    if (known !== undefined && !isOver) {
      if (known.of !== of) await this.#park(fact, of);
      else if (known.verdict === 'approved') return { verdict: 'pass', isParked: true };
      else if (known.verdict === 'declined') return { verdict: 'declined', isParked: true };
      // Also for a fact that stands: a death may have come between the two.
      await memory.set(PARKED_ROWS, '1');
      return { verdict: 'wait', isParked: true };
    }
    const mayPass = !isHeld && perHour > 0;
    if (mayPass && (await tally.admit(tallyOf(object), object.key, { max: perHour, windowMs: WINDOW_MS })))
      return { verdict: 'pass', isParked: isOver };
    await this.#park(fact, of);
    await memory.set(PARKED_ROWS, '1');
    return { verdict: 'wait', isParked: true };
  }

  /** It waits no longer, and what became of it is stored. */
  async release(object: HeldObject): Promise<void> {
    await this.#parts.memory.forget(parkedRow(object));
  }

  /** Nothing new was made of it, so it does not count. */
  async discount(object: HeldObject): Promise<void> {
    await this.#parts.tally.forget(tallyOf(object), object.key);
  }

  /** Gives decided objects their turn, and keeps the problems true, also after a restart. One request while nothing is parked. */
  async look(): Promise<void> {
    const { memory } = this.#parts;
    if ((await memory.get(PARKED_ROWS)) === undefined) return;
    // First: a row parked from here on sets it again.
    await memory.forget(PARKED_ROWS);
    const parked = [...(await memory.all(PARKED))].flatMap(([rest, text]): readonly Parked[] => {
      const fact = `${PARKED}${rest}`;
      const object = heldObject(fact);
      return object === undefined ? [] : [{ ...object, fact, row: JSON.parse(text) as ParkedRow }];
    });
    if (parked.length > 0) await memory.set(PARKED_ROWS, '1');
    await this.#giveTurns(parked.filter(({ row }) => row.verdict !== undefined));
    await this.#report(parked.filter(({ row }) => row.verdict === undefined));
  }

  async #park(fact: string, of: string): Promise<void> {
    const { memory, clock } = this.#parts;
    await memory.set(fact, JSON.stringify({ atMs: clock.now(), of } satisfies ParkedRow));
  }

  async #giveTurns(decided: readonly Parked[]): Promise<void> {
    const { memory, view, dirtyMarks, queue, clock } = this.#parts;
    const nowMs = clock.now();
    for (const fact of this.#turned.keys())
      if (!decided.some((each) => each.fact === fact)) this.#turned.delete(fact);
    for (const { fact, ...object } of decided) {
      const key = parseKey(object.key);
      const turnedMs = this.#turned.get(fact);
      if (turnedMs !== undefined && distanceMs(turnedMs, nowMs) < TURN_AGAIN_MS) continue;
      this.#turned.set(fact, nowMs);
      const claim = key === undefined ? undefined : await view.peek(key);
      // Its outcome is stored already, or it was erased, deleted or taken back.
      if (claim === undefined || !isHeldIn(claim, object)) await memory.forget(fact);
      else {
        await dirtyMarks.markDirty([claim.key], { read: false });
        queue.add([object.key]);
      }
    }
  }

  async #report(waiting: readonly Parked[]): Promise<void> {
    const { problems } = this.#parts;
    const counts = new Map<string, Parked & { readonly count: number }>();
    for (const each of waiting) {
      const target = `${each.kind}:${each.place}`;
      counts.set(target, { ...each, count: (counts.get(target)?.count ?? 0) + 1 });
    }
    for (const [target, { kind, place, count }] of counts) {
      const what = kind === 'edits' ? `edits of ${counted(count, 'row')}` : counted(count, 'new row');
      await problems.raise({
        ...{ target, code: CODES[kind] },
        message: `more than usual came at once: ${what} held back, and nothing of that is on the platform`,
        advice: `Ask the office. Then ${kind === 'edits' ? adviceOnEdits(place) : adviceOnBookings(place)}.`,
      });
    }
    const codes: readonly string[] = Object.values(CODES);
    for (const { target, code } of await problems.list())
      if (codes.includes(code) && !counts.has(target)) await problems.clear(target);
  }
}

function tallyOf({ kind, place }: HeldObject): string {
  return `typed-${kind}:${place}`;
}

function adviceOnEdits(mirror: string): string {
  return `run \`slotbridge approve edits ${mirror}\` or \`slotbridge decline edits ${mirror}\``;
}

function adviceOnBookings(entry: string): string {
  return `run \`slotbridge approve bookings ${entry}\` or \`slotbridge decline bookings ${entry}\``;
}

/** Whether the object's own record says that it waits. */
function isHeldIn(
  { rowNotes = {}, links }: Claim,
  { kind, place }: Pick<HeldObject, 'kind' | 'place'>,
): boolean {
  if (kind === 'edits') return rowNotes[place]?.held !== undefined;
  const record = links[place]?.booking;
  return record !== undefined && isHeldBooking(record);
}
