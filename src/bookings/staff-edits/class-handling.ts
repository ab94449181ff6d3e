// Handles a class event that people dragged to another hour. Either all its appointments move, or the event is put back with a note. The
// event's link stores a move under way, and a later turn continues from there.
import { type ClassMove, membersWho } from '../../domain/class-move.ts';
import { type ClassNow, type ClassSlot, classIdOf, slotIn, storedClass } from '../../domain/class-slot.ts';
import { formatKey } from '../../domain/entity.ts';
import { DeferredError, RetryableError } from '../../domain/errors.ts';
import { askedWish, type CalendarLink, type EventNote } from '../../domain/link.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { CalendarEvents } from '../../ports/calendars.ts';
import type { ErasedObjects } from '../../ports/erasure.ts';
import type { Memory } from '../../ports/memory.ts';
import type { History } from '../../ports/operator.ts';
import type { Clock } from '../../ports/runtime.ts';
import type { ClassReader } from '../../ports/work.ts';
import {
  type ClassHindrance,
  type ClassMoverParts,
  carryClassMove,
  classMoveOf,
  hindranceOfClass,
  refusedBySlots,
} from './class-mover.ts';
import { answeredLink, asked, toPutBack } from './decided-link.ts';
import type { EditGuard } from './guard.ts';
import { type HeldClaim, isSameEvent } from './held-claim.ts';
import type { Edit, EditedMirror } from './search.ts';
import type { NoteWords } from './words.ts';

/**
 * Prefix in the memory for moves of one class into another. The name adds both classes; the value is the start of the move, in epoch
 * milliseconds as text.
 */
const MOVING = 'class-moving:';
/** A move older than this no longer blocks others: otherwise that class could never move again. */
const MOVING_MS_MAX = 10 * 60_000;
const MOVING_LOOK_MS = 5_000;
/** How often people may drag the moving event before another turn takes over. */
const DRAGS_MAX = 5;

export interface ClassHandlingParts extends ClassMoverParts {
  readonly classes: ClassReader;
  readonly events: Pick<CalendarEvents, 'read'>;
  readonly guard: Pick<EditGuard, 'assertNoLoop' | 'assertMayMail'>;
  readonly words: NoteWords;
  readonly history: Pick<History, 'note'>;
  readonly memory: Memory;
  readonly erased: ErasedObjects;
  readonly clock: Clock;
}

/** `told`: the move has ended and is recorded. `dragged-on`: people have dragged the event again, so the caller looks again. */
export type ClassOutcome = Told | { readonly is: 'dragged-on' };
interface Told {
  readonly is: 'told';
  readonly code: 'class-moved' | 'class-not-moved' | 'class-split';
  readonly reason?: string;
}

interface Wished {
  readonly mirror: EditedMirror;
  readonly link: CalendarLink;
  readonly from: ClassSlot;
  readonly toMs: number;
  readonly members: readonly Snapshot[];
  readonly areAllShown: boolean;
}

export class ClassHandling {
  readonly #parts: ClassHandlingParts;
  readonly #held: HeldClaim;

  constructor(parts: ClassHandlingParts, held: HeldClaim) {
    this.#parts = parts;
    this.#held = held;
  }

  /** `seen`: the event as people left it. The caller has just read the class. */
  async move({ mirror, link }: Edit, seen: SeenEvent, toMs: number): Promise<ClassOutcome> {
    const { members, slot } = this.#held.claim.snapshot as ClassNow;
    const from = slotIn(slot);
    if (from === undefined) throw new RetryableError('snapshot-missing', 'the class was not read');
    await this.#parts.guard.assertNoLoop(this.#key, `${seen.etag} ${seen.updatedMs ?? ''}`);
    const areAllShown = await mirror.showsAll(members, toMs);
    const wished = { mirror, link, from, toMs, members, areAllShown };
    const hindrance = await this.#begin(wished);
    if (hindrance === undefined) return this.goOn({ mirror, link: this.#current(mirror, link) ?? link });
    await this.#held.put(mirror.name, toPutBack(link, seen, this.#note(hindrance)));
    return { is: 'told', code: 'class-not-moved', reason: hindrance.code };
  }

  /** Continues the move that is stored in the link, perhaps begun by a handler that died. */
  async goOn({ mirror, link }: Edit): Promise<ClassOutcome> {
    let current = link;
    for (let drags = 0; drags <= DRAGS_MAX; drags += 1) {
      const begun = askedWish(current)?.classMove;
      if (begun === undefined) return { is: 'dragged-on' };
      const move = await carryClassMove(this.#parts, begun, {
        keep: async (next) => {
          current = withMove(current, next);
          await this.#held.put(mirror.name, current);
        },
        told: (appointment, code) => this.#tell(mirror, appointment, code),
      });
      const seen = await this.#parts.events.read(current.calendarId, current.eventId);
      const toMs = draggedTo(seen, move);
      if (toMs === undefined) return this.#end({ mirror, link: current }, seen, move);
      if (move.refused !== undefined) {
        await this.#settleSplit(move);
        await this.#held.put(mirror.name, answeredLink(current));
        await this.#release(move);
        return { is: 'dragged-on' };
      }
      // Dragging on concerns the same appointments, which are at the new hour by now.
      const hindrance = await this.#dragOn({ mirror, link: current }, move, { seen, toMs });
      if (hindrance !== undefined)
        return { ...(await this.#end({ mirror, link: current }, seen, move)), reason: hindrance.code };
      current = this.#current(mirror, current) ?? current;
      await this.#release(move);
    }
    throw new RetryableError('edit-unsettled', 'the event and the appointment keep changing');
  }

  async #dragOn(
    { mirror, link }: Edit,
    move: ClassMove,
    { seen, toMs }: { readonly seen: SeenEvent | 'absent'; readonly toMs: number },
  ): Promise<NamedHindrance | undefined> {
    const slot = slotIn((this.#held.claim.snapshot as ClassNow).slot);
    if (slot === undefined || seen === 'absent') return undefined;
    await this.#parts.guard.assertNoLoop(this.#key, `${seen.etag} ${seen.updatedMs ?? ''}`);
    const from = { ...slot, startMs: Date.parse(move.to) };
    const moved = new Set(membersWho(move, 'moved'));
    const snapshot = storedClass(from, this.#parts.clock.now());
    const there = await this.#parts.classes.read({ ...this.#held.claim, links: {}, snapshot });
    const members = (there.snapshot as ClassNow).members.filter(({ id }) => moved.has(id));
    return this.#begin({ mirror, link, from, toMs, members, areAllShown: true });
  }

  /** Checks what can be checked before any request leaves, and stores the move. */
  async #begin({ mirror, link, ...wished }: Wished): Promise<NamedHindrance | undefined> {
    const { clock, guard, refusalText, words } = this.#parts;
    const { notifyCustomer } = mirror.staffEdits;
    const code = wished.members.length === 0 ? 'not-movable' : hindranceOfClass(wished);
    if (code !== undefined) return { code, text: words[code] };
    const refusal = await refusedBySlots(this.#parts, { ...wished, notifyCustomer });
    if (refusal !== undefined) return { code: refusal.code, text: refusalText(refusal) };
    const classMove = classMoveOf({ ...wished, notifyCustomer });
    if (notifyCustomer)
      for (const { id } of wished.members)
        await guard.assertMayMail(formatKey({ kind: 'appointment', id }), classMove.to);
    await this.#assertAlone(wished.from, wished.toMs);
    await this.#held.put(mirror.name, asked(link, { for: classMove.to, classMove }, clock.now()));
    return undefined;
  }

  /**
   * Appointments already moved to an hour are in its event before the others arrive. A drag of that event has to wait. Each move announces
   * itself before it looks, so at least one of two sees the other.
   */
  async #assertAlone(from: ClassSlot, toMs: number): Promise<void> {
    const { memory, clock } = this.#parts;
    const nowMs = clock.now();
    const own = this.#moving({ ...from, startMs: toMs });
    await memory.set(own, String(nowMs));
    const prefix = `${MOVING}${classIdOf(from)} `;
    for (const [by, sinceMs] of await memory.all(prefix)) {
      if (by === this.#held.claim.key.id) continue;
      if (nowMs - Number(sinceMs) < MOVING_MS_MAX) {
        await memory.forget(own);
        throw new DeferredError('class-moving', 'another move of these appointments has not ended yet', {
          retryAfterMs: MOVING_LOOK_MS,
        });
      }
      await memory.forget(prefix + by);
    }
  }

  async #release({ to }: ClassMove): Promise<void> {
    const slot = slotIn((this.#held.claim.snapshot as ClassNow).slot);
    if (slot !== undefined)
      await this.#parts.memory.forget(this.#moving({ ...slot, startMs: Date.parse(to) }));
  }

  #moving(to: ClassSlot): string {
    return `${MOVING}${classIdOf(to)} ${this.#held.claim.key.id}`;
  }

  /** The event goes to where the class is: back, or away if no appointment is left. The new hour has an event of its own. */
  async #end({ mirror, link }: Edit, seen: SeenEvent | 'absent', move: ClassMove): Promise<Told> {
    const isSplit = await this.#settleSplit(move);
    const { refused } = move;
    await this.#held.put(mirror.name, toPutBack(link, seen, refused && this.#note(refused)));
    await this.#release(move);
    if (refused === undefined) return { is: 'told', code: 'class-moved' };
    return { is: 'told', code: isSplit ? 'class-split' : 'class-not-moved', reason: refused.code };
  }

  /** Reads the class again. Before that, stores which appointments could not be moved back. */
  async #settleSplit(move: ClassMove): Promise<boolean> {
    const ids = membersWho(move, 'stuck');
    if (ids.length > 0) await this.#held.putClass({ split: { from: move.from, to: move.to, ids } });
    await this.#held.reread(this.#parts.classes);
    return ids.length > 0;
  }

  #current(mirror: EditedMirror, link: CalendarLink): CalendarLink | undefined {
    return this.#held.links(mirror.name).find((each) => isSameEvent(each, link));
  }

  #note({ code, text }: NamedHindrance): EventNote {
    return { code, text, of: String(this.#held.claim.snapshot?.['standing']) };
  }

  get #key(): string {
    return formatKey(this.#held.claim.key);
  }

  /** Starts no new history for an erased person. */
  async #tell({ name }: EditedMirror, appointment: Snapshot, code: string): Promise<void> {
    const { history, clock, erased } = this.#parts;
    const { id } = appointment;
    if ((await erased.among([appointment])).has(id)) return;
    history.note(formatKey({ kind: 'appointment', id }), {
      ...{ what: 'acted', atMs: clock.now(), by: 'staff-edit', code },
      ...{ rule: `mirrors.${name}.classes.moved`, ids: { class: this.#key } },
    });
  }
}

interface NamedHindrance {
  readonly code: ClassHindrance | string;
  /** For people. */
  readonly text: string;
}

/**
 * The start to which people have dragged the event since. Undefined at the target of this move, and for an event without a single start.
 */
function draggedTo(seen: SeenEvent | 'absent', { to }: ClassMove): number | undefined {
  if (seen === 'absent' || !seen.isLive || seen.isAllDay || seen.isRecurring) return undefined;
  return seen.startMs === Date.parse(to) ? undefined : seen.startMs;
}

function withMove(link: CalendarLink, classMove: ClassMove): CalendarLink {
  const { edit } = link;
  if (edit.is !== 'asked' && edit.is !== 'dropped') return link;
  return { ...link, edit: { ...edit, wish: { ...edit.wish, classMove } } };
}
