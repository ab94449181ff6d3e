// Mirrors one appointment to its events in the mapped calendars: one per calendar, whatever repeats, reorders or crashes in between. Every
// event is recorded before anything else is done. An event that was written but not recorded is found again by its id.

import { DeferredError, isFenced, RetryableError, TerminalError } from '../engine/errors.ts';
import { mayStandElsewhere } from '../engine/event-rule.ts';
import type { Action, FailedPlace, MirrorTarget } from '../engine/handler.ts';
import type { History } from '../engine/history.ts';
import { eventIdOf, inGeneration, isEventIdOf, isSharedId } from '../engine/ids.ts';
import {
  type CalendarLink,
  doubted,
  type EventNote,
  linkTo,
  opened,
  startsOf,
  triedOf,
  writtenPlace,
} from '../engine/link.ts';
import { HeldLinks, isSameEvent, type LinkStore } from '../engine/link-store.ts';
import { type CalendarMirror, calendarIdsOf, type Directory, type StaffEdits } from '../engine/mirror.ts';
import { agoMs, endsAt } from '../engine/moments.ts';
import { formatKey, isResource, originOf, resourcesOf, type Snapshot, subjectsOf } from '../engine/object.ts';
import type { EventOrigins } from '../engine/origin.ts';
import type { DirectorySource } from '../engine/platform.ts';
import type { Runtime } from '../engine/runtime.ts';
import { type Claim, isResting, storeLast } from '../engine/work.ts';
import type { CalendarApi } from '../google/calendar-api.ts';
import type { CalendarEvent, EventBody } from '../google/calendar-event.ts';
import { ETAG_MISMATCH, isCalendarDenied } from '../google/errors.ts';
import { assertReadable, contentLinesHash } from '../mapping/filter-lines.ts';
import {
  type CalendarBySubject,
  entersAtMs,
  judgeAppointment,
  newEventId,
  takesAppointment,
} from '../mapping/route.ts';
import { harmlessWords, maskPeople } from '../mapping/template-names.ts';
import { EventWriter, editUnseen, eventChanges, isWish } from './event-writer.ts';
import { type LeavingEvent, leavingEvent } from './move-event.ts';
import {
  awaitedEvents,
  type CalendarAction,
  expectation,
  followDragged,
  type Impersonal,
  isLeftByPeople,
  isOver,
  noteFor,
  plan,
  plannedEvent,
  plannedSteps,
  type Route,
  routeAppointment,
} from './route.ts';
import {
  coloursOf,
  compileEvent,
  type MoreGuests,
  type RenderOptions,
  renderFor,
  type WantedEvents,
} from './wanted.ts';

export interface CalendarTargetParts extends Runtime {
  readonly mirror: CalendarMirror;
  readonly api: CalendarApi;
  readonly links: LinkStore;
  readonly directory: DirectorySource;
  /** Subject to calendar, as the mapping is understood right now. */
  readonly resolved: () => CalendarBySubject;
  /** False for a calendar that the YAML no longer names, in this mirror or elsewhere. */
  readonly isNamed: (calendarId: string) => boolean;
  /** Called before people's change to an event is undone. Rejects with `TerminalError` when that happens again and again. */
  readonly beforePutBack: (key: string, mark: string) => Promise<void>;
  /** Whether another mirror has a calendar for a resource of the appointment. Absent without other mirrors. */
  readonly isShownElsewhere?: (snapshot: Snapshot) => boolean;
  /**
   * Id under which another mirror shows the appointment in this calendar; undefined if no other mirror does. Absent without other mirrors.
   */
  readonly idElsewhere?: (claim: Claim, calendarId: string) => string | undefined;
  /** Finds the events by which people booked appointments in a calendar. Absent where people cannot book in calendars. */
  readonly origins?: EventOrigins;
  /** Names the lines that take what is shown, if the mirror's `where` does not have them. Absent: it has them. */
  readonly takenBy?: string;
  /** The note of an event that has no other note. */
  readonly noteAbout?: (snapshot: Snapshot) => EventNote | undefined;
  /** Absent where no event names guests. */
  readonly moreGuests?: MoreGuests;
  /** Is told which of people's fields a reassigned event lost. */
  readonly history?: Pick<History, 'note'>;
}

const UNRESOLVED_PAUSE_MS = 15_000;

/** Throws `TerminalError` when a template of the mirror does not parse. */
export function createCalendarTarget(parts: CalendarTargetParts): MirrorTarget {
  const { mirror } = parts;
  const render = compileEvent(mirror, parts.moreGuests);
  return {
    name: mirror.name,
    from: mirror.from,
    async reconcile(found, failed) {
      const claim = withDragged(parts, found);
      const held = new HeldLinks(parts.links, claim, mirror.name);
      if (claim !== found) await held.assertHeld();
      const planned = decide(parts, render, claim);
      const behind = new PlacesBehind(failed);
      const taken = await takeUp(parts, { ...planned, claim, held, behind });
      const decided = taken === claim ? planned : decide(parts, render, taken);
      const action = await apply(parts, {
        claim: taken,
        held,
        behind,
        gone: new Set(),
        right: [],
        ...decided,
      });
      measure(parts, claim, action);
      return action;
    },
    async preview(claim) {
      const { actions } = decide(parts, render, withDragged(parts, claim));
      return summarize(new Set(actions.map((action) => action.type)));
    },
    async planned(claim) {
      const { actions, wanted, noteAt } = decide(parts, render, withDragged(parts, claim));
      return plannedSteps(actions, (link, calendarId) => {
        const event = wanted.get(calendarId);
        const { snapshot } = claim;
        if (event === undefined || snapshot === undefined) return {};
        const note = noteAt(calendarId)?.text;
        const fields = eventChanges(link, { ...event, note }, String(snapshot['status']));
        const about = { directory: parts.directory.current(), calendarId, note };
        return { fields, event: plannedEvent(link, event.body, impersonal(claim, render, about)) };
      });
    },
    nextTurnAtMs({ snapshot, deleted, links }, nowMs) {
      if (snapshot === undefined || deleted || mirror.where.untilMs === undefined) return undefined;
      const linked = (links[mirror.name]?.calendars ?? []).length > 0;
      return entersAtMs(mirror.where, snapshot, { nowMs, linked, directory: parts.directory.current() });
    },
    async expected(claim) {
      const { actions, wanted } = decide(parts, render, withDragged(parts, claim));
      return actions.map((action) => expectation(action, wanted.get(action.calendarId)));
    },
  };
}

/** The event and the words of the appointment, without personal data. Undefined for a class, which consists of people. */
function impersonal(
  { key, snapshot }: Claim,
  render: ReturnType<typeof compileEvent>,
  about: { readonly directory: Directory } & RenderOptions,
): Impersonal | undefined {
  if (snapshot === undefined || key.kind !== 'appointment') return undefined;
  const { directory } = about;
  const masked = maskPeople(key.kind, snapshot);
  return {
    body: render(masked, directory, about).body,
    harmless: harmlessWords(snapshot, { masked, directory }),
  };
}

/** The claim, with people's own events linked where they are now. Applies only while the mirror does not take the appointment. */
function withDragged(parts: CalendarTargetParts, claim: Claim): Claim {
  const { snapshot, deleted, links } = claim;
  const { mirror, clock, directory } = parts;
  const calendars = links[mirror.name]?.calendars ?? [];
  if (snapshot === undefined || deleted || snapshot['status'] === 'cancelled' || calendars.length === 0)
    return claim;
  const { customer } = claim;
  const around = { nowMs: clock.now(), linked: true, directory: directory.current(), customer };
  if (takesAppointment(mirror.where, snapshot, around)) return claim;
  const edits = editsOf(parts, snapshot);
  const resolved = parts.resolved();
  const shown = resourcesOf(snapshot).filter((id) => resolved.has(id));
  const followed = followDragged(calendars, {
    isLeft: (link) => isLeftByPeople(edits, snapshot, { link, links }),
    missedAt: (calendarId) => (shown.some((id) => resolved.get(id) === calendarId) ? [] : shown),
  });
  if (followed === calendars) return claim;
  return { ...claim, links: { ...links, [mirror.name]: { ...links[mirror.name], calendars: followed } } };
}

/** The claim with the events by which people booked, in calendars where a new event would be created otherwise. */
async function takeUp(
  parts: CalendarTargetParts,
  {
    claim,
    held,
    actions,
    behind,
    isOfResource,
  }: Pick<Work, 'claim' | 'held' | 'actions' | 'behind' | 'isOfResource'>,
): Promise<Claim> {
  const { snapshot, links } = claim;
  const { origins } = parts;
  if (snapshot === undefined || origins === undefined || originOf(snapshot) === undefined) return claim;
  const found: CalendarLink[] = [];
  const shown = new Set<string>();
  for (const action of actions) {
    const stays = action.type === 'update' || (action.type === 'nothing' && action.why !== 'open');
    if (stays && action.link.absence !== 'leaving') shown.add(action.link.eventId);
  }
  for (const { type, calendarId } of actions) {
    if (type !== 'create' || isResting(claim, parts.mirror.name, calendarId)) continue;
    await behind.unless(calendarId, async () => {
      // An event that was dragged into a team's calendar goes back, because that calendar shows the appointment under an id of its own.
      const link = await origins.bookedBy(
        snapshot,
        calendarId,
        isOfResource(calendarId) ? (eventId) => shown.has(eventId) : () => true,
      );
      if (link === undefined) return;
      await held.put(link);
      found.push(link);
      shown.add(link.eventId);
    });
  }
  if (found.length === 0) return claim;
  const { name } = parts.mirror;
  const calendars = [...(links[name]?.calendars ?? []), ...found];
  return { ...claim, links: { ...links, [name]: { ...links[name], calendars } } };
}

function decide(
  parts: CalendarTargetParts,
  render: ReturnType<typeof compileEvent>,
  claim: Claim,
): Pick<Work, 'actions' | 'wanted' | 'noteAt' | 'known' | 'takenBy' | 'isOfResource'> {
  const { mirror, clock } = parts;
  const resolved = parts.resolved();
  const directory = parts.directory.current();
  if (resolved.size === 0) {
    throw new DeferredError('mapping-unresolved', 'the resources of the mapping are not known yet', {
      retryAfterMs: UNRESOLVED_PAUSE_MS,
    });
  }
  if (claim.snapshot === undefined && !claim.deleted) {
    throw new RetryableError('snapshot-missing', 'nothing but the id of the appointment is known');
  }
  const snapshot = claim.deleted ? undefined : claim.snapshot;
  if (snapshot !== undefined) assertReadable(mirror.where, { kind: 'appointment', snapshot, directory });
  const links = claim.links[mirror.name]?.calendars ?? [];
  const isShownElsewhere = snapshot !== undefined && parts.isShownElsewhere?.(snapshot) === true;
  const { customer, isShownByClass } = claim;
  const nowMs = clock.now();
  const about = { mirror, snapshot, links, resolved, directory, customer, isShownByClass, nowMs };
  const route = routeAppointment({ ...about, isShownElsewhere });
  const noteAt = (calendarId: string) =>
    (links.length > 0 ? noteFor(calendarId, { snapshot, links, route }) : undefined) ??
    (snapshot && parts.noteAbout?.(snapshot));
  const wanted = renderFor(route.calendars, (calendarId) => {
    if (snapshot === undefined) return undefined;
    return render(snapshot, directory, { calendarId, note: noteAt(calendarId)?.text });
  });
  const hashIn = (calendarId: string) => wanted.get(calendarId)?.hash ?? '';
  const isOld = snapshot !== undefined && isOver(snapshot, nowMs - mirror.where.sinceMs);
  const isHistory = (link: CalendarLink) =>
    isOld && link.sourceHash !== undefined && link.sourceHash === wanted.get(link.calendarId)?.sourceHash;
  const edits = editsOf(parts, snapshot);
  const isLeft = (link: CalendarLink) =>
    snapshot !== undefined && isLeftByPeople(edits, snapshot, { link, links: claim.links });
  const { known } = route;
  const isTaken =
    snapshot !== undefined &&
    judgeAppointment(mirror.where, snapshot, { directory, customer, about: ['content'] }) === 'yes';
  const takenBy = isTaken ? (parts.takenBy ?? contentLinesHash(mirror.where)) : undefined;
  const subjects = snapshot === undefined ? [] : resourcesOf(snapshot);
  const isOfResource = (calendarId: string) => subjects.some((id) => resolved.get(id) === calendarId);
  const isGuest = ({ event, calendarId, eventId }: CalendarLink) =>
    event.is === 'strayed' &&
    !isOfResource(calendarId) &&
    inGeneration(eventId, 0) !== eventIdOf(claim.key.id, calendarId);
  const awaitedIn = awaitedEvents(links, { subjects, resolved, isNamed: parts.isNamed });
  const actions = plan({ ...route, hashIn, links, isHistory, isLeft, isGuest, awaitedIn });
  return { wanted, noteAt, known, takenBy, actions, isOfResource };
}

interface Work {
  readonly claim: Claim;
  readonly held: HeldLinks;
  readonly behind: PlacesBehind;
  readonly actions: readonly CalendarAction[];
  readonly wanted: WantedEvents;
  /** The note for the people who look at a calendar. */
  readonly noteAt: (calendarId: string) => EventNote | undefined;
  readonly known: Route['known'];
  /** Whether a calendar belongs to one of the appointment's resources. These calendars share the id of the event. */
  readonly isOfResource: (calendarId: string) => boolean;
  /** Hash of the content lines that take the appointment; undefined if they do not take it. */
  readonly takenBy: string | undefined;
  /** Links of events that were moved to another calendar in this turn. */
  readonly gone: Set<CalendarLink>;
  /** Events that this turn has made right. After a loss of Redis, the plan may have found another link to one, to be removed. */
  readonly right: CalendarLink[];
}

/** A calendar that fails or rests does not keep the others from being written. */
async function apply(parts: CalendarTargetParts, work: Work): Promise<Action> {
  const { claim, behind } = work;
  const done = new Set<CalendarAction['type']>();
  let isNewElsewhere = true;
  for (const action of work.actions) {
    // The appointment must be in its new calendar before it is removed from the old one.
    if (action.type === 'remove' && !isNewElsewhere) continue;
    const isFirst = action.type === 'create' || (action.type === 'update' && action.link.event.etag === '');
    // The worker was about to remove it or to move it away, so it may be gone.
    const mayBeGone = action.type === 'update' && action.link.absence === 'leaving';
    const rests = action.type !== 'nothing' && isResting(claim, parts.mirror.name, action.calendarId);
    const isPut =
      !rests &&
      (await behind.unless(action.calendarId, async () => {
        const isWritten = await perform(parts, work, action).catch((error: unknown) => {
          if (!isGivenUp(parts, action, error)) throw error;
          reportGivenUp(parts, work, action);
          return false;
        });
        if (isFirst) done.add('create');
        else if (isWritten) done.add(action.type);
      }));
    const isAwaited =
      action.type === 'nothing' &&
      (action.link.calendarId !== action.calendarId || action.link.event.is === 'intended');
    if (((isFirst || mayBeGone) && !isPut) || isAwaited) isNewElsewhere = false;
  }
  behind.assertTold();
  return summarize(done);
}

/** Calendars that failed in this turn. Each gets its own next turn if the caller wants to know about failed places. */
class PlacesBehind {
  readonly #failed: FailedPlace | undefined;
  readonly #errors = new Map<string, unknown>();

  constructor(failed: FailedPlace | undefined) {
    this.#failed = failed;
  }

  /** False when the calendar failed, now or earlier in this turn. Rejects only when another handler has taken the object over. */
  async unless(calendarId: string, work: () => Promise<void>): Promise<boolean> {
    if (this.#errors.has(calendarId)) return false;
    try {
      await work();
      return true;
    } catch (error) {
      if (isFenced(error)) throw error;
      this.#errors.set(calendarId, error);
      this.#failed?.(calendarId, error);
      return false;
    }
  }

  /** Rejects with the most hopeful failure if there was no `failed` to report to. */
  assertTold(): void {
    if (this.#failed === undefined && this.#errors.size > 0) throw mostHopeful([...this.#errors.values()]);
  }
}

/**
 * The YAML no longer names the calendar, and Google refuses it, perhaps because it was deleted. That refusal may never end. The link stays,
 * so every later turn tries once more, and `audit` finds the event if the calendar comes back.
 */
function isGivenUp(
  { isNamed }: CalendarTargetParts,
  { calendarId }: CalendarAction,
  error: unknown,
): boolean {
  return error instanceof DeferredError && isCalendarDenied(error.code) && !isNamed(calendarId);
}

function reportGivenUp({ mirror, log }: CalendarTargetParts, { claim }: Work, action: CalendarAction): void {
  const { type, calendarId } = action;
  log.info(
    { mirror: mirror.name, id: claim.key.id, action: type, calendarId },
    'calendar not in the mapping and not open to the worker: event left as it is',
  );
}

/** False when the event was already right. */
async function perform(parts: CalendarTargetParts, work: Work, action: CalendarAction): Promise<boolean> {
  const { api, mirror, log } = parts;
  const { held, claim } = work;
  await storeLast(claim);
  const wanted = work.wanted.get(action.calendarId);
  if (action.type === 'nothing') {
    if (action.why === 'same') await remember(work, action.link);
    return false;
  }
  if (action.type === 'remove') {
    if (work.gone.has(action.link)) return true;
    if (work.right.some((link) => isSameEvent(link, action.link))) return false;
    if (isTheirs(parts, work, action.link) || (await standsAt(parts, work, action.link))) {
      await held.drop(action.link);
      return false;
    }
    // Stored before the removal. If its answer is lost and the appointment returns to this calendar, the event must not count as existing.
    // Its absence must not count as a deletion by people either, which might cancel the appointment.
    await held.put({ ...action.link, event: doubted(action.link.event), absence: 'leaving' });
    const removed = await takeAway(parts, work, action.link);
    if (removed === 'absent') {
      assertWillNotAppear(action.link, parts.clock.now());
      await keepLostForStaffEdits(parts, work, action.link);
    }
    await held.drop(action.link);
    return true;
  }
  if (wanted === undefined)
    throw new TerminalError('unhandled-case', 'an event is to be written that was not rendered');
  if (action.type === 'update' && action.link.absence === 'leaving')
    assertNotMovingAway(work, action.link.eventId, parts.clock.now());
  const leaving = leavingTo(parts, work, { to: action.calendarId, body: wanted.body });
  const writer = new EventWriter({
    api,
    appointmentId: claim.key.id,
    newId: (calendarId) => newEventId(claim.snapshot ?? { id: claim.key.id }, calendarId, work.known),
    wanted,
    status: String(claim.snapshot?.['status']),
    note: work.noteAt(action.calendarId),
    edits: editsOf(parts, claim.snapshot),
    beforePutBack: (mark) => parts.beforePutBack(formatKey(claim.key), mark),
    clock: parts.clock,
    isNamed: parts.isNamed,
    elsewhere: (eventId) => elsewhere(claim, { eventId, calendarId: action.calendarId }),
    hasTwin: (eventId) => hasTwin(work, { eventId, calendarId: action.calendarId }),
    colours: () => coloursOf(mirror.event),
    leaving,
    assertHeld: () => held.assertHeld(),
    intend: (link) => held.put({ ...link, ...sourceOf(work, link) }),
    forgo: (link) => held.drop(link),
  });
  const isNew = action.type === 'create' || action.link.event.is === 'intended';
  const made =
    action.type === 'create' ? await writer.create(action.calendarId) : await writer.update(action.link);
  const link = isNew && leaving !== undefined ? await withCopies(parts, work, { link: made, leaving }) : made;
  const told = { mirror: mirror.name, id: claim.key.id, action: action.type, eventId: link.eventId };
  if (writer.hasWritten) log.debug(told, 'event written');
  const written = { ...link, ...sourceOf(work, action.type === 'update' ? action.link : link) };
  await held.putLast(written, {
    instead: action.type === 'update' ? action.link : undefined,
    onFenced: async () => {
      if (writer.hasWritten) await leaveToSuccessor(parts, claim, written);
    },
  });
  work.right.push(written);
  // An update that was tried before and is in place now was written, although no answer said so.
  return writer.hasWritten || (action.type === 'update' && triedOf(action.link.event.hour).length > 0);
}

/** The link after people's fields were copied. The intention stands until then, so that a lost answer repeats it. */
async function withCopies(
  { history, clock }: CalendarTargetParts,
  { claim }: Work,
  { link, leaving }: { readonly link: CalendarLink; readonly leaving: LeavingEvent },
): Promise<CalendarLink> {
  const { calendarId, eventId, event } = link;
  const { etag, lost } = await leaving.copyTo({ id: eventId, etag: event.etag });
  if (lost.length > 0)
    history?.note(formatKey(claim.key), {
      ...{ what: 'acted', atMs: clock.now(), by: 'worker', code: 'fields-lost' },
      ids: { calendarId, eventId, fields: lost.join(' ') },
    });
  return { ...link, event: { ...event, etag } };
}

/** The event that may move to this calendar. One that shows less than others gets a new event without what people added. */
function leavingTo(
  parts: CalendarTargetParts,
  work: Work,
  { to, body }: { readonly to: string; readonly body: EventBody },
): LeavingEvent | undefined {
  const { claim, held, gone } = work;
  const leaving: CalendarLink[] = [];
  for (const action of work.actions)
    if (action.type === 'remove' && !gone.has(action.link) && !isTheirs(parts, work, action.link))
      leaving.push(action.link);
  if (leaving.length === 0) return undefined;
  const isMasked = parts.mirror.calendars.some(
    (each) => each.calendarId === to && each.busyTitle !== undefined,
  );
  if (isMasked || !work.isOfResource(to)) return undefined;
  return leavingEvent(
    {
      ...{ api: parts.api, held, appointmentId: claim.key.id, to, body },
      assertUnchanged: (link, seen) => keepChangedForStaffEdits(parts, work, { link, seen }),
      hasLeft: (link) => void gone.add(link),
    },
    leaving,
  );
}

/** A move away from here got no answer and may still be on its way. It would take the event along after it was written here. */
function assertNotMovingAway({ actions }: Work, eventId: string, nowMs: number): void {
  for (const other of actions) {
    if (other.type === 'remove' && other.link.eventId === eventId) assertWillNotAppear(other.link, nowMs);
  }
}

/** Links of all mirrors to the event with this id, except the link in this calendar. */
function elsewhere(
  { links }: Claim,
  { calendarId, eventId }: Pick<CalendarLink, 'calendarId' | 'eventId'>,
): readonly CalendarLink[] {
  return Object.values(links)
    .flatMap(({ calendars = [] }) => calendars)
    .filter((link) => link.eventId === eventId && link.calendarId !== calendarId);
}

/** The calendars of an appointment's resources share its id, because people hand the event over between them. */
function hasTwin(
  { claim, known }: Work,
  { calendarId, eventId }: Pick<CalendarLink, 'calendarId' | 'eventId'>,
): boolean {
  const { key, snapshot } = claim;
  const others = elsewhere(claim, { calendarId, eventId }).filter(({ event }) => event.is !== 'strayed');
  if (others.length === 0 || !isEventIdOf(eventId, key.id)) return false;
  const subjects = snapshot === undefined ? [] : subjectsOf(snapshot);
  const onlyShows = (link: CalendarLink) => {
    const here = subjects.filter((subject) => known.get(subject) === link.calendarId);
    const owners = here.length > 0 ? here : (link.resourceIds ?? []);
    return owners.length > 0 && !owners.some(isResource);
  };
  const isOfOne = !isSharedId(eventId, key.id);
  return others.some((link) => isOfOne || onlyShows(link));
}

/**
 * The YAML has given the calendar to another mirror, which shows the appointment in this very event. Otherwise two mirrors that exchange
 * calendars would delete what the other just wrote.
 */
function isTheirs(
  { idElsewhere }: CalendarTargetParts,
  { claim }: Work,
  { calendarId, eventId }: CalendarLink,
): boolean {
  const id = idElsewhere?.(claim, calendarId);
  return id !== undefined && id === inGeneration(eventId, 0);
}

/** The calendar has another address in the YAML now, at which this very event is linked. */
async function standsAt(
  { api, mirror }: CalendarTargetParts,
  { held }: Work,
  { calendarId, eventId }: CalendarLink,
): Promise<boolean> {
  if (calendarIdsOf(mirror).includes(calendarId)) return false;
  for (const other of held.calendars)
    if (other.calendarId !== calendarId && other.eventId === eventId)
      if (await api.isSameObject(eventId, calendarId, other.calendarId)) return true;
  return false;
}

/**
 * The event was written, but its link was refused. A handler that took over has the intention. But if Redis lost the end of its file, this
 * event is unknown. The successor removes it, or reads it before relying on it.
 */
async function leaveToSuccessor(
  { links, mirror }: CalendarTargetParts,
  { key }: Claim,
  link: CalendarLink,
): Promise<void> {
  await links.adopt(formatKey(key), mirror.name, {
    ...link,
    event: doubted(link.event),
    absence: 'leaving',
  });
}

function editsOf({ origins, mirror }: CalendarTargetParts, snapshot: Snapshot | undefined): StaffEdits {
  const isBooked = snapshot !== undefined && originOf(snapshot) !== undefined;
  return (isBooked ? origins?.editsFor(snapshot) : undefined) ?? mirror.staffEdits;
}

/**
 * Removes the event only in its known state. An event that people dragged back here, perhaps after a lost answer, may exist nowhere else.
 */
async function takeAway(
  parts: CalendarTargetParts,
  work: Work,
  link: CalendarLink,
): Promise<'removed' | 'absent'> {
  const { api } = parts;
  const { calendarId, eventId: id } = link;
  const { etag } = link.event;
  const removed = etag === '' ? 'changed' : await api.remove(calendarId, { id, etag });
  if (removed !== 'changed') return removed;
  const seen = await api.get(calendarId, id);
  if (seen === 'absent' || seen.status === 'cancelled') return 'absent';
  await keepChangedForStaffEdits(parts, work, { link, seen });
  const again = await api.remove(calendarId, seen);
  if (again !== 'changed') return again;
  throw new RetryableError(ETAG_MISMATCH, 'the event keeps changing', { target: `calendar:${calendarId}` });
}

/** Reports people's change to an event that is to be removed: they moved it to another hour, or brought it back after it was gone. */
async function keepChangedForStaffEdits(
  parts: CalendarTargetParts,
  { claim, held }: Work,
  { link, seen }: { readonly link: CalendarLink; readonly seen: CalendarEvent },
): Promise<void> {
  const { snapshot } = claim;
  if (snapshot === undefined || snapshot['status'] === 'cancelled' || link.event.is === 'strayed') return;
  const nowMs = parts.clock.now();
  const { calendarId, eventId, event } = link;
  const edits = editsOf(parts, snapshot);
  const isRemembered = edits.moved === 'reschedule' && startsOf(link).length > 0 && link.leftAt === undefined;
  const isMoved = isRemembered && isWish(seen, [...startsOf(link), String(snapshot['starts_at'])], edits);
  // Written here last, it has not been elsewhere: people chose another hour before it was removed.
  const written = writtenPlace(seen.extendedProperties?.private ?? {}, [calendarId]);
  const isHourAlone = isMoved && written !== undefined;
  if (link.absence !== 'wish' && event.etag !== '' && !isHourAlone) {
    const known = linkTo({ calendarId, eventId }, { etag: seen.etag, hour: event.hour });
    await held.put(opened({ ...known, event: { ...known.event, is: 'strayed' } }, nowMs));
    throw editUnseen(calendarId);
  }
  if (!isMoved) return;
  await held.put(opened(link, nowMs));
  throw editUnseen(calendarId);
}

/** Opens the link of people's own event instead of dropping it, so that staff edits look for the event in the other calendars. */
async function keepLostForStaffEdits(
  { clock }: CalendarTargetParts,
  { claim, held }: Work,
  link: CalendarLink,
): Promise<void> {
  // Staff edits are decided by the current appointment.
  if (claim.deleted || claim.snapshot === undefined || !mayStandElsewhere(link)) return;
  await held.put(opened(link, clock.now()));
  throw editUnseen(link.calendarId);
}

/**
 * The subjects for which the calendar shows the event, and the hash of its source. The hash distinguishes an edit of the YAML from a change
 * to the appointment.
 */
function sourceOf(
  { claim, wanted, known, takenBy }: Work,
  { calendarId, resourceIds }: CalendarLink,
): Pick<CalendarLink, 'resourceIds' | 'sourceHash' | 'takenBy'> {
  const all = claim.snapshot === undefined ? [] : subjectsOf(claim.snapshot);
  // By the calendars that count for this appointment: an edit of the YAML does not give a past event to another subject.
  const here = all.filter((id) => known.get(id) === calendarId);
  // A cancelled appointment has no subjects.
  const owners = here.length > 0 ? here : resourceIds;
  const sourceHash = wanted.get(calendarId)?.sourceHash;
  return {
    ...(owners && { resourceIds: owners }),
    ...(sourceHash && { sourceHash }),
    ...(takenBy && { takenBy }),
  };
}

async function remember(work: Work, link: CalendarLink): Promise<void> {
  const origin = sourceOf(work, link);
  const isKnown =
    link.sourceHash === origin.sourceHash &&
    (origin.takenBy === undefined || link.takenBy === origin.takenBy) &&
    link.resourceIds?.join() === origin.resourceIds?.join();
  if (!isKnown) await work.held.put({ ...link, ...origin });
}

/** How long an abandoned insert may still be performed after it began: the time-out of a call, twice. */
const IN_DOUBT_MS = 20_000;

/** An insert without an answer may still be on its way, so its event is looked for again before it is forgotten. */
function assertWillNotAppear(link: CalendarLink, nowMs: number): void {
  if (link.event.is !== 'intended') return;
  const leftMs = endsAt(link.event.sinceMs, { forMs: IN_DOUBT_MS, nowMs }) - nowMs;
  if (leftMs <= 0) return;
  throw new DeferredError('insert-in-doubt', 'an event that was about to be made may still appear', {
    target: `calendar:${link.calendarId}`,
    retryAfterMs: leftMs,
  });
}

function summarize(done: ReadonlySet<CalendarAction['type']>): Action {
  if (done.has('create')) return done.has('remove') ? 'moved' : 'created';
  if (done.has('update')) return 'updated';
  return done.has('remove') ? 'removed' : 'nothing';
}

function measure(parts: CalendarTargetParts, claim: Claim, action: Action): void {
  const { meter, mirror, clock } = parts;
  if (action === 'nothing') return;
  meter.add('slotbridge_event_writes_total', { mirror: mirror.name, action });
  if (claim.pendingSinceMs === undefined) return;
  const lagSeconds = agoMs(claim.pendingSinceMs, clock.now()) / 1000;
  meter.observe('slotbridge_lag_seconds', lagSeconds, { mirror: mirror.name });
}

/** Prefers a failure that may pass, so that the appointment is tried again. */
function mostHopeful(failures: readonly unknown[]): unknown {
  return (
    failures.find((failure) => failure instanceof RetryableError) ??
    failures.find((failure) => failure instanceof DeferredError) ??
    failures[0]
  );
}
