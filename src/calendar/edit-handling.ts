import type { NoteWords } from '../engine/booking-answer.ts';
import type { CalendarEvents } from '../engine/calendar-events.ts';
import {
  type Arrival,
  type Look as CalendarLook,
  decideEdit,
  type EditDecision,
  type EditedAppointment,
  type EditInput,
  editedAppointment,
  type NoteCode,
  RESTORED_WITHIN_MS,
  secondOf,
} from '../engine/decide-edit.ts';
import type { EditGuard } from '../engine/edit-guard.ts';
import type { ErasureStore } from '../engine/erasure.ts';
import { assertNever, DeferredError, RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import { isKeptOwnEvent, mayBeUnmarked } from '../engine/event-rule.ts';
import type { ClassReader } from '../engine/handler.ts';
import type { History } from '../engine/history.ts';
import {
  type AskedWish,
  askedWish,
  type CalendarLink,
  type EventNote,
  openEdit,
  opened,
  unread,
} from '../engine/link.ts';
import { isSameEvent } from '../engine/link-store.ts';
import type { Memory } from '../engine/memory.ts';
import type { Directory, StaffEdits } from '../engine/mirror.ts';
import { type ForgottenTime, startedBy } from '../engine/moments.ts';
import { contentHash, formatKey, isResource } from '../engine/object.ts';
import type { Refusal, SeenEvent, Verdict, Wish } from '../engine/outside-booking.ts';
import type { DirectorySource, PlatformReader } from '../engine/platform.ts';
import type { Runtime } from '../engine/runtime.ts';
import type { BookingSubmitter } from '../engine/submitter.ts';
import { ClassHandling, type ClassOutcome } from './class-edits.ts';
import {
  type ArrivedEvent,
  agreedOn,
  answeredLink,
  asked,
  calendarsToSearch,
  decided,
  dropped,
  type Edit,
  type EditedMirror,
  foundAs,
  foundLink,
  type HeldClaim,
  hasLost,
  isCalendarOf,
  isGone,
  isOthers,
  isOwnMove,
  keepPeoplesChange,
  letBeAt,
  mirrorAt,
  standsFor,
  strayLink,
  subjectsIn,
  toPutBack,
  twinsOf,
  withoutDeletion,
} from './edit-search.ts';

/** How often one turn may judge a change again, after a fresh look at the platform or after an older wish. */
const ROUNDS_MAX = 8;
/** Calendars asked for a missing event in one turn: later turns ask the rest, so that other objects have their turns. */
const LOOKS_MAX = 100;
const LOOKS_PAUSE_MS = 500;
/** How soon a calendar that did not answer is asked again. */
const UNSEARCHED_PAUSE_MS = 60_000;
/** How many machines' counts of a grace are stored: a forgotten one starts its count again. */
const MACHINES_MAX = 8;

export interface HandlingParts extends Runtime {
  readonly classes: ClassReader;
  readonly memory: Memory;
  readonly erased: ErasureStore;
  readonly mirrors: readonly EditedMirror[];
  readonly events: CalendarEvents;
  readonly submitter: BookingSubmitter;
  readonly reader: Pick<PlatformReader, 'get'>;
  readonly directory: DirectorySource;
  readonly guard: EditGuard;
  readonly forgotten: () => Promise<ForgottenTime | undefined>;
  /** False for a calendar that the YAML no longer names in any mirror or booking. */
  readonly isNamed: (calendarId: string) => boolean;
  /** True for the code by which Google denies the worker a calendar, perhaps because it was deleted. */
  readonly isCalendarDenied: (code: string) => boolean;
  /** Names the machine, whose clock all its processes share. Clocks of other machines may differ. */
  readonly machine: string;
  readonly words: NoteWords;
  /** The platform's refusal, worded for people. */
  readonly refusalText: (refusal: Refusal) => string;
  readonly history: History;
}

/** Handles single changes: decides, carries to the platform, and stores the decisions in the links. */
export class EditHandling {
  readonly #parts: HandlingParts;
  readonly #held: HeldClaim;
  readonly #key: string;
  readonly #classes: ClassHandling;
  /** Calendars that show the missing event in a way that proves no wish. */
  readonly #doubtful = new Set<string>();
  #isFresh = false;
  /** An open request whose effect the platform does not show. Only the same decision sends it again. */
  #begun: Wish | undefined;

  constructor(parts: HandlingParts, held: HeldClaim) {
    this.#parts = parts;
    this.#held = held;
    this.#key = formatKey(held.claim.key);
    this.#classes = new ClassHandling(parts, held);
  }

  /** Handles one linked event that people changed, or that is now somewhere else. */
  async handle(edit: Edit): Promise<void> {
    let current = edit;
    let seen: SeenEvent | 'absent' | undefined;
    let readAtMs = 0;
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const { mirror } = current;
      const link = this.current(mirror, edit.link);
      const appointment = this.#appointment();
      if (appointment === undefined || link === undefined) return;
      // The request was carried out, but its handler died before it recorded the answer.
      const wish = askedWish(link);
      if (wish !== undefined && secondOf(wish.for) === appointment.startMs) await this.#noteLosers(wish);
      if (seen === undefined) {
        readAtMs = this.#parts.clock.now();
        seen = await this.#parts.events.read(link.calendarId, link.eventId);
        if (await this.#parts.events.isNobodys(link.calendarId, link.eventId)) {
          await this.#held.put(mirror.name, seen === 'absent' ? withoutDeletion(link) : unread(link));
          current = { mirror, link };
          continue;
        }
      }
      const forgotten = isLiveAs(seen, link.event.etag) ? undefined : await this.#parts.forgotten();
      const look: Look = { ...current, link, seen, readAtMs, appointment, forgotten };
      await this.#excuseMissingTwins(look);
      const unlooked = this.#unlooked(look);
      if (unlooked.length > 0) {
        const found = await this.#search(look, unlooked);
        if (typeof found === 'object') current = { ...current, arrived: found };
        continue;
      }
      const decision = await this.#unlessElsewhere(look, this.#decide(look));
      const outcome = await this.#perform(look, decision);
      if (outcome === 'done') return;
      if (outcome === 'look-again') seen = undefined;
      if (typeof outcome === 'object') current = { ...current, arrived: outcome };
    }
    throw new RetryableError('edit-unsettled', 'the event and the appointment keep changing');
  }

  /** First looks for the effect of an open request: without it, the worker could not distinguish a new wish. */
  async finishBegun(): Promise<void> {
    const { mirrors, submitter } = this.#parts;
    if (this.#isClass) return this.#finishClassMoves();
    const isAsked = mirrors.some(({ name }) =>
      this.#held.links(name).some((link) => askedWish(link) !== undefined),
    );
    if (!isAsked) return;
    const ended = await submitter.finish(this.#key);
    if (ended?.outcome === 'open') this.#begun = ended.earlier;
    else if (ended !== undefined) await this.#absorb(ended.earlier, ended);
    await this.#readNow();
  }

  async #finishClassMoves(): Promise<void> {
    for (const mirror of this.#parts.mirrors) {
      for (const link of this.#held.links(mirror.name)) {
        if (askedWish(link)?.classMove === undefined) continue;
        const edit = { mirror, link };
        await this.#toldOfClass(edit, await this.#classes.goOn(edit));
      }
    }
  }

  async #toldOfClass(edit: Edit, outcome: ClassOutcome): Promise<Outcome> {
    if (outcome.is === 'dragged-on') return 'look-again';
    // However it ended, it is no deletion that waits.
    await this.#parts.guard.deletionUndone(edit.link.calendarId, this.#key);
    return this.#told(edit, outcome.code, outcome.reason);
  }

  get #isClass(): boolean {
    return this.#held.claim.key.kind === 'class';
  }

  /**
   * People touched this event, or one with its id is elsewhere. They may have dragged a twin, and after this decision the two are
   * indistinguishable. So a missing twin no longer counts as deleted. The same holds for a twin whose calendar does not answer.
   */
  async #excuseMissingTwins({ link, seen, appointment, arrived }: Look): Promise<void> {
    if (arrived === undefined && (isGone(seen) || isLiveAs(seen, link.event.etag))) return;
    const { mirrors, events } = this.#parts;
    for (const twin of twinsOf(this.#held, mirrors, { link, appointment })) {
      const there = await events.read(twin.link.calendarId, link.eventId).catch((error: unknown) => {
        if (!(error instanceof WorkerError)) throw error;
        return 'absent' as const;
      });
      if (isGone(there)) await this.#held.put(twin.mirror.name, withoutDeletion(twin.link));
    }
  }

  #decide(look: Look): EditDecision {
    const { mirror, link, seen, appointment, arrived } = look;
    const { clock, mirrors } = this.#parts;
    const hasCalendar = mirrors.some((each) => appointment.resourceIds.some((id) => each.resolved().has(id)));
    const isKept = isKeptOwnEvent(link, { appointmentId: appointment.id, hasCalendar });
    const isShown = appointment.subjects.some((subject) => standsFor(subject, look));
    const isCopy = isShown && !isKept && !appointment.resourceIds.some((id) => standsFor(id, look));
    const hasLeft = appointment.status !== 'cancelled' && !isKept && !isShown;
    const { snapshot } = this.#held.claim;
    // The event by which people booked stays theirs until the mirror takes the appointment: the worker has not removed it.
    const isUntaken = !isKept && !mayBeUnmarked(link) && snapshot !== undefined && !mirror.keeps(snapshot);
    const isMain =
      isKept || (appointment.resourceId !== undefined && standsFor(appointment.resourceId, look));
    return decideEdit({
      ...{ seen, link, isMain, isCopy, hasLeft, isUntaken, appointment, nowMs: clock.now() },
      isOthers: seen !== 'absent' && isOthers(seen, this.#parts.isNamed),
      isFormer: !this.#parts.isNamed(link.calendarId),
      isClass: this.#isClass,
      edits: this.#editsFor(look),
      ...{ search: this.#searched(look), forgotten: look.forgotten },
      ...(arrived && {
        arrived: { event: arrived.event, to: this.#takerOf(look, arrived, isMain || isCopy) },
      }),
    });
  }

  /** The resource that gets the appointment whose event was dragged to this calendar, perhaps another mirror's. */
  #takerOf({ mirror, appointment }: Look, { calendarId }: ArrivedEvent, mayBeGiven: boolean) {
    const { mirrors, directory } = this.#parts;
    const owner = mirrorAt(mirrors, calendarId) ?? mirror;
    const { snapshot } = this.#held.claim;
    // Given to a resource whose mirror does not take it, the appointment would show nowhere.
    if (owner !== mirror && snapshot !== undefined && !owner.takes(snapshot))
      return { hindrance: 'nobodys-calendar' } as const;
    const where = { calendars: owner.resolved(), appointment, mayBeGiven, directory: directory.current() };
    return resourceAt(calendarId, where);
  }

  /** Reverts a drag that this mirror would ignore but the mirror of the other calendar would not. */
  #editsFor({ mirror, arrived }: Look): StaffEdits {
    const { staffEdits } = mirror;
    const owner = (arrived && mirrorAt(this.#parts.mirrors, arrived.calendarId)) ?? mirror;
    const isLetBe = staffEdits.moved !== 'ignore' || owner.staffEdits.moved === 'ignore';
    return isLetBe ? staffEdits : { ...staffEdits, moved: 'revert' };
  }

  #searched({ link, readAtMs }: Look): EditInput['search'] {
    const { mirrors, clock, machine } = this.#parts;
    const nowMs = clock.now();
    const looks = new Map<string, CalendarLook>();
    const open = openEdit(link);
    for (const [id, atMs] of Object.entries(open?.looks ?? {})) looks.set(id, { atMs, shows: 'nothing' });
    looks.set(link.calendarId, { atMs: readAtMs, shows: 'nothing' });
    for (const id of this.#doubtful) looks.set(id, { atMs: nowMs, shows: 'live' });
    return {
      calendars: calendarsToSearch(mirrors, link),
      looks: Object.fromEntries(looks),
      seenAtMs: startedBy(open?.missedSinceMs[machine], nowMs),
    };
  }

  /**
   * Calendars not yet searched for a missing event that may be unmarked. They are searched before any deletion is decided; otherwise the
   * event would be created twice.
   */
  #unlooked({ link, seen, arrived }: Look): readonly string[] {
    if (arrived !== undefined || !isGone(seen) || !mayBeUnmarked(link) || this.#doubtful.size > 0) return [];
    return calendarsToSearch(this.#parts.mirrors, link).filter(
      (id) => id !== link.calendarId && openEdit(link)?.looks[id] === undefined,
    );
  }

  /** Asks calendars for the missing event by its id (case 47), and stores their answers for the next turn. No answer proves nothing. */
  async #search({ mirror, link, appointment }: Look, calendars: readonly string[]): Promise<Outcome> {
    const { events, clock, mirrors } = this.#parts;
    const looks: Record<string, number> = { ...openEdit(link)?.looks };
    const isKnown = (id: string) => looks[id] !== undefined;
    const twins = twinsOf(this.#held, mirrors, { link, appointment });
    // Calendars without an answer yet come first. While one does not answer, no other is asked again.
    const others = calendars.filter((id) => id !== link.calendarId);
    const asked = [...others.filter((id) => !isKnown(id)), ...others.filter(isKnown)].slice(0, LOOKS_MAX);
    const failures: WorkerError[] = [];
    let arrived: ArrivedEvent | undefined;
    for (const calendarId of asked) {
      if (failures.some(isOfEverybody) || (failures.length > 0 && isKnown(calendarId))) break;
      const atMs = clock.now();
      const event = await events.read(calendarId, link.eventId).catch((error: unknown) => {
        if (!(error instanceof WorkerError)) throw error;
        failures.push(error);
        return undefined;
      });
      if (event === undefined) continue;
      const twin = twins.find((each) => each.link.calendarId === calendarId);
      const isUntouched = twin !== undefined && isLiveAs(event, twin.link.event.etag);
      if (event === 'absent' || !event.isLive || isUntouched) {
        looks[calendarId] = atMs;
        continue;
      }
      // In the calendar of a room of the appointment, an event says nothing about the person.
      const seconds = appointment.resourceIds.filter((id) => id !== appointment.resourceId);
      const isUnwished =
        isCalendarOf(seconds, calendarId, mirrors) || isOwnMove(this.#held, link, { calendarId, event });
      const found = foundAs(event, { appointmentId: appointment.id, link });
      if (twin !== undefined || isUnwished || found === 'doubt' || isOthers(event, this.#parts.isNamed)) {
        this.#doubtful.add(calendarId);
        return 'judge-again';
      }
      arrived = { calendarId, event };
      break;
    }
    if (arrived !== undefined) return arrived;
    await this.#held.put(mirror.name, opened(link, clock.now(), { looks }));
    const [failure] = failures;
    if (failure !== undefined) throw unsearched(failures.find(isOfEverybody) ?? failure);
    if (asked.length < others.length) {
      throw new DeferredError('edit-search', 'a deleted event is looked for in the other calendars', {
        retryAfterMs: LOOKS_PAUSE_MS,
      });
    }
    return 'look-again';
  }

  async #perform(look: Look, decision: EditDecision): Promise<Outcome> {
    const { mirror, link, seen, appointment } = look;
    const isOpen = openEdit(link) !== undefined;
    await this.#withdrawUnlessWished(link, decision);
    switch (decision.type) {
      case 'nothing':
        if (isOpen) await this.#settle(look, decided(link, seen));
        return 'done';
      case 'take-over':
        await this.#settle(look, keepPeoplesChange(link, seen));
        return this.#told(look, 'let-be');
      case 'leave':
        await this.#settle(
          look,
          { ...keepPeoplesChange(link, seen), leftAt: appointment.placement },
          appointment.placement,
        );
        return this.#told(look, 'let-be');
      case 'put-back': {
        const note = decision.note === 'keep' ? 'keep' : this.#note(decision.note, appointment);
        await this.#settle(look, toPutBack(link, seen, note));
        return this.#told(look, `put-back-${decision.why}`, decision.note);
      }
      case 'wait':
        await this.#noteMissing(mirror, link);
        await this.#parts.guard.deletionWaits(link.calendarId, this.#key);
        throw waiting(decision.untilMs - this.#parts.clock.now());
      case 'search':
        // Restoring an event sends the platform nothing.
        if (decision.before === 'restore') return this.#search(look, decision.calendars);
        if (!this.#isFresh) {
          await this.#readNow();
          return 'judge-again';
        }
        // An emptied calendar is a matter for a person: do not search for its events one by one.
        await this.#parts.guard.assertNoMassDeletion(link.calendarId, this.#key);
        return this.#search(look, decision.calendars);
      case 'move':
      case 'cancel':
        if (!this.#isFresh) {
          await this.#readNow();
          return 'judge-again';
        }
        if (this.#isClass && decision.type === 'move' && seen !== 'absent')
          return this.#toldOfClass(look, await this.#classes.move(look, seen, decision.startMs));
        return this.#carry(look, wishOf(decision, look), decision.type === 'move' ? decision : {});
      default:
        return assertNever(decision, 'decision about an event');
    }
  }

  /** People dragged the event to a calendar outside the mapping, or a program made it anew: the customer is still expected. */
  async #unlessElsewhere(look: Look, decision: EditDecision): Promise<EditDecision> {
    const { link, appointment } = look;
    const isSilent = decision.type === 'put-back' && decision.why === 'deleted' && decision.note === 'keep';
    if (decision.type !== 'cancel' && !(isSilent && this.#editsFor(look).moved === 'reschedule'))
      return decision;
    const { events, mirrors, clock } = this.#parts;
    try {
      const searched = calendarsToSearch(mirrors, link);
      const note = await events.keptElsewhere(link.calendarId, link.eventId, { searched, appointment });
      return note === undefined ? decision : { type: 'put-back', why: 'moved', note };
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      if (isSilent && clock.now() >= this.#searched(look).seenAtMs + RESTORED_WITHIN_MS) return decision;
      throw unsearched(error);
    }
  }

  /** If people or the platform changed their mind before the request was carried out, it must never be sent again (case 48). */
  async #withdrawUnlessWished(link: CalendarLink, { type }: EditDecision): Promise<void> {
    const begun = this.#begun;
    if (begun === undefined || askedWish(link)?.for !== askedBy(begun)) return;
    if (type === 'move' || type === 'cancel' || type === 'search' || type === 'wait') return;
    await this.#parts.submitter.withdraw(this.#key);
    this.#begun = undefined;
  }

  /** Call before another wish is recorded: the link must name the hour of the open request as long as its effect may appear. */
  async #withdrawOther(wish: CarriedWish): Promise<void> {
    if (this.#begun === undefined || contentHash(this.#begun) === contentHash(wish)) return;
    await this.#parts.submitter.withdraw(this.#key);
    this.#begun = undefined;
  }

  async #carry(
    look: Look,
    wish: CarriedWish,
    { note: lost, overrules }: { readonly note?: NoteCode; readonly overrules?: number },
  ): Promise<Outcome> {
    const { mirror, link, seen, appointment, arrived } = look;
    const { guard, submitter, clock } = this.#parts;
    if (wish.op === 'cancel') await guard.assertNoMassDeletion(link.calendarId, this.#key);
    const changed = arrived?.event ?? seen;
    await guard.assertNoLoop(this.#key, markOf(changed));
    if (wish.notifyCustomer) await guard.assertMayMail(this.#key, askedBy(wish));
    await this.#withdrawOther(wish);
    const asking: AskedWish = {
      for: askedBy(wish),
      ...(overrules !== undefined && { overrules: new Date(overrules).toISOString() }),
    };
    await this.#held.put(mirror.name, asked(link, asking, clock.now()));
    const verdict = await submitter.submit(this.#key, wish, {
      ...{ claim: this.#held.claim, judged: appointment },
    });
    if (verdict.earlier !== undefined) {
      await this.#absorb(verdict.earlier, verdict);
      return 'look-again';
    }
    if (verdict.outcome === 'refused') {
      const { refusal } = verdict;
      const note = { code: refusal.code, text: this.#parts.refusalText(refusal), of: appointment.standing };
      await this.#settle(look, toPutBack(link, seen, note));
      return this.#told(look, wish.op === 'cancel' ? 'cancel-refused' : 'move-refused', refusal.code);
    }
    await this.#held.refresh(verdict.appointment);
    await this.#noteLosers(asking);
    const after = decided(link, seen);
    if (wish.op === 'cancel') await this.#settle(look, after);
    else await this.#settle(look, this.#withNote(agreedOn(after, wish.startsAt), lost));
    return this.#told(look, wish.op === 'cancel' ? 'cancelled' : 'moved', lost);
  }

  /** Adds a note to events of the appointment that people moved at the same time, to an hour that lost. */
  async #noteLosers(wish: AskedWish): Promise<void> {
    if (wish.overrules === undefined) return;
    const appointment = this.#appointment();
    const note = appointment && this.#note('moved-otherwise', appointment);
    if (note === undefined) return;
    for (const { name } of this.#parts.mirrors) {
      const losers = this.#held.links(name).filter((link) => hasLost(link, wish));
      await this.#held.put(name, ...losers.map((link) => ({ ...link, note })));
    }
  }

  /** Records the end of an earlier wish, perhaps of a handler that died. */
  async #absorb(wish: Wish, verdict: Verdict): Promise<void> {
    if (verdict.outcome === 'done') await this.#held.refresh(verdict.appointment);
    for (const { name } of this.#parts.mirrors) {
      for (const link of this.#held.links(name)) {
        const own = askedWish(link);
        if (own?.for !== askedBy(wish)) continue;
        const rest = answeredLink(link);
        const isMoved = verdict.outcome === 'done' && wish.op === 'move';
        if (isMoved) await this.#noteLosers(own);
        await this.#held.put(name, isMoved ? agreedOn(rest, wish.startsAt) : rest);
      }
    }
  }

  /** Stores the decision about a link. An event that is elsewhere is linked at the mirror of that calendar. */
  async #settle(look: Look, link: CalendarLink, leftAt?: string): Promise<void> {
    const { mirror, arrived } = look;
    if (arrived === undefined) await this.#held.put(mirror.name, link);
    else {
      const { calendarId, event } = arrived;
      const { endsAt: _, ...hour } = link.event.hour;
      const at = { calendarId, eventId: link.eventId };
      // There, what people do next to the event is a wish again. People's own event is followed through its stray link (`followDragged`).
      const owners = subjectsIn(calendarId, this.#appointment()?.resourceIds ?? [], this.#parts.mirrors);
      const isTheirs = !mayBeUnmarked(link) && owners.length > 0;
      const there = {
        ...(isTheirs ? foundLink(at, event, { hour, owners }) : strayLink(at, event, hour)),
        ...(leftAt !== undefined && { leftAt, ...letBeAt(event) }),
      };
      // The worker may remove it there. Until it writes the event here again, the absence here is no deletion by people.
      const home = withoutDeletion(link);
      const owner = mirrorAt(this.#parts.mirrors, calendarId) ?? mirror;
      // In one step where that is possible: a death between the two would leave the event to nobody.
      if (owner === mirror) await this.#held.put(mirror.name, home, there);
      else {
        // In this order: the sighting finds an unrecorded arrival again.
        await this.#held.put(mirror.name, home);
        await this.#held.put(owner.name, there);
      }
    }
    // Whatever was decided, the deletion no longer waits. A deletion that was carried out still counts.
    if (openEdit(look.link) === undefined) return;
    const { guard } = this.#parts;
    if (this.#appointment()?.status === 'cancelled') await guard.deletionDecided(link.calendarId, this.#key);
    else await guard.deletionUndone(link.calendarId, this.#key);
  }

  async keepOpen(mirror: EditedMirror, link: CalendarLink | undefined): Promise<void> {
    if (link !== undefined) await this.#held.put(mirror.name, opened(link, this.#parts.clock.now()));
  }

  /** Closes the question, although the event's fate is unknown: its absence is no deletion. */
  async giveUp(mirror: EditedMirror, link: CalendarLink | undefined): Promise<void> {
    if (link === undefined || openEdit(link) === undefined) return;
    await this.#held.put(mirror.name, dropped(link));
    await this.#parts.guard.deletionUndone(link.calendarId, this.#key);
  }

  /**
   * The grace runs on the clock of the machine that counts it, because another clock may be ahead. After a restart, the worker continues
   * the count. If this clock was ahead, the count begins again.
   */
  async #noteMissing(mirror: EditedMirror, link: CalendarLink): Promise<void> {
    const { clock, machine } = this.#parts;
    const all = openEdit(link)?.missedSinceMs ?? {};
    const known = Object.entries(all).filter(([name]) => name !== machine);
    const sinceMs = startedBy(all[machine], clock.now());
    const missedSinceMs = Object.fromEntries([...known.slice(1 - MACHINES_MAX), [machine, sinceMs]]);
    await this.#held.put(mirror.name, opened(link, clock.now(), { missedSinceMs }));
  }

  /** A request is judged by the current appointment, not by what an event once said. */
  async #readNow(): Promise<void> {
    if (this.#isClass) await this.#held.reread(this.#parts.classes);
    else await this.#readAppointment();
    this.#isFresh = true;
  }

  async #readAppointment(): Promise<void> {
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
  }

  #appointment(): EditedAppointment | undefined {
    const { snapshot } = this.#held.claim;
    return snapshot === undefined ? undefined : editedAppointment(snapshot);
  }

  current(mirror: EditedMirror, link: CalendarLink): CalendarLink | undefined {
    return this.#held.links(mirror.name).find((each) => isSameEvent(each, link));
  }

  /** The note describes the appointment after its change. */
  #withNote(link: CalendarLink, code: NoteCode | undefined): CalendarLink {
    const appointment = this.#appointment();
    const note = appointment && this.#note(code, appointment);
    return note === undefined ? link : { ...link, note };
  }

  #note(code: NoteCode | undefined, appointment: EditedAppointment): EventNote | undefined {
    return code === undefined ? undefined : { code, text: this.#parts.words[code], of: appointment.standing };
  }

  #told({ mirror, link: { calendarId, eventId }, arrived }: Edit, code: string, reason?: string): 'done' {
    const { log, meter, history, clock } = this.#parts;
    const because = reason === undefined || reason === 'keep' ? {} : { reason };
    log.info({ key: this.#key, mirror: mirror.name, eventId, code, ...because }, 'staff edit decided');
    meter.add('slotbridge_staff_edits_total', { mirror: mirror.name, code });
    history.note(this.#key, {
      what: 'acted',
      atMs: clock.now(),
      by: 'staff-edit',
      code,
      rule: `mirrors.${mirror.name}.${this.#isClass ? 'classes' : 'staff_edits'}`,
      ids: { calendarId, eventId, ...(arrived && { arrivedIn: arrived.calendarId }), ...because },
    });
    return 'done';
  }
}

/** The event still has this etag; an empty etag matches nothing. */
function isLiveAs(seen: SeenEvent | 'absent', etag: string): boolean {
  return seen !== 'absent' && seen.isLive && etag !== '' && seen.etag === etag;
}

interface Look extends Edit {
  readonly seen: SeenEvent | 'absent';
  /** When `seen` was requested. */
  readonly readAtMs: number;
  readonly appointment: EditedAppointment;
  readonly forgotten: ForgottenTime | undefined;
}

type CarriedWish = Exclude<Wish, { op: 'book' }>;

/** `look-again`: read the event again. An object: where the event is now. */
type Outcome = 'done' | 'judge-again' | 'look-again' | ArrivedEvent;

function wishOf(decision: Extract<EditDecision, { type: 'move' | 'cancel' }>, look: Look): CarriedWish {
  const { appointment, mirror } = look;
  const common = { appointmentId: appointment.id, notifyCustomer: mirror.staffEdits.notifyCustomer };
  if (decision.type === 'cancel') return { op: 'cancel', ...common };
  const { startMs, resourceId } = decision;
  return {
    op: 'move',
    ...common,
    startsAt: new Date(startMs).toISOString(),
    ...(resourceId !== undefined && { resourceId }),
  };
}

function askedBy(wish: Wish): string {
  return wish.op === 'cancel' ? 'cancel' : wish.startsAt;
}

/** Identifies one state of an event. */
function markOf(seen: SeenEvent | 'absent'): string {
  return seen === 'absent' ? 'absent' : `${seen.etag} ${seen.updatedMs ?? ''}`;
}

/** A quota applies to all calendars alike. */
function isOfEverybody(error: WorkerError): boolean {
  return error instanceof DeferredError && error.quota !== undefined;
}

/** Not the object's fault, so it costs no attempt, however long it lasts. A calendar that this process keeps busy answers soon. */
export function unsearched(failure: WorkerError): WorkerError {
  if (isOfEverybody(failure) || failure.code === 'calendar-crowded') return failure;
  const { target } = failure;
  const retryAfterMs = failure instanceof DeferredError ? failure.retryAfterMs : 0;
  return new DeferredError(
    'edit-unsearched',
    'a deleted event may stand in a calendar that does not answer: nothing is cancelled before it does, and nothing restored at once',
    {
      ...(target !== undefined && { target }),
      advice: 'See that the calendar is shared with the worker, or take it out of the mapping.',
      retryAfterMs: Math.max(UNSEARCHED_PAUSE_MS, retryAfterMs),
      cause: failure,
    },
  );
}

export function waiting(forMs: number): DeferredError {
  return new DeferredError('edit-grace', 'an event was deleted or moved: waiting whether that is all', {
    retryAfterMs: Math.max(1, forMs),
  });
}

/**
 * The resource that takes the appointment when its event was moved into this calendar. The platform moves an appointment only between
 * resources of one branch (platform API, reschedule), and only its main resource. A calendar can change nothing else of an appointment.
 */
function resourceAt(
  calendarId: string,
  where: {
    /** Calendar by subject. */
    readonly calendars: ReadonlyMap<string, string>;
    readonly appointment: EditedAppointment;
    /** Moving this event may give the appointment to another resource. */
    readonly mayBeGiven: boolean;
    readonly directory: Directory;
  },
): Arrival['to'] {
  const { calendars, appointment, mayBeGiven, directory } = where;
  const subjects = [...calendars].flatMap(([subject, calendar]) => (calendar === calendarId ? subject : []));
  const here = subjects.filter(isResource);
  if (appointment.resourceId !== undefined && here.includes(appointment.resourceId))
    return { resourceId: appointment.resourceId };
  if (!mayBeGiven || here.some((id) => appointment.resourceIds.includes(id)))
    return { hindrance: 'second-resource' };
  if (here.length === 0) return { hindrance: subjects.length === 0 ? 'nobodys-calendar' : 'team-calendar' };
  const [resourceId, ...others] = here.filter(
    (id) => directory.resources.get(id)?.branchId === appointment.branchId,
  );
  if (resourceId === undefined) return { hindrance: 'other-branch' };
  // Nothing says which of them is meant.
  return others.length > 0 ? { hindrance: 'team-calendar' } : { resourceId };
}
