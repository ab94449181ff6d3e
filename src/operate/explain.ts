// Explains one object: its known state, its history, and what is pending. Each mirror adds its decision and the line of the YAML that
// caused it. Read-only.

import type { DeadLetters } from '../engine/dead-letters.ts';
import type { History, HistoryEntry } from '../engine/history.ts';
import type { Ledger } from '../engine/ledger.ts';
import { iso } from '../engine/moments.ts';
import { type EntityKey, formatKey } from '../engine/object.ts';
import { ownOf } from '../engine/outside-booking.ts';
import type { Clock } from '../engine/runtime.ts';
import type { PendingRow } from '../engine/sheet-row.ts';
import type { Claim, KeptLetter } from '../engine/work.ts';
import type { Language } from '../mapping/config.ts';

export interface ExplainParts {
  readonly view: Ledger;
  readonly history: History;
  readonly deadLetters: Pick<DeadLetters, 'ofObject'>;
  /** Rows of the object that wait to be written. */
  readonly waitingRows: (
    key: EntityKey,
  ) => Promise<readonly Pick<PendingRow, 'mirror' | 'spreadsheetId' | 'tab'>[]>;
  /** The opinion of every mirror of that kind, with its reason in that language. */
  readonly opinions: (claim: Claim, language: Language) => Promise<readonly MirrorOpinion[]>;
  readonly clock: Clock;
}

export interface MirrorOpinion {
  readonly mirror: string;
  readonly taken: boolean;
  readonly rule: string;
  readonly because: string;
}

/**
 * The output of `slotbridge explain --json`. Times are ISO 8601 in UTC. The object's state contains only fields that identify no person.
 */
export interface Explanation {
  readonly key: string;
  readonly at: string;
  readonly known: boolean;
  readonly state: Readonly<Record<string, unknown>>;
  readonly deleted: boolean;
  /** True: the worker reads the object from the platform before it writes anything. */
  readonly in_doubt: boolean;
  readonly revision: { readonly wanted: number; readonly mirrored: number };
  readonly pending: { readonly since: string | null; readonly next_attempt: string } | null;
  readonly mirrors: readonly MirrorExplanation[];
  readonly sightings: readonly {
    readonly calendar: string;
    readonly event: string;
    readonly seen_at: string;
  }[];
  readonly dead_letters: readonly KeptLetter[];
  readonly history: readonly HistoryEntry[];
}

export interface MirrorExplanation extends MirrorOpinion {
  readonly events: readonly {
    readonly calendar: string;
    readonly event: string;
    readonly in_doubt: boolean;
  }[];
  readonly row: { readonly spreadsheet: string; readonly tab: string; readonly cleared: boolean } | null;
  /** A row of the object waits to be written. */
  readonly row_waits: boolean;
}

/** Rejects with `RetryableError` `store-unavailable` when Redis does not answer. Commands speak English. */
export async function explain(
  parts: ExplainParts,
  key: EntityKey,
  language: Language = 'en',
): Promise<Explanation> {
  const name = formatKey(key);
  const [claim, due, history, letters, rows] = await Promise.all([
    parts.view.peek(key),
    parts.view.dueAt(key),
    parts.history.of(name),
    parts.deadLetters.ofObject(name),
    parts.waitingRows(key),
  ]);
  const opinions = claim === undefined ? [] : await parts.opinions(claim, language);
  const since = claim?.pendingSinceMs;
  return {
    key: name,
    at: iso(parts.clock.now()),
    known: claim !== undefined,
    state: stateOf(claim),
    deleted: claim?.deleted ?? false,
    in_doubt: claim?.verify ?? false,
    revision: { wanted: claim?.desiredRev ?? 0, mirrored: claim?.syncedRev ?? 0 },
    pending:
      due === undefined ? null : { since: since === undefined ? null : iso(since), next_attempt: iso(due) },
    mirrors: opinions.map((opinion) => withPlaces(opinion, claim, rows)),
    sightings: (claim?.sightings ?? []).map(({ calendarId, eventId, seenAtMs }) => ({
      calendar: calendarId,
      event: eventId,
      seen_at: iso(seenAtMs),
    })),
    dead_letters: letters,
    history,
  };
}

/** Fields that identify no person. */
const SHOWN_FIELDS = [
  ...[
    'status',
    'lifecycle',
    'starts_at',
    'ends_at',
    'timezone',
    'resource_id',
    'resource_ids',
    'service_id',
    'service_name',
  ],
  ...[
    'branch_id',
    'project_id',
    'contact_id',
    'conversation_id',
    'source',
    'channel',
    'direction',
    'cancelled_by',
  ],
  ...['created_at', 'updated_at'],
];

function stateOf(claim: Claim | undefined): Readonly<Record<string, unknown>> {
  const { snapshot } = claim ?? {};
  if (snapshot === undefined) return {};
  if (claim?.key.kind === 'booking') return inUtc(bookingState(claim, snapshot));
  const shown = SHOWN_FIELDS.filter((field) => snapshot[field] !== undefined && snapshot[field] !== null);
  return inUtc(Object.fromEntries(shown.map((field) => [field, snapshot[field]])));
}

/** Converts to UTC, because calendars and sheets give times in their own zones. */
function inUtc(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const times = ['starts_at', 'ends_at'].flatMap((field) => {
    const atMs = Date.parse(String(state[field]));
    return Number.isNaN(atMs) ? [] : [[field, iso(atMs)] as const];
  });
  return { ...state, ...Object.fromEntries(times) };
}

/** Origin and decision of a booking, without text that people typed. */
function bookingState(claim: Claim, snapshot: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { mapping, place, state, starts_at, ends_at, seen_at, calendar_id, event_id, row_id } = snapshot;
  const record = claim.links[String(mapping)]?.booking;
  const told = {
    ...{ mapping, place, state, starts_at, ends_at, seen_at, calendar_id, event_id, row_id },
    status: record?.state ?? 'not decided yet',
    code: record && 'code' in record ? record.code : undefined,
    appointment: ownOf(record)?.id,
    is_answered: record?.told.is === 'given',
  };
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== undefined));
}

function withPlaces(
  opinion: MirrorOpinion,
  claim: Claim | undefined,
  rows: Awaited<ReturnType<ExplainParts['waitingRows']>>,
): MirrorExplanation {
  const links = claim?.links[opinion.mirror];
  const { sheet } = links ?? {};
  return {
    ...opinion,
    events: (links?.calendars ?? []).map((link) => ({
      calendar: link.calendarId,
      event: link.eventId,
      in_doubt: link.event.is !== 'written',
    })),
    row:
      sheet === undefined
        ? null
        : { spreadsheet: sheet.spreadsheetId, tab: sheet.tab, cleared: sheet.hash === 'cleared' },
    row_waits: rows.some((row) => row.mirror === opinion.mirror),
  };
}
