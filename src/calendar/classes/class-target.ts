// Shows one class in the mapped calendars like an appointment of all its members. Reverts people's changes to its event, except moves that
// the mapping allows.

import { calendarPlace, type Expectation } from '../../engine/domain/actual.ts';
import {
  asAppointment,
  CLASSES,
  type ClassNow,
  type ClassRule,
  slotIn,
} from '../../engine/domain/class-slot.ts';
import type { Directory } from '../../engine/domain/directory.ts';
import { DeferredError, RetryableError } from '../../engine/domain/errors.ts';
import { isEventIdOf } from '../../engine/domain/ids.ts';
import type { EventNote, MirrorLinks } from '../../engine/domain/link.ts';
import type { AppointmentFilter, CalendarMirror, StaffEdits } from '../../engine/domain/mirror.ts';
import { contentHash, type EntityKey, formatKey, type Snapshot } from '../../engine/domain/object.ts';
import { namedAlike } from '../../engine/domain/plain-text.ts';
import type { Claim } from '../../engine/domain/work.ts';
import type { LinkStore } from '../../engine/ports/calendars.ts';
import type { MirrorTarget } from '../../engine/ports/handler.ts';
import type { ProblemBoard } from '../../engine/ports/operator.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { DirtyMarks, ObjectView, WorkQueue } from '../../engine/ports/work.ts';
import type { CustomerOf } from '../../mapping/filter/customers.ts';
import { assertReadable } from '../../mapping/filter/lines.ts';
import { type CalendarBySubject, calendarsOf, isOfClass, judgeAppointment } from '../../mapping/route.ts';
import type { GuestsOf } from './guests.ts';
import { standsIn } from './member.ts';

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
  readonly view: Pick<ObjectView, 'peek'>;
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
  if (!(await links.write(claim, CLASSES, change(known))))
    throw new RetryableError('fenced', 'another handler took the object over');
}

/** Leaves no person out and refuses nothing: a person has to find another place or hour. */
async function reportOverbooked(
  { mirror, problems, clock }: ClassTargetParts,
  { key, snapshot }: Claim,
): Promise<void> {
  const { over, taken, places, starts_at: startsAt, ends_at: endsAt }: Partial<Snapshot> = snapshot ?? {};
  const target = `class:${mirror.name}/${key.id}`;
  if (!(Number(over) > 0) || Date.parse(String(endsAt)) <= clock.now()) return problems.clear(target);
  await problems.raise({
    ...{ target, code: 'class-overbooked' },
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
  if (split === undefined || isMended || Date.parse(split.from) <= clock.now()) {
    await problems.clear(target);
    return rewrite(parts, claim, ({ split: _, ...rest }) => rest);
  }
  await problems.raise({
    ...{ target, code: 'class-split' },
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
