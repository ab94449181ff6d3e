// Derives from a status report what is wrong by the operator's bounds. Pure.

import type { AlertCondition } from '../../domain/alert.ts';
import { distanceMs } from '../../domain/moments.ts';
import { HOLE_AGE_MS_MAX, isAskedFor } from '../holes.ts';
import { counted } from '../idle.ts';
import { maskText } from '../personal-data.ts';
import { CATCH_UP_MS_MAX, type Reading } from '../reading.ts';
import { spokenDuration } from '../spoken-time.ts';
import type { CoverageReport, HoleReport, StatusReport } from '../status-report.ts';
import { problemConditions } from './problem-conditions.ts';

export interface AlertBounds {
  /** How long a change may wait for its mirrors. */
  readonly lagMs: number;
  /** How long pending work may make no progress without a known cause. */
  readonly stuckMs: number;
  /** How old the proof of a source may be. */
  readonly coverageMs: number;
  /** How long a hole may stay open. */
  readonly holeMs: number;
  /** Number of dead letters above which an alert covers all of them together. */
  readonly deadLetters: number;
}

export function conditionsOf(
  report: StatusReport,
  bounds: AlertBounds,
  stillForMs: number,
): readonly AlertCondition[] {
  return [
    ...lag(report, bounds),
    ...stuck(report, bounds, stillForMs),
    ...coverage(report, bounds),
    ...report.holes.flatMap((hole) => holeConditions(hole, report.at, bounds)),
    ...deadLetters(report, bounds),
    ...report.problems.map(problemConditions),
  ];
}

function lag({ pending }: StatusReport, { lagMs }: AlertBounds): AlertCondition[] {
  const ageS = pending.oldest_age_s ?? 0;
  if (ageS * 1000 <= lagMs) return [];
  return [
    {
      alert: 'lag',
      subject: 'pending',
      text: `changes wait for their calendars and sheets, the oldest for ${spokenDuration(ageS)} (${counted(pending.objects, 'object')})`,
      advice: 'Run `slotbridge status`: it shows what they wait for.',
    },
  ];
}

/** Not raised while a problem or a quota wait exists: `status` shows those, and the work continues when they end. */
function stuck(report: StatusReport, { stuckMs }: AlertBounds, stillForMs: number): AlertCondition[] {
  const { pending, problems, quotas } = report;
  const isHeldUp = problems.length > 0 || quotas.some((quota) => quota.waiting > 0);
  if (pending.objects + pending.sheet_rows === 0 || isHeldUp || stillForMs <= stuckMs) return [];
  return [
    {
      alert: 'stuck',
      subject: 'pending',
      text: `pending work has not moved for ${spokenDuration(Math.round(stillForMs / 1000))} (${counted(pending.objects, 'object')}, ${counted(pending.sheet_rows, 'row')}), and no known problem explains it`,
      advice:
        'Search the log for `object not mirrored`. If there are no such lines, restart the worker: nothing is lost.',
    },
  ];
}

function coverage({ coverage: all, at, started_at }: StatusReport, bounds: AlertBounds): AlertCondition[] {
  const sources = [
    { ...all.feed, subject: 'event feed', logged: '`feed walk failed`' },
    ...all.calendars.map((each) => ({
      ...each,
      subject: maskText(`calendar ${each.calendar}`),
      logged: '`calendar sync failed`',
    })),
    ...all.intake_sheets.map((each) => ({
      ...each,
      subject: maskText(`booking sheet ${each.entry}`),
      logged: '`loop failed; will retry`',
    })),
    ...(all.blocks ?? []).map((each) => ({
      ...each,
      subject: maskText(`blocks ${each.entry}`),
      logged: '`private calendar not read`',
    })),
  ];
  const runsMs =
    started_at === null ? Number.POSITIVE_INFINITY : distanceMs(Date.parse(started_at), Date.parse(at));
  return sources
    .map((source) => ({ ...source, ageMs: unprovedMs(source, at, started_at) }))
    .filter(({ ageMs, fresh }) => !fresh && ageMs > bounds.coverageMs)
    .map(({ subject, logged, ageMs, reading }) => ({
      alert: 'coverage',
      subject,
      text: `${subject}: no proof of a complete read for ${spokenDuration(Math.round(ageMs / 1000))}`,
      advice: `Run \`slotbridge status\`, and search the log for ${logged} or \`could not start yet; will retry\`.`,
      ...graceFor(reading, { runsMs, bounds }),
    }));
}

/**
 * A source that makes progress or is limited by Google gets a day. After a restart, any other unproved source gets time for its first walk.
 * A restart does not clear an alert that is already raised, and a condition's age continues over restarts. So a worker that keeps dying
 * before its first walk ends is reported no later than one that hangs.
 */
function graceFor(
  reading: Reading,
  { runsMs, bounds }: { readonly runsMs: number; readonly bounds: AlertBounds },
): { toldAfterMs?: number } {
  if (reading === 'walking' || reading === 'limited') return { toldAfterMs: CATCH_UP_MS_MAX };
  return runsMs <= bounds.coverageMs ? { toldAfterMs: bounds.coverageMs } : {};
}

/** How long the source has been without proof; since the worker's start if it never had one. */
function unprovedMs(
  source: Pick<CoverageReport, 'covered_until'>,
  at: string,
  startedAt: string | null,
): number {
  const since = source.covered_until ?? startedAt;
  return since === null ? 0 : distanceMs(Date.parse(since), Date.parse(at));
}

/** Causes that come from an operator's action; no events were missed. */
const EXPECTED_CAUSES: readonly string[] = ['first-start', 'mapping-changed'];

function holeConditions(hole: HoleReport, at: string, { holeMs }: AlertBounds): AlertCondition[] {
  const { cause, from, to } = hole;
  // Not the hole's id: a growing hole gets a new id when its end is known, but it is the same hole to people.
  const subject = `${cause} ${hole.found_at}`;
  const stretch = `${from ?? 'the beginning'} to ${to ?? 'now, and growing'}`;
  const openMs = Date.parse(at) - Date.parse(hole.found_at);
  if (isAskedFor(hole)) return hangs(cause, { subject, openMs, boundMs: Math.max(holeMs, HOLE_AGE_MS_MAX) });
  const missed: AlertCondition = {
    alert: 'hole',
    subject,
    text: `events may have been missed (${cause}), from ${stretch}`,
    advice: 'Nothing, if its resync finishes: `slotbridge status` shows the hole until then.',
  };
  const open: AlertCondition = {
    alert: 'hole-open',
    subject,
    text: `a hole (${cause}) has been open for ${spokenDuration(Math.round(openMs / 1000))}, from ${stretch}`,
    advice:
      to === null
        ? 'Fix the webhook endpoint: `slotbridge webhook status` shows what is wrong.'
        : 'Search the log for `resync`, and check the problems in `slotbridge status`.',
  };
  return [...(EXPECTED_CAUSES.includes(cause) ? [] : [missed]), ...(openMs > holeMs ? [open] : [])];
}

/** Nothing is missing, so the bound for holes does not apply: the resync may take its time behind live work. */
function hangs(
  cause: string,
  { subject, openMs, boundMs }: { subject: string; openMs: number; boundMs: number },
): AlertCondition[] {
  if (openMs <= boundMs) return [];
  return [
    {
      alert: 'hole-open',
      subject,
      text: `a requested resync (${cause}) has been running for ${spokenDuration(Math.round(openMs / 1000))}`,
      advice: 'Search the log for `resync`, and check the problems in `slotbridge status`.',
    },
  ];
}

function deadLetters({ dead_letters }: StatusReport, { deadLetters: bound }: AlertBounds): AlertCondition[] {
  const classes = Object.entries(dead_letters.by_code).map(
    ([code, count]): AlertCondition => ({
      alert: 'dead-letters',
      subject: code,
      text: `${counted(count, 'object was', 'objects were')} given up with the code ${code}`,
      advice: `Run \`slotbridge deadletters list\`; fix the cause, then run \`slotbridge deadletters retry --code ${code}\`.`,
    }),
  );
  if (dead_letters.count <= bound) return classes;
  const text = `${counted(dead_letters.count, 'object was', 'objects were')} given up in total, more than ${bound}`;
  const advice = 'Run `slotbridge deadletters list`: it groups them by cause.';
  return [...classes, { alert: 'many-dead-letters', subject: 'all', text, advice }];
}
