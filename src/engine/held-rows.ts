// Holds back what people type into sheets in bulk. The facts in the memory say what waits and what a person decided. Each fact is written
// before its row says that it waits, and removed after the outcome is stored. So a death in between repeats a step and loses nothing.

import { distanceMs } from './domain/moments.ts';
import { parseKey } from './domain/object.ts';
import { isHeldBooking } from './domain/outside-booking.ts';
import {
  type HeldObject,
  heldObject,
  PARKED,
  PARKED_ROWS,
  type ParkedRow,
  parkedRow,
} from './domain/parked.ts';
import type { Claim } from './domain/work.ts';
import type { HeldWish, HoldVerdict, RowHolds } from './ports/held-rows.ts';
import type { Memory } from './ports/memory.ts';
import type { ProblemBoard, Tally } from './ports/operator.ts';
import type { Clock } from './ports/runtime.ts';
import type { DirtyMarks, ObjectView, WorkQueue } from './ports/work.ts';

export interface HeldRowsParts {
  readonly memory: Pick<Memory, 'get' | 'set' | 'forget' | 'all'>;
  readonly tally: Pick<Tally, 'admit' | 'forget'>;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear' | 'list'>;
  readonly view: Pick<ObjectView, 'peek'>;
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

export class HeldRows implements RowHolds {
  readonly #parts: HeldRowsParts;
  /** Fact to the moment of its object's last turn, epoch ms. */
  readonly #turned = new Map<string, number>();

  constructor(parts: HeldRowsParts) {
    this.#parts = parts;
  }

  async judge(object: HeldObject, { of, isHeld, perHour }: HeldWish): Promise<HoldVerdict> {
    const { memory, tally } = this.#parts;
    const fact = parkedRow(object);
    const text = await memory.get(fact);
    const known = text === undefined ? undefined : (JSON.parse(text) as ParkedRow);
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

  async release(object: HeldObject): Promise<void> {
    await this.#parts.memory.forget(parkedRow(object));
  }

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
      const what = kind === 'edits' ? `edits of ${count} rows` : `${count} new rows`;
      await problems.raise({
        ...{ target, code: CODES[kind] },
        message: `more than usual came at once: ${what} wait, and nothing of them is on the platform`,
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
