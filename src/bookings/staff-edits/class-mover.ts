// Moves a whole class to the start that people want. Either all its appointments move, one request each, or all stay where they were. Each
// request is stored before it leaves, so after a death the next handler knows how far each got.
import type { Refusal, Wish } from '../../domain/booking.ts';
import {
  CLASS_MOVE_MAX,
  type ClassMember,
  type ClassMove,
  type ClassStep,
  nextMember,
  stepAfterRefusal,
  stepOf,
  withMember,
} from '../../domain/class-move.ts';
import { type ClassSlot, guestsOf } from '../../domain/class-slot.ts';
import { type EntityKey, formatKey } from '../../domain/entity.ts';
import { RetryableError, TerminalError } from '../../domain/errors.ts';
import { appointmentState } from '../../domain/placement.ts';
import type { Snapshot } from '../../domain/snapshot.ts';
import type { BookingSubmitter } from '../../ports/bookings.ts';
import type { DirectorySource, PlatformReader } from '../../ports/platform.ts';
import type { Clock } from '../../ports/runtime.ts';
import { editedAppointment, isMovable } from './appointment.ts';

/** Added to the length of the class, so that its slot ends within the requested period. */
const SLOT_ROOM_MS = 60_000;
/** How far around the wished start to look for other starts. */
const OFFERED_WITHIN_MS = 6 * 3_600_000;
const OFFERED_MAX = 3;

export interface ClassMoverParts {
  readonly submitter: Pick<BookingSubmitter, 'submit' | 'finish' | 'withdraw' | 'freeTimes'>;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
  /** The platform's refusal, worded for people. */
  readonly refusalText: (refusal: Refusal) => string;
}

export interface WishedClassMove {
  readonly from: ClassSlot;
  readonly toMs: number;
  readonly members: readonly Snapshot[];
  /** The event shows all of them. */
  readonly areAllShown: boolean;
  readonly notifyCustomer: boolean;
}

export type ClassHindrance = 'class-too-many' | 'class-hidden' | 'not-movable';

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

export function classMoveOf({ from, toMs, members, notifyCustomer }: WishedClassMove): ClassMove {
  return {
    from: new Date(from.startMs).toISOString(),
    to: new Date(toMs).toISOString(),
    resourceId: from.resourceId,
    notifyCustomer,
    members: members.map((member) => ({ id: member.id, is: 'waiting', state: appointmentState(member) })),
  };
}

/** What the platform would refuse, judged by its free times. Its verdict comes with the requests. */
export async function refusedBySlots(
  { submitter, directory, clock }: Pick<ClassMoverParts, 'submitter' | 'directory' | 'clock'>,
  { from, toMs, members }: WishedClassMove,
): Promise<Refusal | undefined> {
  const { serviceId, resourceId, startMs } = from;
  const lengthMs = Math.max(...members.map(({ ends_at: endsAt }) => Date.parse(String(endsAt)) - startMs), 0);
  const isInterval = directory.current().services.get(serviceId)?.bookingMode === 'interval';
  // If both times overlap, the class itself takes the time. For rentals, the document does not say what is free.
  if (Math.abs(toMs - startMs) < lengthMs || isInterval) return undefined;
  const wished = { serviceId, resourceId, guests: members.reduce((sum, each) => sum + guestsOf(each), 0) };
  const sinceMs = clock.now();
  const isAt = ({ startsAt }: { readonly startsAt: string }) => Date.parse(startsAt) === toMs;
  const own = { fromMs: toMs, toMs: toMs + lengthMs + SLOT_ROOM_MS, sinceMs };
  if ((await submitter.freeTimes(wished, own)).slots.some(isAt)) return undefined;
  const around = { fromMs: toMs - OFFERED_WITHIN_MS, toMs: toMs + OFFERED_WITHIN_MS, sinceMs };
  const { slots, zone } = await submitter.freeTimes(wished, around);
  const distance = ({ startsAt }: { readonly startsAt: string }) => Math.abs(Date.parse(startsAt) - toMs);
  const nearest = [...slots].sort((a, b) => distance(a) - distance(b)).slice(0, OFFERED_MAX);
  return { code: 'slot-unavailable', slots: nearest, ...(zone !== undefined && { zone }) };
}

export interface ClassMoveRun {
  /** Stores the progress, under the fence of the class. */
  readonly keep: (move: ClassMove) => Promise<void>;
  /** Reports an appointment that was moved, or moved back. */
  readonly told: (appointment: Snapshot, code: 'moved' | 'moved-back') => Promise<void>;
}

/** Carries the stored move to its end. Rejects with one of the three error families if it cannot: call again with what was kept. */
export async function carryClassMove(
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
    const verdict = await this.#parts.submitter.submit(originOf(member), {
      ...{ op: 'move', appointmentId: member.id, startsAt: step.to, notifyCustomer, seenAs: sent.state },
    });
    if (verdict.earlier !== undefined)
      throw new RetryableError('intent-contended', 'another request for this appointment came first');
    if (verdict.outcome === 'refused') return this.#refused(sent, verdict.refusal, await this.#read(member));
    const is = sent.is === 'leaving' ? 'moved' : 'back';
    return this.#recorded(sent, { type: 'record', is }, verdict.appointment);
  }

  async #refused(member: ClassMember, refusal: Refusal, now: Snapshot): Promise<ClassMove> {
    const step = stepAfterRefusal(this.#move, member, { now, code: refusal.code });
    return step.type === 'refused' ? this.#stays(member, refusal) : this.#recorded(member, step, now);
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
