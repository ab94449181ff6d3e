// Handles a class event that people dragged to another hour. Either all its appointments move, or the event is put back with a note. The
// event's link stores a move under way, and a later turn continues from there.

import type { NoteWords } from '../engine/booking-answer.ts';
import type { CalendarEvents } from '../engine/calendar-events.ts';
import {
  CLASS_MOVE_MAX,
  type ClassMember,
  type ClassMove,
  type ClassStep,
  membersWho,
  nextMember,
  stepAfterRefusal,
  stepOf,
  withMember,
} from '../engine/class-move.ts';
import {
  type ClassNow,
  type ClassSlot,
  classIdOf,
  guestsOf,
  slotIn,
  storedClass,
} from '../engine/class-slot.ts';
import { editedAppointment, isMovable } from '../engine/decide-edit.ts';
import type { EditGuard } from '../engine/edit-guard.ts';
import type { ErasureStore } from '../engine/erasure.ts';
import { DeferredError, RetryableError, TerminalError } from '../engine/errors.ts';
import type { ClassReader } from '../engine/handler.ts';
import type { History } from '../engine/history.ts';
import type { Sender } from '../engine/intent.ts';
import { askedWish, type CalendarLink, type EventNote } from '../engine/link.ts';
import { isSameEvent } from '../engine/link-store.ts';
import type { Memory } from '../engine/memory.ts';
import { distanceMs } from '../engine/moments.ts';
import { appointmentState, type EntityKey, formatKey, type Snapshot } from '../engine/object.ts';
import type { Refusal, SeenEvent, Wish } from '../engine/outside-booking.ts';
import type { DirectorySource, PlatformReader } from '../engine/platform.ts';
import type { Clock } from '../engine/runtime.ts';
import type { BookingSubmitter } from '../engine/submitter.ts';
import {
  answeredLink,
  asked,
  type Edit,
  type EditedMirror,
  type HeldClaim,
  toPutBack,
} from './edit-search.ts';

/**
 * Prefix in the memory for moves of one class into another. The name adds both classes. The value is the start of the move in epoch
 * milliseconds, a space, and the fence of its claim.
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
  readonly erased: ErasureStore;
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
        claim: this.#held.claim,
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
    const announced = await this.#assertAlone(wished.from, wished.toMs);
    try {
      await this.#held.put(mirror.name, asked(link, { for: classMove.to, classMove }, clock.now()));
    } catch (error) {
      await this.#takeBack(announced);
      throw error;
    }
    return undefined;
  }

  /** The move was not stored, and would keep others waiting. A handler that took over may have announced it anew. */
  async #takeBack({ name, at }: Announced): Promise<void> {
    const { memory } = this.#parts;
    if ((await memory.get(name)) === at) await memory.forget(name);
  }

  /**
   * Appointments already moved to an hour are in its event before the others arrive. A drag of that event has to wait. Each move announces
   * itself before it looks, so at least one of two sees the other.
   */
  async #assertAlone(from: ClassSlot, toMs: number): Promise<Announced> {
    const { memory, clock } = this.#parts;
    const nowMs = clock.now();
    const own = { name: this.#moving({ ...from, startMs: toMs }), at: `${nowMs} ${this.#held.claim.fence}` };
    await memory.set(own.name, own.at);
    const prefix = `${MOVING}${classIdOf(from)} `;
    for (const [by, at] of await memory.all(prefix)) {
      if (by === this.#held.claim.key.id) continue;
      if (await this.#isUnderWay(by, at, nowMs)) {
        await memory.forget(own.name);
        throw new DeferredError('class-moving', 'another move of these appointments has not ended yet', {
          retryAfterMs: MOVING_LOOK_MS,
        });
      }
      await this.#takeBack({ name: prefix + by, at });
    }
    return own;
  }

  /** Its handler may have died before the link stored the move: a newer claim can then no longer be overtaken by it. */
  async #isUnderWay(id: string, at: string, nowMs: number): Promise<boolean> {
    const [sinceMs = '', ...fence] = at.split(' ');
    if (distanceMs(Number(sinceMs), nowMs) >= MOVING_MS_MAX) return false;
    const now = await this.#held.newest({ kind: 'class', id });
    if (now === undefined || fence.length === 0 || now.fence === fence.join(' ')) return true;
    const links = Object.values(now.links).flatMap(({ calendars = [] }) => calendars);
    return links.some((link) => askedWish(link)?.classMove !== undefined);
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

/** A move in the memory. */
interface Announced {
  readonly name: string;
  /** Its start and fence, as stored. */
  readonly at: string;
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

// Moves a whole class to the start that people want. Either all its appointments move, one request each, or all stay where they were. Each
// request is stored before it leaves, so after a death the next handler knows how far each got.

/** Added to the length of the class, so that its slot ends within the requested period. */
const SLOT_ROOM_MS = 60_000;
/** How far around the wished start to look for other starts. */
const OFFERED_WITHIN_MS = 6 * 3_600_000;
const OFFERED_MAX = 3;

interface ClassMoverParts {
  readonly submitter: Pick<BookingSubmitter, 'submit' | 'finish' | 'withdraw' | 'freeTimes'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  /** The platform's refusal, worded for people. */
  readonly refusalText: (refusal: Refusal) => string;
}

interface WishedClassMove {
  readonly from: ClassSlot;
  readonly toMs: number;
  readonly members: readonly Snapshot[];
  /** The event shows all of them. */
  readonly areAllShown: boolean;
  readonly notifyCustomer: boolean;
}

type ClassHindrance = 'class-too-many' | 'class-hidden' | 'not-movable';

/** Why the class cannot move, as far as that shows before any request leaves. Sends the platform nothing. */
export function hindranceOfClass({
  members,
  areAllShown,
}: Pick<WishedClassMove, 'members' | 'areAllShown'>): ClassHindrance | undefined {
  if (members.length > CLASS_MOVE_MAX) return 'class-too-many';
  if (!areAllShown) return 'class-hidden';
  const areMovable = members.every((member) => {
    const appointment = editedAppointment(member);
    return appointment !== undefined && isMovable(appointment);
  });
  return areMovable ? undefined : 'not-movable';
}

function classMoveOf({ from, toMs, members, notifyCustomer }: WishedClassMove): ClassMove {
  return {
    from: new Date(from.startMs).toISOString(),
    to: new Date(toMs).toISOString(),
    resourceId: from.resourceId,
    notifyCustomer,
    members: members.map((member) => ({ id: member.id, is: 'waiting', state: appointmentState(member) })),
  };
}

/** What the platform would refuse, judged by its free times. Its verdict comes with the requests. */
async function refusedBySlots(
  { submitter, directory, clock }: Pick<ClassMoverParts, 'submitter' | 'directory' | 'clock'>,
  { from, toMs, members }: WishedClassMove,
): Promise<Refusal | undefined> {
  const { serviceId, resourceId, startMs } = from;
  const lengthMs = Math.max(...members.map(({ ends_at: endsAt }) => Date.parse(String(endsAt)) - startMs), 0);
  const isFixed = directory.current().services.get(serviceId)?.bookingMode === 'fixed';
  // If both times overlap, the class itself takes the time. For rentals, and services newer than the lists, nothing says what is free.
  if (Math.abs(toMs - startMs) < lengthMs || !isFixed) return undefined;
  const wished = { serviceId, resourceId, guests: members.reduce((sum, each) => sum + guestsOf(each), 0) };
  const sinceMs = clock.now();
  const isAt = ({ startsAt }: { readonly startsAt: string }) => Date.parse(startsAt) === toMs;
  const own = { fromMs: toMs, toMs: toMs + lengthMs + SLOT_ROOM_MS, sinceMs };
  if ((await submitter.freeTimes(wished, own)).slots.some(isAt)) return undefined;
  const around = { fromMs: toMs - OFFERED_WITHIN_MS, toMs: toMs + OFFERED_WITHIN_MS, sinceMs };
  const { slots, zone } = await submitter.freeTimes(wished, around);
  const distance = ({ startsAt }: { readonly startsAt: string }) => Math.abs(Date.parse(startsAt) - toMs);
  const nearest = [...slots].sort((a, b) => distance(a) - distance(b)).slice(0, OFFERED_MAX);
  const isFree = await isBetweenFree({ submitter, clock }, wished, { atMs: toMs, lengthMs, ownMs: startMs });
  const code = isFree ? 'off-grid' : 'slot-unavailable';
  return { code, slots: nearest, ...(zone !== undefined && { zone }) };
}

/**
 * Whether the whole time is free, because free times that overlap begin before and after it. Then it is not taken: the platform only begins
 * at other minutes. `ownMs`: where the class is now. It takes that time itself, which only matters if both times overlap.
 */
async function isBetweenFree(
  { submitter, clock }: Pick<ClassMoverParts, 'submitter' | 'clock'>,
  wished: Parameters<BookingSubmitter['freeTimes']>[0],
  { atMs, lengthMs, ownMs }: { readonly atMs: number; readonly lengthMs: number; readonly ownMs: number },
): Promise<boolean> {
  const within = { fromMs: atMs - lengthMs, toMs: atMs + 2 * lengthMs + SLOT_ROOM_MS };
  const { slots } = await submitter.freeTimes(wished, { ...within, sinceMs: clock.now() });
  const starts = [ownMs, ...slots.map(({ startsAt }) => Date.parse(startsAt))];
  const before = Math.max(...starts.filter((startMs) => startMs < atMs));
  const after = Math.min(...starts.filter((startMs) => startMs > atMs));
  return after - before <= lengthMs;
}

interface ClassMoveRun {
  readonly claim: Sender;
  /** Stores the progress, under the fence of the class. */
  readonly keep: (move: ClassMove) => Promise<void>;
  /** Reports an appointment that was moved, or moved back. */
  readonly told: (appointment: Snapshot, code: 'moved' | 'moved-back') => Promise<void>;
}

/** Carries the stored move to its end. Rejects with one of the three error families if it cannot: call again with what was kept. */
async function carryClassMove(
  parts: ClassMoverParts,
  begun: ClassMove,
  run: ClassMoveRun,
): Promise<ClassMove> {
  let move = begun;
  for (let member = nextMember(move); member !== undefined; member = nextMember(move)) {
    move = await new MemberTurn(parts, move, run).take(member);
    await run.keep(move);
  }
  return move;
}

/** Handles one appointment. A request that had left for it ends first. */
class MemberTurn {
  readonly #parts: ClassMoverParts;
  readonly #move: ClassMove;
  readonly #run: ClassMoveRun;

  constructor(parts: ClassMoverParts, move: ClassMove, run: ClassMoveRun) {
    this.#parts = parts;
    this.#move = move;
    this.#run = run;
  }

  async take(member: ClassMember): Promise<ClassMove> {
    const { submitter } = this.#parts;
    const ended = await submitter.finish(originOf(member));
    const now = await this.#read(member);
    if (ended?.outcome === 'refused' && isWishOf(ended.earlier, member))
      return this.#refused(member, ended.refusal, now);
    const step = stepOf(this.#move, member, now);
    if (step.type === 'send') return this.#send(member, step, now);
    if (ended?.outcome === 'open') await submitter.withdraw(originOf(member));
    return this.#recorded(member, step, now);
  }

  async #send(member: ClassMember, step: ClassStep & { type: 'send' }, now: Snapshot): Promise<ClassMove> {
    const { notifyCustomer } = this.#move;
    const sent: ClassMember = { ...member, is: step.is, state: appointmentState(now) };
    await this.#run.keep(withMember(this.#move, sent));
    const common = { appointmentId: member.id, notifyCustomer, seenAs: sent.state };
    const wish = { op: 'move', startsAt: step.to, ...common } as const;
    const { claim } = this.#run;
    const verdict = await this.#parts.submitter.submit(originOf(member), wish, { claim });
    if (verdict.earlier !== undefined)
      throw new RetryableError('intent-contended', 'another request for this appointment came first');
    if (verdict.outcome === 'refused') return this.#refused(sent, verdict.refusal, await this.#read(member));
    const is = sent.is === 'leaving' ? 'moved' : 'back';
    return this.#recorded(sent, { type: 'record', is }, verdict.appointment);
  }

  async #refused(member: ClassMember, refusal: Refusal, now: Snapshot): Promise<ClassMove> {
    const step = stepAfterRefusal(this.#move, member, { now, code: refusal.code });
    if (step.type !== 'refused') return this.#recorded(member, step, now);
    return this.#stays(
      member,
      (await this.#isOffGrid(refusal, now)) ? { ...refusal, code: 'off-grid' } : refusal,
    );
  }

  async #isOffGrid({ code }: Refusal, now: Snapshot): Promise<boolean> {
    const { from, to, resourceId } = this.#move;
    const serviceId = String(now['service_id']);
    const lengthMs = Date.parse(String(now['ends_at'])) - Date.parse(String(now['starts_at']));
    if (code !== 'slot-unavailable' || !(lengthMs > 0)) return false;
    const about = { atMs: Date.parse(to), lengthMs, ownMs: Date.parse(from) };
    return isBetweenFree(this.#parts, { serviceId, resourceId, guests: guestsOf(now) }, about);
  }

  /** The first refusal: the others go back. */
  #stays(member: ClassMember, refusal: Refusal): ClassMove {
    const refused = { code: refusal.code, text: this.#parts.refusalText(refusal) };
    return { ...withMember(this.#move, { ...member, is: 'stays' }), refused };
  }

  async #recorded(
    member: ClassMember,
    step: Exclude<ClassStep, { type: 'send' }>,
    now: Snapshot,
  ): Promise<ClassMove> {
    if (step.type === 'refused') return this.#stays(member, { code: step.code, slots: [] });
    if (step.is === 'moved') await this.#run.told(now, 'moved');
    if (step.is === 'back') await this.#run.told(now, 'moved-back');
    return withMember(this.#move, { ...member, is: step.is, state: appointmentState(now) });
  }

  async #read({ id }: ClassMember): Promise<Snapshot> {
    const found = await this.#parts.reader.get(appointmentKey(id));
    if (found !== undefined) return found;
    throw new TerminalError('object-not-visible', 'the platform does not show this appointment to the key', {
      target: 'platform',
      advice: 'Appointments are never deleted: see that the project of the appointment is in the API key.',
    });
  }
}

function appointmentKey(id: string): EntityKey {
  return { kind: 'appointment', id };
}

/** Shared with all other wishes about the appointment: one request at a time. */
function originOf({ id }: ClassMember): string {
  return formatKey(appointmentKey(id));
}

function isWishOf(wish: Wish, { is, state }: ClassMember): boolean {
  return wish.op === 'move' && wish.seenAs === state && (is === 'leaving' || is === 'returning');
}
