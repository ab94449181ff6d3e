// Requests the resyncs of `platform.resync.schedule`. They find by reading what no event reports: imported contacts, and deletions whose
// webhook was lost (platform API, Event types).

import type { Hole, HoleCause } from '../engine/coverage.ts';
import type { CoverageStore } from '../engine/coverage-store.ts';
import {
  holdsApproval,
  PARKED_CONTACTS,
  PARKED_MISSED,
  type ParkedContacts,
  readApproval,
} from '../engine/edit-guard.ts';
import { RetryableError, TerminalError, WorkerError } from '../engine/errors.ts';
import type { WorkQueue } from '../engine/handler.ts';
import type { Intake } from '../engine/intake.ts';
import type { Lease, LeaseProof, Leases } from '../engine/leases.ts';
import type { KnownObjects } from '../engine/ledger.ts';
import type { Memory, RedisMemory } from '../engine/memory.ts';
import { type Filtered, kindsFor } from '../engine/mirror.ts';
import { canHaveBeen } from '../engine/moments.ts';
import { formatKey, PLATFORM_KINDS, type PlatformKind, readFact, type Snapshot } from '../engine/object.ts';
import type { Page, PlatformEvent, PlatformReader } from '../engine/platform.ts';
import { minuteOf } from '../engine/poll-pace.ts';
import type { ProblemBoard } from '../engine/problem-board.ts';
import type { Clock, Log } from '../engine/runtime.ts';
import { every, latestDue, type Part, type Zone } from '../engine/supervisor.ts';
import type { DirtyMarks } from '../engine/sweep.ts';
import { eventTypesFor } from './endpoint-care.ts';
import {
  chooseHoles,
  FEED_REACH_MS,
  forgetWalk,
  type ResyncWalk,
  readWalk,
  requestResync,
  saveWalk,
  takeMessages,
  walkFor,
} from './resync-walk.ts';

// Walks the platform's lists for a hole, page by page, into the same intake as everything else. Closes the hole when the walk has ended.
// Resumable: an interrupted walk continues at its position, also in another process.

/** Objects on one page of a resync. */
const PAGE_OBJECTS = 100;

export interface ResyncParts extends MissingParts {
  readonly reader: PlatformReader;
  readonly intake: Intake;
  readonly coverage: CoverageStore;
  readonly memory: RedisMemory;
  /** Includes feeds: everything that takes objects. */
  readonly mirrors: readonly Filtered[];
}

/** Resyncs the holes that have an end. False without such a hole. The caller holds the lease. */
export async function resyncHoles(parts: ResyncParts, lease: Lease): Promise<boolean> {
  const { signal } = lease;
  await takeUpParked(parts);
  let walk = (await readWalk(parts.memory)) ?? (await beginWalk(parts, lease));
  if (walk === undefined) return false;
  while (!signal.aborted) {
    const step: ResyncStep = await nextStep(parts, walk, signal);
    walk = step.walk;
    if (!step.hasMore) {
      await endWalk(parts, walk, lease);
      return true;
    }
    if (!(await saveWalk(parts.memory, walk, lease))) throw overtaken();
  }
  return true;
}

/** Whether a turn would find anything. Read without the lease, which costs more than all of this. */
async function mayBeNeeded({ memory, coverage }: ResyncParts): Promise<boolean> {
  const [holes, walk, ...facts] = await Promise.all([
    coverage.holes(),
    readWalk(memory),
    ...[PARKED_CONTACTS, MEMORY].map((name) => memory.get(name)),
  ]);
  return walk !== undefined || chooseHoles(holes).length > 0 || facts.some((fact) => fact !== undefined);
}

async function beginWalk(parts: ResyncParts, lease: LeaseProof): Promise<ResyncWalk | undefined> {
  const holes = chooseHoles(await parts.coverage.holes());
  if (holes.length === 0) {
    await tendToldLeads(parts);
    return undefined;
  }
  const walk = walkFor(holes, parts.mirrors, parts.clock.now());
  const isOfLeads = walk.kinds === undefined && parts.mirrors.some((mirror) => mirror.from === 'lead');
  if (isOfLeads) await tellOfLostLeads(parts, lostWindows(holes, parts.clock.now()));
  if (!(await saveWalk(parts.memory, walk, lease))) throw overtaken();
  parts.log.info({ holes: holes.map(({ id, cause }) => ({ id, cause })) }, 'resync begins');
  return walk;
}

interface ResyncStep {
  readonly walk: ResyncWalk;
  readonly hasMore: boolean;
}

/** Takes one more page, and returns the walk after it. */
async function takePage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const isWanted = kindsFor(parts.mirrors).has(walk.kind) && (walk.kinds?.includes(walk.kind) ?? true);
  if (!isWanted) return nextKind(walk);
  if (walk.kind === 'lead') return takeLeadPage(parts, walk, signal);
  if (walk.kind === 'message') return takeMessagePage(parts, walk, signal);
  const page = await parts.reader.page(walk.kind, {
    limit: PAGE_OBJECTS,
    ...(walk.position === undefined ? {} : { startingAfter: walk.position }),
    filters: filtersOf(walk),
    signal,
  });
  await take(parts, walk, page.data);
  const last = page.data.at(-1)?.id;
  const taken = { ...walk, objects: walk.objects + page.data.length };
  if (page.hasMore && last !== undefined) return { walk: { ...taken, position: last }, hasMore: true };
  // An empty page after a position may be the end, or a position that the platform does not know. So it proves nothing.
  const isWhole = !page.hasMore && (page.data.length > 0 || walk.position === undefined);
  if (walk.kind === 'contact' && walk.startedAtMs !== undefined && isWhole) {
    await lookAtMissing(parts, { id: String(walk.startedAtMs), startedAtMs: walk.startedAtMs });
  }
  return nextKind(taken);
}

function filtersOf({ kind, startsFrom, beganFrom, until }: ResyncWalk): Readonly<Record<string, string>> {
  if (kind === 'appointment') {
    return { 'starts_at[gte]': startsFrom, ...(until === undefined ? {} : { 'starts_at[lt]': until }) };
  }
  if (kind !== 'conversation') return {};
  return { 'created[gte]': beganFrom, ...(until === undefined ? {} : { 'created[lte]': until }) };
}

async function takeMessagePage(
  parts: ResyncParts,
  walk: ResyncWalk,
  signal: AbortSignal,
): Promise<ResyncStep> {
  const { beganFrom, writtenFrom } = walk;
  const { found, next } = await takeMessages(parts.reader, walk.messages, {
    ...{ beganFrom, writtenFrom, signal },
    limit: PAGE_OBJECTS,
  });
  await take(parts, walk, found);
  const taken = { ...walk, objects: walk.objects + found.length };
  return next === undefined ? nextKind(taken) : { walk: { ...taken, messages: next }, hasMore: true };
}

/** Leads are on no list (platform API, Leads), but the feed has their events. `created` comes first, so that it does not count as old. */
const LEAD_TYPES = eventTypesFor(['lead']);

async function takeLeadPage(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  const { leadTypes = 0, leadsFrom, position } = walk;
  const type = LEAD_TYPES[leadTypes];
  if (type === undefined || leadsFrom === undefined) return nextKind(walk);
  let page: Page<PlatformEvent>;
  try {
    page = await parts.reader.eventPage({
      limit: PAGE_OBJECTS,
      ...(position === undefined ? {} : { startingAfter: position }),
      filters: { type },
      signal,
    });
  } catch (error) {
    if (!(error instanceof WorkerError) || error.status !== 403) throw error;
    // The key may not read events of leads. That must not keep the hole open for everything else.
    await tellOfLostLeads(parts, [{ fromMs: Date.parse(leadsFrom), toMs: parts.clock.now() }]);
    return nextKind(walk);
  }
  await parts.intake.takeEvents(page.data, 'feed');
  const taken = { ...walk, objects: walk.objects + page.data.length };
  const last = page.data.at(-1)?.id;
  const isBelow = page.data.every(({ createdAt }) => Date.parse(createdAt) < Date.parse(leadsFrom));
  if (page.hasMore && last !== undefined && !isBelow)
    return { walk: { ...taken, position: last }, hasMore: true };
  const { position: _, hasBegunAgain: __, ...rest } = taken;
  return { walk: { ...rest, leadTypes: leadTypes + 1 }, hasMore: true };
}

async function take(parts: ResyncParts, walk: ResyncWalk, found: readonly Snapshot[]): Promise<void> {
  const now = parts.clock.now();
  const isMarked = walk.kind === 'contact' && walk.startedAtMs !== undefined;
  const keys = found.map(({ id }) => ({ kind: walk.kind, id }));
  const outcomes = await Promise.all(
    found.map((snapshot) =>
      parts.intake.observe({
        key: { kind: walk.kind, id: snapshot.id },
        source: 'list',
        occurredAtMs: now,
        force: walk.force,
        ...(isMarked ? { walk: String(walk.startedAtMs) } : {}),
        seen: { as: 'snapshot', snapshot },
      }),
    ),
  );
  // The list shows the present. Either something newer has been seen since, or the platform's time went back: a read says which.
  const older = keys.filter((_, at) => outcomes[at] === 'stale');
  await parts.dirtyMarks.markDirty(older, { read: true });
  parts.queue.add(older.map(formatKey));
}

/** The platform may refuse a position for good, as in the feed. The list of this kind is then walked from its top. */
async function nextStep(parts: ResyncParts, walk: ResyncWalk, signal: AbortSignal): Promise<ResyncStep> {
  try {
    return await takePage(parts, walk, signal);
  } catch (error) {
    const isRefused = error instanceof TerminalError && error.status === 422 && hasPosition(walk);
    // Only once: a platform that keeps refusing its own positions would be asked without end.
    if (!isRefused || walk.hasBegunAgain === true) throw error;
    parts.log.warn({ kind: walk.kind }, 'resync begins a list again: the platform refuses its position');
    const { position: _, messages: __, ...rest } = walk;
    return { walk: { ...rest, hasBegunAgain: true }, hasMore: true };
  }
}

/** Whether the next page is requested by a position. */
function hasPosition({ position, messages }: ResyncWalk): boolean {
  if (messages === undefined) return position !== undefined;
  return (messages.waiting.length > 0 ? messages.message : messages.conversation) !== undefined;
}

function nextKind(walk: ResyncWalk): ResyncStep {
  const kind = PLATFORM_KINDS[PLATFORM_KINDS.indexOf(walk.kind) + 1];
  const { position: _, messages: __, hasBegunAgain: ___, leadTypes: ____, ...rest } = walk;
  return kind === undefined ? { walk: rest, hasMore: false } : { walk: { ...rest, kind }, hasMore: true };
}

/**
 * Closes the holes first: a crash in between leaves a walk to repeat, never a forgotten hole. Under the lease, because a wipe also removes
 * what the walk took in. A hole that has the same name after a wipe is not the hole that this walk was for.
 */
async function endWalk(parts: ResyncParts, walk: ResyncWalk, lease: LeaseProof): Promise<void> {
  const { holes, objects } = walk;
  if (!(await parts.coverage.closeHoles(holes, lease))) throw overtaken();
  const ended = { holes, objects, endedAtMs: parts.clock.now() };
  if (!(await forgetWalk(parts.memory, ended, lease))) throw overtaken();
  parts.log.info({ holes, objects }, 'resync ended, holes closed');
}

function overtaken(): RetryableError {
  return new RetryableError(
    'lease-lost',
    'Redis was wiped or started again, or another process took the resync over',
  );
}

// Leads are on no list of the platform's API. Leads lost in a hole are read again from the event feed, except those that are older than the
// feed or were never sent. For these, the worker can only report the window while a person can still act on it.

interface LostLeadsParts {
  readonly problems: ProblemBoard;
  readonly memory: Memory;
  readonly clock: Clock;
  readonly log: Log;
}

const TARGET = 'leads';
const CODE = 'leads-cannot-be-read-again';
const MEMORY = 'lost-leads';
/** How long the notice stays; the worker cannot see that it is resolved, so everyone gets time to read it. */
const TOLD_FOR_MS = 3 * 24 * 3_600_000;
/** Causes by which no lead is missed: no lead was promised at a first start, and a mapping changes on this side. */
const HARMLESS: readonly HoleCause[] = ['first-start', 'mapping-changed', 'operator', 'scheduled'];

interface Told {
  readonly fromMs: number;
  readonly toMs: number;
  readonly atMs: number;
}

/** Epoch milliseconds. */
interface LostWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * The parts of these holes that the feed cannot bring back. While no enabled endpoint subscribed, events may never have entered it
 * (platform API, Event feed). Such a hole is lost entirely, whatever the feed still shows. Of any other hole, the part older than the feed
 * is lost.
 */
function lostWindows(holes: readonly Hole[], nowMs: number): readonly LostWindow[] {
  const oldestMs = nowMs - FEED_REACH_MS;
  return holes
    .filter((hole) => !HARMLESS.includes(hole.cause))
    .flatMap(({ cause, fromMs, toMs = nowMs, foundAtMs }) => {
      if (cause.startsWith('endpoint-')) return [{ fromMs: fromMs ?? foundAtMs, toMs }];
      return fromMs === undefined || fromMs >= oldestMs ? [] : [{ fromMs, toMs: Math.min(toMs, oldestMs) }];
    });
}

/** Raises the problem for windows in which leads may have come in or changed. A window that is already reported grows. */
async function tellOfLostLeads(parts: LostLeadsParts, windows: readonly LostWindow[]): Promise<void> {
  if (windows.length === 0) return;
  const before = await readFact<Told>(parts.memory, MEMORY);
  const now = parts.clock.now();
  const fromMs = Math.min(before?.fromMs ?? now, ...windows.map((window) => window.fromMs));
  const toMs = Math.max(before?.toMs ?? 0, ...windows.map((window) => window.toMs));
  // A resync that died at its start restarts with the same holes.
  if (before?.fromMs === fromMs && before.toMs === toMs) return;
  const problem = problemOf({ fromMs, toMs });
  await parts.problems.raise(problem);
  await parts.memory.set(MEMORY, JSON.stringify({ fromMs, toMs, atMs: now } satisfies Told));
  const { code, advice } = problem;
  parts.log.warn({ code, ...spokenOf({ fromMs, toMs }), advice }, 'leads may have been missed');
}

/** Removes the notice when its time is over. Until then, puts it back on a board that a restart has cleared. */
async function tendToldLeads(parts: LostLeadsParts): Promise<void> {
  const known = await readFact<Told>(parts.memory, MEMORY);
  if (known === undefined) return;
  if (parts.clock.now() - known.atMs < TOLD_FOR_MS) {
    const isTold = (await parts.problems.list()).some(({ target }) => target === TARGET);
    if (!isTold) await parts.problems.raise(problemOf(known));
    return;
  }
  await parts.problems.clear(TARGET);
  await parts.memory.forget(MEMORY);
}

function problemOf(lost: LostWindow) {
  const window = spokenOf(lost);
  return {
    target: TARGET,
    code: CODE,
    message: `leads that came in or changed between ${window.from} and ${window.to} may be missing or old in the sheets`,
    advice:
      'The platform has no list of leads, and its event feed may lack some. Compare the leads of that time in its dashboard with the sheet. A lead that changes again is corrected automatically. This notice disappears after three days.',
  };
}

function spokenOf({ fromMs, toMs }: LostWindow) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

// Runs after a walk through the whole list of contacts. Known contacts that the walk did not show may have been deleted without notice. The
// handler of each contact reads it individually, and believes a 404 only where the project is visible. Nothing is deleted here.

interface MissingParts {
  readonly known: KnownObjects;
  readonly dirtyMarks: DirtyMarks;
  readonly queue: WorkQueue;
  readonly memory: Memory;
  readonly problems: ProblemBoard;
  readonly clock: Clock;
  readonly log: Log;
}

/** Most missing contacts that are checked without an approval. */
const MISSED_MAX = 20;
/** Largest share of the known contacts that is checked without an approval; more suggests a broken key, project or platform. */
const MISSED_SHARE_MAX = 0.05;
/** Most missing contacts that are listed for a person at a time; an approval covers these. */
const MISSED_LISTED_MAX = 500;
/** Named like the approvals of staff's deletions, which name a calendar. The value is until when it holds, epoch milliseconds as text. */
const APPROVED = 'approved-deletions:contacts';
const DELETIONS_TARGET = 'deletions:contacts';

/** A complete walk. Its id is the mark on the contacts that it showed. */
interface CompleteWalk {
  readonly id: string;
  readonly startedAtMs: number;
}

async function lookAtMissing(parts: MissingParts, walk: CompleteWalk): Promise<void> {
  const { memory, problems } = parts;
  const isApproved = await approvedContacts(parts);
  const listed: string[] = [];
  let waiting = 0;
  const { known, missed } = await parts.known.missed('contact', walk, async (ids) => {
    const unseen = ids.map(contactKey).filter((contact) => !isApproved(contact));
    waiting += unseen.length;
    listed.push(...unseen.slice(0, MISSED_LISTED_MAX - listed.length));
  });
  const isMany = missed > MISSED_MAX && missed > known * MISSED_SHARE_MAX;
  if (!isMany || waiting < missed)
    await markMissedDirty(parts, walk, (contact) => !isMany || isApproved(contact));
  if (isMany && waiting > 0) {
    const parked = { walk, missed: waiting, known } satisfies ParkedContacts;
    await memory.set(PARKED_MISSED, JSON.stringify(listed));
    await memory.set(PARKED_CONTACTS, JSON.stringify(parked));
    await reportParked(parts, parked);
    return;
  }
  await memory.forget(PARKED_CONTACTS);
  await memory.forget(PARKED_MISSED);
  await problems.clear(DELETIONS_TARGET);
}

/** Resumes what was parked once a person has approved it. Until then keeps the problem on the board, also after a restart. */
async function takeUpParked(parts: MissingParts): Promise<void> {
  const { memory, problems } = parts;
  const parked = await readFact<ParkedContacts>(memory, PARKED_CONTACTS);
  if (parked === undefined) return;
  const listed = (await readFact<readonly string[]>(memory, PARKED_MISSED)) ?? [];
  // An earlier version listed none.
  if (listed.length === 0 || listed.some(await approvedContacts(parts)))
    return lookAtMissing(parts, parked.walk);
  const isTold = (await problems.list()).some(({ target }) => target === DELETIONS_TARGET);
  if (!isTold) await reportParked(parts, parked);
}

async function markMissedDirty(
  parts: MissingParts,
  walk: CompleteWalk,
  isMeant: (contact: string) => boolean,
): Promise<void> {
  let contacts = 0;
  await parts.known.missed('contact', walk, async (ids) => {
    const meant = ids.filter((id) => isMeant(contactKey(id)));
    const keys = meant.map((id) => ({ kind: 'contact', id }) as const);
    contacts += meant.length;
    await parts.dirtyMarks.markDirty(keys, { read: true });
    parts.queue.add(meant.map(contactKey));
  });
  if (contacts > 0) parts.log.info({ contacts }, 'contacts that the list did not show are read one by one');
}

function contactKey(id: string): string {
  return formatKey({ kind: 'contact', id });
}

/** A person approves the contacts that were listed, and no other that this walk or a later one misses. */
async function approvedContacts({ memory, clock }: MissingParts): Promise<(contact: string) => boolean> {
  const approval = await memory.get(APPROVED);
  const isHeld = holdsApproval(approval, clock.now());
  const { members } = readApproval(approval);
  const listed = members && new Set(members);
  return (contact) => isHeld && listed?.has(contact) !== false;
}

async function reportParked(parts: MissingParts, { missed, known }: ParkedContacts): Promise<void> {
  const problem = {
    code: 'mass-deletion',
    message: `the platform's list does not show ${missed} of the ${known} contacts that are known: nothing was deleted`,
    advice:
      'See whether the API key still covers all projects. If these contacts were deleted on purpose, run `slotbridge approve deletions contacts`.',
  };
  await parts.problems.raise({ target: DELETIONS_TARGET, ...problem });
  parts.log.warn(problem, 'many contacts are missing from the list');
}

/** How late a scheduled resync is requested at most, while the worker runs. */
const LOOK_EVERY_MS = 5_000;
const ANSWERED = 'resync-due';
/** When nothing was due for so long, the answer is renewed: a look goes through all days since. */
const ANSWERED_ANEW_MS = 24 * 3_600_000;

/** Up to which moment the schedule is answered. Kept in Redis: all workers share it, and a restart misses nothing. */
interface Answered {
  readonly schedule: string;
  readonly untilMs: number;
}

interface ScheduledParts extends Pick<ResyncParts, 'coverage' | 'memory' | 'mirrors' | 'clock' | 'log'> {
  readonly zone: () => Zone;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
}

interface AskedResyncs {
  readonly schedule?: string | undefined;
  readonly kinds: readonly Exclude<PlatformKind, 'lead'>[];
}

/** Looks on a monotonic loop: what was due while the process stood still, or did not run, is requested late. */
export function scheduledResyncs(
  parts: ScheduledParts,
  { schedule, kinds: asked }: AskedResyncs,
): readonly Part[] {
  const needed = kindsFor(parts.mirrors);
  const kinds = asked.filter((kind) => needed.has(kind));
  if (schedule === undefined || kinds.length === 0) return [];
  let looked: number | undefined;
  return [
    every({ name: 'scheduled resyncs', everyMs: LOOK_EVERY_MS, log: parts.log }, async () => {
      // Schedules are due at whole minutes: the same minute brings nothing new.
      const minute = minuteOf(parts.clock.now());
      if (minute !== looked && (await requestDue(parts, { schedule, kinds }))) looked = minute;
    }),
  ];
}

/** Requests the resync if one is due. Many that were missed are one. False: this worker is not current, and did not look. */
export async function requestDue(
  parts: ScheduledParts,
  { schedule, kinds }: AskedResyncs & { readonly schedule: string },
): Promise<boolean> {
  const { coverage, memory, clock, log } = parts;
  if (!(await parts.isCurrent())) return false;
  const nowMs = clock.now();
  const afterMs = await answeredUntil(memory, { schedule, nowMs });
  const dueMs =
    afterMs === undefined ? undefined : latestDue(schedule, { zone: parts.zone(), afterMs, untilMs: nowMs });
  const isAnswered = afterMs !== undefined && dueMs === undefined;
  if (isAnswered && nowMs - afterMs < ANSWERED_ANEW_MS) return true;
  if (dueMs !== undefined) {
    await requestResync({ coverage, clock }, { cause: 'scheduled', request: { kinds }, dueMs });
    log.info({ due: new Date(dueMs).toISOString() }, 'scheduled resync requested');
  }
  // Afterwards: a crash in between requests it again, instead of never.
  const answered: Answered = { schedule, untilMs: dueMs ?? nowMs };
  await memory.set(ANSWERED, JSON.stringify(answered));
  return true;
}

/** Undefined if nothing is known of this schedule, or if the clock that answered it was ahead. */
async function answeredUntil(
  memory: Memory,
  { schedule, nowMs }: { readonly schedule: string; readonly nowMs: number },
): Promise<number | undefined> {
  const known = await readFact<Answered>(memory, ANSWERED);
  return known?.schedule === schedule && canHaveBeen(known.untilMs, nowMs) ? known.untilMs : undefined;
}

const REQUESTS_LOOK_EVERY_MS = 1_000;

interface ResyncLoopParts extends ResyncParts {
  readonly leases: Leases;
  /** False while another worker runs with a newer mapping. */
  readonly isCurrent: () => Promise<boolean>;
}

/** Resyncs all holes that have an end, one process at a time. */
export function resyncs(parts: ResyncLoopParts): Part {
  return every({ name: 'resync', everyMs: REQUESTS_LOOK_EVERY_MS, log: parts.log }, async (signal) => {
    const [isCurrent, isNeeded] = await Promise.all([parts.isCurrent(), mayBeNeeded(parts)]);
    if (!isCurrent || !isNeeded) return;
    await parts.leases.hold('resync', (lease) => resyncHoles(parts, lease), { until: signal });
  });
}
