// Shows one class in the mapped calendars like an appointment of all its members. Reverts people's changes to its event, except moves that
// the mapping allows.

import {
  asAppointment,
  CLASSES,
  type ClassNow,
  type ClassRule,
  type ClassSlot,
  classIdOf,
  classNow,
  classSlotText,
  slotIn,
  slotOf,
  storedClass,
} from '../engine/class-slot.ts';
import { DeferredError, RetryableError, TerminalError } from '../engine/errors.ts';
import type { ClassReader, Handler, MirrorTarget, WorkQueue } from '../engine/handler.ts';
import { calendarPlace, isEventIdOf } from '../engine/ids.ts';
import type { Intake } from '../engine/intake.ts';
import type { Ledger } from '../engine/ledger.ts';
import type { EventNote, MirrorLinks } from '../engine/link.ts';
import type { LinkStore } from '../engine/link-store.ts';
import type {
  AppointmentFilter,
  CalendarMirror,
  Directory,
  Expectation,
  StaffEdits,
} from '../engine/mirror.ts';
import { contentHash, type EntityKey, formatKey, type Snapshot } from '../engine/object.ts';
import { namedAlike } from '../engine/plain-text.ts';
import { type DirectorySource, foundOrAbsent, type PlatformReader } from '../engine/platform.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import { LIVE_FOR_MS } from '../engine/reconcile.ts';
import type { Clock } from '../engine/runtime.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import { type Claim, storeLast } from '../engine/work.ts';
import { assertReadable, type CustomerOf } from '../mapping/filter-lines.ts';
import { type CalendarBySubject, calendarsOf, isOfClass, judgeAppointment } from '../mapping/route.ts';
import type { GuestsOf } from './class-guests.ts';

export interface MemberParts {
  readonly mirror: CalendarMirror;
  readonly directory: DirectorySource;
  readonly view: Pick<Ledger, 'peek'>;
  readonly resolved: () => CalendarBySubject;
}

/**
 * A calendar mirror without single events for appointments of a class. An event from before stays until the class event exists; without it
 * the appointment would be in no calendar. The class then marks the appointment dirty.
 */
export function withoutMembers(target: MirrorTarget, parts: MemberParts): MirrorTarget {
  const { mirror, directory, view, resolved } = parts;
  if (mirror.classes === undefined) return target;
  const slotFor = (claim: Claim) => classOf([mirror.classes], claim, directory.current());
  const told = async (claim: Claim): Promise<Claim> => {
    const slot = slotFor(claim);
    if (slot === undefined || claim.snapshot === undefined) return claim;
    const known = await view.peek({ kind: 'class', id: classIdOf(slot) });
    const isShownByClass = standsIn(known, mirror.name, calendarsOf(claim.snapshot, resolved()));
    return { ...claim, isShownByClass };
  };
  /** The claim as it is in the end: the class event exists. */
  const ended = (claim: Claim): Claim =>
    slotFor(claim) === undefined ? claim : { ...claim, isShownByClass: true };
  return {
    name: target.name,
    from: target.from,
    reconcile: async (claim, failed) => target.reconcile(await told(claim), failed),
    preview: (claim) => target.preview(ended(claim)),
    planned: (claim) => target.planned(ended(claim)),
    expected: (claim) => target.expected(ended(claim)),
    nextTurnAtMs: (claim, nowMs) => target.nextTurnAtMs?.(claim, nowMs),
  };
}

/** The class in which one of the rules shows the appointment; undefined if the appointment is shown singly. */
export function classOf(
  rules: readonly (ClassRule | undefined)[],
  { snapshot, deleted, links }: Pick<Claim, 'snapshot' | 'deleted' | 'links'>,
  directory: Directory,
): ClassSlot | undefined {
  if (snapshot === undefined || deleted) return undefined;
  const isKnown = (links[CLASSES]?.slots ?? []).length > 0;
  return rules.some((rule) => isOfClass(rule, snapshot, { directory, isKnown }))
    ? slotOf(snapshot)
    : undefined;
}

/** Whether the mirror has written an event of the object in each of these calendars. */
function standsIn(claim: Claim | undefined, mirror: string, calendars: readonly string[]): boolean {
  const links = claim?.links[mirror]?.calendars ?? [];
  return calendars.every((id) =>
    links.some(({ calendarId, event }) => calendarId === id && event.is === 'written'),
  );
}

/**
 * How soon to check again whether each member has an event of its own. Needed only for members whose calendar fails, because the others
 * mark the class dirty.
 */
const HANDED_BACK_LOOK_MS = 60_000;
/** How often a class with more people than places is reported again. */
const OVERBOOKED_LOOK_MS = 3_600_000;

export interface ClassTargetParts {
  readonly mirror: CalendarMirror;
  readonly directory: DirectorySource;
  readonly resolved: () => CalendarBySubject;
  readonly view: Pick<Ledger, 'peek'>;
  readonly links: Pick<LinkStore, 'write'>;
  readonly dirtyMarks: Pick<DirtyMarks, 'markDirty'>;
  readonly queue: WorkQueue;
  readonly problems: Pick<ProblemBoard, 'raise' | 'clear'>;
  /** Absent where `where` does not filter by customer. */
  readonly customerOf?: CustomerOf;
  /** Absent where the event names no guests. */
  readonly guestsOf?: GuestsOf;
  readonly clock: Clock;
}

/** The mirror as it shows classes: the calendar target treats a class as an appointment. */
export function mirrorOfClasses(mirror: CalendarMirror): CalendarMirror {
  const { classes, where } = mirror;
  const { link: _, ...event } = mirror.event;
  return {
    ...mirror,
    // `where` filters the appointments, not the class.
    where: { sinceMs: where.sinceMs, ...(where.untilMs !== undefined && { untilMs: where.untilMs }) },
    event: {
      ...event,
      title: classes?.title ?? '',
      description: classes?.description,
      cancelled: 'remove',
    },
    staffEdits: classEdits(mirror),
  };
}

/**
 * Names the lines of `where`. If the lines that took an appointment before now refuse it, the appointment has changed; otherwise the YAML
 * has.
 */
export function whereHash({ sinceMs: _, untilMs: __, condition, ...lists }: AppointmentFilter): string {
  return contentHash({ ...lists, condition: condition?.source }).slice(0, HASH_CHARS);
}
const HASH_CHARS = 16;

/** People's changes to the event of a class are reverted, except to its hour where the mapping allows that. */
export function classEdits({
  classes,
  staffEdits: { graceMs, notifyCustomer },
}: Pick<CalendarMirror, 'classes' | 'staffEdits'>): StaffEdits {
  const moved = classes?.moved === 'all' ? 'reschedule' : 'revert';
  return { moved, deleted: 'restore', conflict: 'platform', graceMs, notifyCustomer };
}

/** The note in an event with more people than places. */
export function overbookedNote(text: (numbers: { taken: number; places: number }) => string) {
  return ({ over, taken, places, standing }: Snapshot): EventNote | undefined =>
    typeof over === 'number' && over > 0
      ? {
          code: 'class-overbooked',
          text: text({ taken: Number(taken), places: Number(places) }),
          of: String(standing),
        }
      : undefined;
}

/** Whether the mirror shows the class under the current mapping. */
export function showsClass(
  { classes, name }: Pick<CalendarMirror, 'classes' | 'name'>,
  { snapshot, links }: Pick<Claim, 'snapshot' | 'links'>,
  directory: DirectorySource,
): boolean {
  const isKnown = (links[name]?.calendars ?? []).length > 0;
  return snapshot !== undefined && isOfClass(classes, snapshot, { directory: directory.current(), isKnown });
}

/** `inner` is the target of `mirrorOfClasses`. The claim comes from the class reader. */
export function createClassTarget(inner: MirrorTarget, parts: ClassTargetParts): MirrorTarget {
  const { mirror } = parts;
  return {
    name: mirror.name,
    from: 'class',
    async reconcile(claim, failed) {
      await reportSplit(parts, claim);
      const shown = await view(parts, claim);
      if (shown === 'untouched') return 'nothing';
      if (shown.isHandedBack === false) throw notHandedBack();
      const action = await inner.reconcile(shown.claim, failed);
      await markMembersDirty(parts, claim, shown);
      await reportOverbooked(parts, shown.claim);
      return action;
    },
    async preview(claim) {
      const shown = await view(parts, claim);
      return shown === 'untouched' ? 'nothing' : inner.preview(shown.claim);
    },
    async planned(claim) {
      const shown = await view(parts, claim);
      return shown === 'untouched' ? [] : inner.planned(shown.claim);
    },
    async expected(claim) {
      const shown = await view(parts, claim);
      return shown === 'untouched' ? asTheyStand(parts, claim) : inner.expected(shown.claim);
    },
    nextTurnAtMs(claim, nowMs) {
      const { members = [] } = (claim.snapshot ?? {}) as Partial<ClassNow>;
      if (members.length === 0 || !showsClass(mirror, claim, parts.directory)) return undefined;
      // Counts all members, whatever `where` takes, because an extra turn does no harm.
      const seen = seenAs(parts, claim, members);
      const endsMs = Date.parse(String(seen.snapshot?.['ends_at']));
      // A start clears the problem board, so open problems are raised again.
      const isToldOf = Number(seen.snapshot?.['over']) > 0 || claim.links[CLASSES]?.split !== undefined;
      const over = isToldOf && endsMs > nowMs ? Math.min(endsMs, nowMs + OVERBOOKED_LOOK_MS) : undefined;
      return inner.nextTurnAtMs?.(seen, nowMs) ?? over;
    },
  };

  function notHandedBack(): DeferredError {
    return new DeferredError(
      'class-not-handed-back',
      'the event of a class stays until each of its appointments has one of its own',
      { retryAfterMs: HANDED_BACK_LOOK_MS },
    );
  }
}

interface Seen {
  readonly claim: Claim;
  /** Appointments that the event shows. */
  readonly members: readonly Snapshot[];
  /** False while the class is to be removed and some of its appointments have no event of their own. Absent where the class stays. */
  readonly isHandedBack?: boolean;
}

/** `untouched`: the turn changes nothing. For example, a past class stays as it was after the YAML turned classes on or off. */
async function view(parts: ClassTargetParts, claim: Claim): Promise<Seen | 'untouched'> {
  const { mirror, directory, clock, resolved } = parts;
  const links = claim.links[mirror.name]?.calendars ?? [];
  const isLinked = links.length > 0;
  if (claim.snapshot?.['members'] === undefined)
    throw new RetryableError('snapshot-missing', 'the class was not read');
  const members = await takenBy(parts, (claim.snapshot as ClassNow).members, isLinked);
  const isOver = Date.parse(String(claim.snapshot?.['ends_at'])) <= clock.now();
  const shows = showsClass(mirror, claim, directory);
  if (!shows && !isLinked) return 'untouched';
  const isPast = members.length > 0 && isOver;
  const isLeftOut = members.length === 0 && (claim.snapshot as ClassNow).members.length > 0;
  const lines = whereHash(mirror.where);
  // An edit of `where` removes nothing.
  if (isLeftOut && !links.every((link) => link.takenBy === lines || link.released === true))
    return 'untouched';
  if (isPast && shows && !isLinked && (await withOwnEvents(parts, members)).length > 0) return 'untouched';
  if (shows) return { claim: await naming(parts, seenAs(parts, claim, members), members), members };
  if (isPast) return 'untouched';
  const own = await Promise.all(members.map(({ id }) => parts.view.peek({ kind: 'appointment', id })));
  const isHandedBack = members.every((member, at) =>
    standsIn(own[at], mirror.name, calendarsOf(member, resolved())),
  );
  return { claim: seenAs(parts, claim, []), members: [], isHandedBack };
}

/** Appointments of the class that `where` takes. Throws where a condition cannot be judged, because that would leave a person out. */
export async function takenBy(
  { mirror, directory, customerOf }: Pick<ClassTargetParts, 'mirror' | 'directory' | 'customerOf'>,
  members: readonly Snapshot[],
  isLinked: boolean,
): Promise<readonly Snapshot[]> {
  const taken: Snapshot[] = [];
  for (const member of members) {
    const known = { directory: directory.current(), customer: await customerOf?.(member) };
    assertReadable(mirror.where, { kind: 'appointment', snapshot: member, ...known });
    const judged = judgeAppointment(mirror.where, member, known);
    // An unknown verdict removes nothing and adds nothing.
    if (judged === 'yes' || (judged === 'unknown' && isLinked)) taken.push(member);
  }
  return taken;
}

function seenAs({ mirror, directory }: ClassTargetParts, claim: Claim, members: readonly Snapshot[]): Claim {
  const now = claim.snapshot as ClassNow;
  return { ...claim, snapshot: classShown(mirror.classes, now, { members, directory: directory.current() }) };
}

/** The class with these of its appointments, as templates see it. */
export function classShown(
  rule: ClassRule | undefined,
  now: ClassNow,
  { members, directory }: { readonly members: readonly Snapshot[]; readonly directory: Directory },
): Snapshot {
  const { services, resources } = directory;
  const resourceId = slotIn(now['slot'])?.resourceId ?? '';
  const named = [String(now['service_id']), services.get(String(now['service_id']))?.name];
  const places = placesOf(rule, named) ?? resources.get(resourceId)?.capacity;
  return asAppointment(now, members, places);
}

/** Only for turns that write or compare, because it looks up contacts. */
async function naming(
  { guestsOf }: ClassTargetParts,
  claim: Claim,
  members: readonly Snapshot[],
): Promise<Claim> {
  const { snapshot } = claim;
  if (guestsOf === undefined || snapshot === undefined || members.length === 0) return claim;
  return { ...claim, snapshot: { ...snapshot, guests: await guestsOf(members) } };
}

function placesOf(
  classes: ClassRule | undefined,
  named: readonly (string | undefined)[],
): number | undefined {
  const places = classes?.places ?? [];
  const alike = named.flatMap((each = '') => namedAlike(places, each, ({ service }) => service));
  return alike[0]?.places;
}

/** Members that have an event of their own, from before they were in a class. */
async function withOwnEvents(
  { mirror, view }: ClassTargetParts,
  members: readonly Snapshot[],
): Promise<readonly EntityKey[]> {
  const keys = members.map(({ id }): EntityKey => ({ kind: 'appointment', id }));
  const known = await Promise.all(keys.map((key) => view.peek(key)));
  return keys.filter(({ id }, at) =>
    known[at]?.links[mirror.name]?.calendars?.some(({ eventId }) => isEventIdOf(eventId, id)),
  );
}

/**
 * Marks members dirty once the event of the class exists, so that their own events are removed. Marks each member once: a member that keeps
 * its event marks the class dirty in each of its turns, so repeating this would loop.
 */
async function markMembersDirty(parts: ClassTargetParts, claim: Claim, shown: Seen): Promise<void> {
  const { mirror, resolved, dirtyMarks, queue } = parts;
  const waiting = await withOwnEvents(parts, shown.members);
  const isOwn = (each: string) => each.startsWith(`${mirror.name} `);
  const known = (claim.links[CLASSES]?.told ?? []).filter(isOwn);
  const nameOf = ({ id }: EntityKey) => `${mirror.name} ${id}`;
  if (waiting.length === 0 && known.length === 0) return;
  await storeLast(claim);
  const now = await parts.view.peek(claim.key);
  const { snapshot } = shown.claim;
  if (snapshot === undefined || !standsIn(now, mirror.name, calendarsOf(snapshot, resolved()))) return;
  const untold = waiting.filter((key) => !known.includes(nameOf(key)));
  await dirtyMarks.markDirty(untold, { read: false });
  queue.add(untold.map(formatKey));
  const own = waiting.map(nameOf);
  if (own.join() === known.join()) return;
  await rewrite(parts, claim, ({ told = [], ...rest }) => ({
    ...rest,
    told: [...told.filter((each) => !isOwn(each)), ...own],
  }));
}

/** All mirrors of the class share these links, so the change applies to what is stored: another mirror may have written in this turn. */
async function rewrite(
  { view, links }: Pick<ClassTargetParts, 'view' | 'links'>,
  claim: Claim,
  change: (known: MirrorLinks) => MirrorLinks,
): Promise<void> {
  const known = (await view.peek(claim.key))?.links[CLASSES] ?? {};
  await links.write(claim, CLASSES, change(known));
}

/** Leaves no person out and refuses nothing: a person has to find another place or hour. */
async function reportOverbooked(
  { mirror, problems, clock }: ClassTargetParts,
  { key, snapshot }: Claim,
): Promise<void> {
  const { over, taken, places, starts_at: startsAt, ends_at: endsAt }: Partial<Snapshot> = snapshot ?? {};
  const target = `class:${mirror.name}/${key.id}`;
  const keptForMs = Date.parse(String(endsAt)) - clock.now();
  if (!(Number(over) > 0) || keptForMs <= 0) return problems.clear(target);
  await problems.raise({
    ...{ target, code: 'class-overbooked', keptForMs },
    message: `the class of ${String(startsAt)} has ${String(places)} places, and ${String(taken)} are taken`,
    advice: `Move somebody on the platform, or correct mirrors.${mirror.name}.classes.places or the capacity of the resource.`,
  });
}

/** The worker left some members at another hour. Reported until a person has corrected it, or the class is over. */
async function reportSplit(parts: ClassTargetParts, claim: Claim): Promise<void> {
  const { problems, clock } = parts;
  const { key, snapshot } = claim;
  if (claim.links[CLASSES]?.split === undefined) return;
  const target = `class-move:${key.id}`;
  const { split, members, starts_at: startsAt } = snapshot as ClassNow;
  const isMended = members.length === 0 && Date.parse(String(startsAt)) === Date.parse(split?.from ?? '');
  const keptForMs = Date.parse(split?.from ?? '') - clock.now();
  if (split === undefined || isMended || keptForMs <= 0) {
    await problems.clear(target);
    return rewrite(parts, claim, ({ split: _, ...rest }) => rest);
  }
  await problems.raise({
    ...{ target, code: 'class-split', keptForMs },
    message: `the class of ${split.from} was to be moved to ${split.to} and was refused: ${split.ids.length} of its appointments could not be moved back`,
    advice: 'Move them back, or the others there, on the platform. Nobody was cancelled.',
  });
}

function asTheyStand({ mirror }: ClassTargetParts, { links }: Claim): readonly Expectation[] {
  return (links[mirror.name]?.calendars ?? []).map(({ calendarId, eventId }) => ({
    ...{ place: calendarPlace(calendarId), rule: 'may', because: 'history', linked: eventId },
    ...{ isRight: () => true, isConfirmed: false },
  }));
}

// Marks the class of an appointment dirty whenever the appointment changes, and the class that it was in before.

export interface ClassWakeParts {
  readonly rules: readonly ClassRule[];
  readonly directory: DirectorySource;
  readonly links: Pick<LinkStore, 'write'>;
  readonly intake: Pick<Intake, 'observe'>;
  readonly clock: Clock;
}

/**
 * An appointment's turn is settled only after its classes were marked dirty, so a crash in between marks them again. The class is stored
 * before it is marked, because a moved or cancelled appointment no longer says where it was. Marks once per revision, because an
 * appointment that waits for one of its places has many turns.
 */
export function createClassWaker(parts: ClassWakeParts): Handler {
  return {
    name: CLASSES,
    from: 'appointment',
    // Without classes in the YAML, only appointments of former classes have something to tell.
    ...(parts.rules.length === 0 && { onlyLinkedAs: CLASSES }),
    async reconcile(claim) {
      const { slots: known = [], rung } = claim.links[CLASSES] ?? {};
      const slot = classOf(parts.rules, claim, parts.directory.current());
      // An appointment without stored content has nothing new to report.
      const now = claim.snapshot === undefined ? known : slot === undefined ? [] : [classSlotText(slot)];
      const all = [...new Set([...known, ...now])];
      const rev = claim.desiredRev;
      if (all.length === 0 || (rung === rev && all.length === known.length && all.length === now.length))
        return 'nothing';
      if (all.length > known.length) await remember(parts, claim, { slots: all });
      for (const text of all) await wake(parts, text, claim.pendingSinceMs);
      await remember(parts, claim, { slots: now, rung: rev });
      return 'nothing';
    },
  };
}

async function remember(
  { links }: ClassWakeParts,
  claim: Claim,
  heard: Pick<MirrorLinks, 'slots' | 'rung'>,
): Promise<void> {
  await links.write(claim, CLASSES, heard);
}

/** Marks the class dirty. Ignores a text that is not a slot. `sinceMs`: when the class changed, if known. */
export async function wake(
  { intake, clock }: Pick<ClassWakeParts, 'intake' | 'clock'>,
  text: string,
  sinceMs?: number,
): Promise<void> {
  const slot = slotIn(text);
  if (slot === undefined) return;
  const nowMs = clock.now();
  await intake.observe({
    ...{ key: { kind: 'class', id: classIdOf(slot) }, source: 'list', force: true },
    occurredAtMs: sinceMs ?? nowMs,
    seen: { as: 'snapshot', snapshot: storedClass(slot, nowMs) },
  });
}

// Reads a class from the platform in every turn. Stored state about a class is never the truth, so nothing has to be rebuilt.

const PAGE_APPOINTMENTS = 100;
/** Most pages of a class's appointments; the list of one start ends earlier, however many places the class has. */
const PAGES_MAX = 50;

interface ClassReaderParts {
  readonly reader: Pick<PlatformReader, 'get' | 'page' | 'isProjectVisible'>;
  readonly directory: DirectorySource;
  readonly clock: Clock;
}

export function createClassReader(parts: ClassReaderParts): ClassReader {
  return {
    async read(claim): Promise<Claim & { readonly snapshot: ClassNow }> {
      const slot = slotIn(claim.snapshot?.['slot']);
      if (slot === undefined)
        throw new RetryableError('snapshot-missing', 'nothing but the id of the class is known');
      const waitedMs = parts.clock.now() - (claim.pendingSinceMs ?? 0);
      const seen = await foundOrAbsent(parts.reader, projectOf(parts, slot), async () => {
        const all = classNow(slot, await listed(parts.reader, slot, waitedMs < LIVE_FOR_MS));
        return all.members.length > 0 || !isShown(claim) ? all : undefined;
      });
      // An empty list may come from a key that no longer covers the project (platform API, general rule 2).
      if (seen === 'hidden') throw notVisible();
      const now = seen === 'absent' ? classNow(slot, []) : seen;
      const split = await splitNow(parts, claim);
      return { ...claim, snapshot: { ...now, ...(split && { split }) } };
    },
  };
}

async function listed(
  reader: ClassReaderParts['reader'],
  slot: ClassSlot,
  isLive: boolean,
): Promise<readonly Snapshot[]> {
  const filters = {
    ...{ service_id: slot.serviceId, resource_id: slot.resourceId },
    'starts_at[gte]': new Date(slot.startMs).toISOString(),
    'starts_at[lt]': new Date(slot.startMs + 1).toISOString(),
  };
  const found: Snapshot[] = [];
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const startingAfter = found.at(-1)?.id;
    const { data, hasMore } = await reader.page('appointment', {
      ...{ limit: PAGE_APPOINTMENTS, filters, isLive },
      ...(startingAfter !== undefined && { startingAfter }),
    });
    found.push(...data);
    if (!hasMore || data.length === 0) return found;
  }
  throw new TerminalError('class-too-large', 'a class has more appointments than the worker reads', {
    target: 'platform',
    advice: 'Take its service out of classes.',
  });
}

/** Which of the appointments that could not be moved back are still at the other hour. */
async function splitNow({ reader }: ClassReaderParts, { links }: Claim): Promise<ClassNow['split']> {
  const { split } = links[CLASSES] ?? {};
  if (split === undefined) return undefined;
  const ids: string[] = [];
  for (const id of split.ids) {
    const found = await reader.get({ kind: 'appointment', id });
    const isThere = Date.parse(String(found?.['starts_at'])) === Date.parse(split.to);
    if (isThere && found?.['status'] !== 'cancelled') ids.push(id);
  }
  return ids.length === 0 ? undefined : { ...split, ids };
}

function isShown({ links }: Claim): boolean {
  return Object.values(links).some(({ calendars = [] }) => calendars.length > 0);
}

function projectOf({ directory }: ClassReaderParts, slot: ClassSlot): string | undefined {
  const { services, resources } = directory.current();
  return (services.get(slot.serviceId) ?? resources.get(slot.resourceId))?.projectId;
}

function notVisible(): TerminalError {
  return new TerminalError(
    'class-not-visible',
    'the platform shows no appointment of this class to the key, and not that its project is in the key',
    {
      target: 'platform',
      advice:
        'See that the project of the service is in the API key, and that the service or the resource is active; then retry. Nothing was deleted.',
    },
  );
}
