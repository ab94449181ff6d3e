import type { Refusal, Verdict, Wish } from '../../domain/booking.ts';
import { formatKey } from '../../domain/entity.ts';
import { assertNever, DeferredError, RetryableError, TerminalError } from '../../domain/errors.ts';
import type { CalendarLink, EventNote } from '../../domain/link.ts';
import { isKeptOwnEvent, mayBeUnmarked } from '../../domain/own-event.ts';
import type { SeenEvent } from '../../domain/seen-event.ts';
import type { BookingDesk } from '../../ports/booking-desk.ts';
import type { CalendarEvents } from '../../ports/calendar-events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { DirectorySource } from '../../ports/directory-source.ts';
import type { History } from '../../ports/history.ts';
import type { Log } from '../../ports/log.ts';
import type { Meter } from '../../ports/meter.ts';
import type { PlatformReader } from '../../ports/platform-reader.ts';
import { decide, type EditDecision, type NoteCode } from './decide.ts';
import { agreedOn, decided, strayLink, toPutBack } from './decided-link.ts';
import type { EditGuard } from './guard.ts';
import { type HeldClaim, isSameEvent } from './held-claim.ts';
import { resourceAt } from './resource-at.ts';
import { type Edit, type EditedMirror, findElsewhere } from './search.ts';
import { type Visit, visitOf } from './visit.ts';
import type { NoteWords } from './words.ts';

/** How often a change may be judged anew in one turn: after a fresh look at the platform, and after an older wish. */
const ROUNDS_MAX = 6;

export interface HandlingParts {
  readonly mirrors: readonly EditedMirror[];
  readonly events: CalendarEvents;
  readonly desk: BookingDesk;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly directory: DirectorySource;
  readonly guard: EditGuard;
  readonly words: NoteWords;
  /** The platform's refusal for people. */
  readonly refusalText: (refusal: Refusal) => string;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Brings single changes to their end: decides, carries to the platform, and stores what was decided in the links. */
export class EditHandling {
  readonly #parts: HandlingParts;
  readonly #held: HeldClaim;
  readonly #key: string;
  #isFresh = false;

  constructor(parts: HandlingParts, held: HeldClaim) {
    this.#parts = parts;
    this.#held = held;
    this.#key = formatKey(held.claim.key);
  }

  /** One linked event that people changed, or that stands somewhere else now. */
  async handle(edit: Edit): Promise<void> {
    let current = edit;
    let seen: SeenEvent | 'absent' | undefined;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { mirror, arrived } = current;
      const link = this.current(mirror, edit.link);
      const visit = this.#visit();
      if (visit === undefined || link === undefined) return;
      seen ??= await this.#parts.events.read(link.calendarId, link.eventId);
      if (arrived === undefined && isGone(seen) && mayBeUnmarked(link)) {
        const elsewhere = await findElsewhere(this.#held, { mirror, link }, this.#parts.events);
        if (elsewhere !== undefined) {
          current = { ...current, arrived: elsewhere };
          continue;
        }
      }
      const look: Look = { mirror, link, seen, visit, ...(arrived && { arrived }) };
      const decision = this.#decide(look);
      const outcome = await this.#perform(look, decision);
      if (outcome === 'done') return;
      if (outcome === 'look-again') seen = undefined;
      if (typeof outcome === 'object') current = { ...current, arrived: outcome };
    }
    throw new RetryableError('edit-unsettled', 'the event and the visit keep changing');
  }

  /** A request that is under way comes first: until its end is known, nobody can tell a new wish from its effect. */
  async finishBegun(): Promise<void> {
    const { mirrors, desk } = this.#parts;
    const isAsked = mirrors.some(({ name }) =>
      this.#held.links(name).some((link) => link.asked !== undefined),
    );
    if (!isAsked) return;
    const ended = await desk.finish(this.#key);
    if (ended !== undefined) await this.#absorb(ended.earlier, ended);
    await this.#readVisit();
  }

  #decide({ mirror, link, seen, visit, arrived }: Look): EditDecision {
    const { clock, directory } = this.#parts;
    const resources = mirror.resources();
    const hasCalendar = visit.resourceIds.some((id) => resources.has(id));
    const isKept = isKeptOwnEvent(link, { appointmentId: visit.id, hasCalendar });
    // By the mapping as it is, or as it was when the event was written: an edit of the YAML gives nothing to anybody.
    const standsFor = (id: string) =>
      resources.get(id) === link.calendarId || link.resourceIds?.includes(id) === true;
    const hasLeft = visit.status !== 'cancelled' && !isKept && !visit.resourceIds.some(standsFor);
    const isMain = isKept || visit.resourceId === undefined || standsFor(visit.resourceId);
    const where = { resources, visit, isMain, directory: directory.current() };
    return decide({
      ...{ seen, link, isMain, hasLeft, visit, edits: mirror.staffEdits, nowMs: clock.now() },
      ...(arrived && { arrived: { event: arrived.event, to: resourceAt(arrived.calendarId, where) } }),
    });
  }

  async #perform(look: Look, decision: EditDecision): Promise<Outcome> {
    const { mirror, link, seen, visit, arrived } = look;
    const isOpen = link.editSeenAtMs !== undefined;
    switch (decision.type) {
      case 'nothing':
        if (isOpen) await this.#settle(look, decided(link, seen));
        return 'done';
      case 'take-over':
        await this.#settle(look, decided(link, seen));
        return this.#told(look, 'let-be');
      case 'leave':
        await this.#settle(look, { ...decided(link, seen), leftAt: visit.placement }, visit.placement);
        return this.#told(look, 'let-be');
      case 'put-back': {
        const note = decision.note === 'keep' ? 'keep' : this.#note(decision.note, visit);
        await this.#settle(look, toPutBack(link, seen, note));
        return this.#told(look, `put-back-${decision.why}`, decision.note);
      }
      case 'wait':
        await this.keepOpen(mirror, link);
        await this.#parts.guard.deletionWaits(link.calendarId, this.#key);
        throw waiting(decision.untilMs - this.#parts.clock.now());
      case 'move':
      case 'cancel':
        if (!this.#isFresh) {
          await this.#readVisit();
          return 'judge-again';
        }
        if (decision.type === 'cancel' && arrived === undefined) {
          const elsewhere = await findElsewhere(this.#held, look, this.#parts.events);
          if (elsewhere !== undefined) return elsewhere;
        }
        return this.#carry(
          look,
          wishOf(decision, look),
          decision.type === 'move' ? decision.note : undefined,
        );
      default:
        return assertNever(decision, 'decision about an event');
    }
  }

  async #carry(look: Look, wish: CarriedWish, lost?: NoteCode): Promise<Outcome> {
    const { mirror, link, seen, visit, arrived } = look;
    const { guard, desk, clock } = this.#parts;
    if (wish.op === 'cancel') await guard.assertNoMassDeletion(link.calendarId, this.#key);
    const changed = arrived?.event ?? seen;
    await guard.assertNoLoop(this.#key, markOf(changed));
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, askedBy(wish));
    await this.#held.put(mirror.name, {
      ...link,
      editSeenAtMs: link.editSeenAtMs ?? clock.now(),
      asked: askedBy(wish),
    });
    const verdict = await desk.submit(this.#key, wish);
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'look-again';
    }
    if (verdict.outcome === 'refused') {
      const { refusal } = verdict;
      const note = { code: refusal.code, text: this.#parts.refusalText(refusal), of: visit.standing };
      await this.#settle(look, toPutBack(link, seen, note));
      return this.#told(look, wish.op === 'cancel' ? 'cancel-refused' : 'move-refused', refusal.code);
    }
    await this.#held.refresh(verdict.appointment);
    const after = decided(link, seen);
    if (wish.op === 'cancel') await this.#settle(look, after);
    else await this.#settle(look, this.#withNote(agreedOn(after, wish.startsAt), lost));
    return this.#told(look, wish.op === 'cancel' ? 'cancelled' : 'moved', lost);
  }

  /** The end of a wish that was begun earlier, perhaps by a handler that died. */
  async #absorb(wish: Wish, verdict: Verdict): Promise<void> {
    if (verdict.outcome === 'done') await this.#held.refresh(verdict.appointment);
    if (wish.op === 'book') return;
    for (const { name } of this.#parts.mirrors) {
      for (const link of this.#held.links(name)) {
        if (link.asked !== askedBy(wish)) continue;
        const { asked: _, ...rest } = link;
        const isMoved = verdict.outcome === 'done' && wish.op === 'move';
        await this.#held.put(name, isMoved ? agreedOn(rest, wish.startsAt) : rest);
      }
    }
  }

  /** Stores the decision about a link in one write with the event that stands elsewhere instead. */
  async #settle(look: Look, link: CalendarLink, leftAt?: string): Promise<void> {
    const { mirror, arrived } = look;
    const calendarId = arrived?.calendarId;
    if (arrived === undefined || calendarId === undefined) await this.#held.put(mirror.name, link);
    else {
      const stray = strayLink({ calendarId, eventId: link.eventId }, arrived.event);
      const { startsAt } = link;
      const kept = {
        ...stray,
        ...(startsAt !== undefined && { startsAt }),
        ...(leftAt !== undefined && { leftAt }),
      };
      await this.#held.put(mirror.name, link, kept);
    }
    // Whatever was decided, it is no deletion that waits any more; one that was carried out goes on counting.
    if (look.link.editSeenAtMs === undefined) return;
    const { guard } = this.#parts;
    if (this.#visit()?.status === 'cancelled') await guard.deletionDecided(link.calendarId, this.#key);
    else await guard.deletionUndone(link.calendarId, this.#key);
  }

  async keepOpen(mirror: EditedMirror, link: CalendarLink | undefined): Promise<void> {
    if (link === undefined || link.editSeenAtMs !== undefined) return;
    await this.#held.put(mirror.name, { ...link, editSeenAtMs: this.#parts.clock.now() });
  }

  /** What is carried to the platform is judged by the visit as it is now, not as some event once told. */
  async #readVisit(): Promise<void> {
    const found = await this.#parts.reader.get(this.#held.claim.key);
    if (found === undefined) {
      throw new TerminalError(
        'object-not-visible',
        'the platform does not show this appointment to the key',
        {
          target: 'platform',
          advice:
            'Appointments are never deleted: see that the project of the appointment is in the API key.',
        },
      );
    }
    await this.#held.refresh(found);
    this.#isFresh = true;
  }

  #visit(): Visit | undefined {
    const { snapshot } = this.#held.claim;
    return snapshot === undefined ? undefined : visitOf(snapshot);
  }

  current(mirror: EditedMirror, link: CalendarLink): CalendarLink | undefined {
    return this.#held.links(mirror.name).find((each) => isSameEvent(each, link));
  }

  /** Of the visit as it stands after it was changed. */
  #withNote(link: CalendarLink, code: NoteCode | undefined): CalendarLink {
    const visit = this.#visit();
    const note = visit && this.#note(code, visit);
    return note === undefined ? link : { ...link, note };
  }

  #note(code: NoteCode | undefined, visit: Visit): EventNote | undefined {
    return code === undefined ? undefined : { code, text: this.#parts.words[code], of: visit.standing };
  }

  #told({ mirror, link, arrived }: Look, code: string, reason?: string): 'done' {
    const { log, meter, history, clock } = this.#parts;
    const because = reason === undefined || reason === 'keep' ? {} : { reason };
    const { eventId, calendarId } = link;
    log.info({ key: this.#key, mirror: mirror.name, eventId, code, ...because }, 'staff edit decided');
    meter.add('slotbridge_staff_edits_total', { mirror: mirror.name, code });
    history.note(this.#key, {
      what: 'acted',
      atMs: clock.now(),
      by: 'staff-edit',
      code,
      rule: `mirrors.${mirror.name}.staff_edits`,
      ids: { calendarId, eventId, ...(arrived && { arrivedIn: arrived.calendarId }), ...because },
    });
    return 'done';
  }
}

function isGone(seen: SeenEvent | 'absent'): boolean {
  return seen === 'absent' || !seen.isLive;
}

interface Look extends Edit {
  readonly seen: SeenEvent | 'absent';
  readonly visit: Visit;
}

type CarriedWish = Exclude<Wish, { op: 'book' }>;

/** `look-again`: the event has to be read anew. An object: there the event stands now. */
type Outcome = 'done' | 'judge-again' | 'look-again' | NonNullable<Edit['arrived']>;

function wishOf(decision: Extract<EditDecision, { type: 'move' | 'cancel' }>, look: Look): CarriedWish {
  const { visit, mirror } = look;
  const common = { appointmentId: visit.id, notifyCustomer: mirror.staffEdits.notifyCustomer };
  if (decision.type === 'cancel') return { op: 'cancel', ...common };
  const { startMs, resourceId } = decision;
  return {
    op: 'move',
    ...common,
    startsAt: new Date(startMs).toISOString(),
    ...(resourceId !== undefined && { resourceId }),
  };
}

function askedBy(wish: CarriedWish): string {
  return wish.op === 'cancel' ? 'cancel' : wish.startsAt;
}

/** Names one state of an event. */
function markOf(seen: SeenEvent | 'absent'): string {
  return seen === 'absent' ? 'absent' : `${seen.etag} ${seen.updatedMs ?? ''}`;
}

export function waiting(forMs: number): DeferredError {
  return new DeferredError('edit-grace', 'an event was deleted or moved: waiting whether that is all', {
    retryAfterMs: Math.max(1, forMs),
  });
}
