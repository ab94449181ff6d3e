// Reads what changed in one calendar, page by page. Each appointment whose event is not what the worker wrote gets a sighting; listeners
// get each page. At least once: the new sync token is stored only after all effects are durable.

import { RetryableError } from '../engine/errors.ts';
import type { Lease, LeaseProof } from '../engine/leases.ts';
import type { CalendarCursor, OpenSync } from '../engine/poll-pace.ts';
import type { Runtime } from '../engine/runtime.ts';
import type { CalendarEvent } from '../google/calendar-event.ts';
import type { ChangePage, ListingPlace } from '../google/calendar-watch-api.ts';
import { noteEvents, noteMissing, type SightParts } from './sighted.ts';
import type { CalendarCursors, ListOf } from './stores.ts';

/**
 * Sees every changed event of every watched calendar, the worker's own or not, and pages without any: it may note that it has read. Its
 * effects must be durable when it returns.
 */
export type ChangeListener = (
  calendarId: string,
  events: readonly CalendarEvent[],
  page: ReadPage,
) => Promise<void>;

export interface ReadPage {
  /** When the page was requested: anything requested later is newer, however late this page is noted. */
  readonly askedAtMs: number;
  /** The lease under which the page was read, and under which its effects are stored. */
  readonly lease: LeaseProof;
}

export interface SyncParts extends SightParts, Runtime {
  readonly api: {
    changes(calendarId: string, place: ListingPlace): Promise<ChangePage | 'lost' | 'place-refused'>;
  };
  readonly cursors: CalendarCursors;
  readonly listeners: readonly ChangeListener[];
}

/**
 * How often one sync may begin: first the page token may be lost, then the sync token. A third loss means that Google refuses what it has
 * just given.
 */
const BEGINNINGS_MAX = 3;

/** `listed`: proved by a full list. */
export type SyncEnd = 'proved' | 'listed' | 'interrupted';

/**
 * Reads the calendar up to now, or continues where the last sync stopped. The caller holds the lease. `known`: the cursor as read under
 * it. `isPoll`: without a wake, so a ping should have reported any change before.
 */
export async function syncCalendar(
  parts: SyncParts,
  calendarId: string,
  {
    lease,
    isPoll = false,
    known,
  }: { readonly lease: Lease; readonly isPoll?: boolean; readonly known?: CalendarCursor },
): Promise<SyncEnd> {
  const { cursors, clock } = parts;
  const cursor = known ?? (await cursors.read(calendarId));
  let open = cursor.open ?? begun(clock.now(), cursor);
  let beginnings = 1;
  // A sync that continues on a later page has already shown changes.
  let hasChanged = open.pages > 0;
  while (!lease.signal.aborted) {
    const askedAtMs = clock.now();
    const page = await parts.api.changes(calendarId, listingPlace(open, cursor));
    if (typeof page === 'string') {
      if (beginnings === BEGINNINGS_MAX) throw refusedAgain(calendarId);
      beginnings += 1;
      const isPageLost = page === 'place-refused' && open.pageToken !== undefined;
      open = begun(clock.now(), cursor, !isPageLost || open.isFull);
      parts.log.warn({ target: target(calendarId), isFull: open.isFull }, 'calendar sync begins again');
      if (open.isFull && !(await cursors.startOver(calendarId, open, lease))) throw overtaken(calendarId);
      continue;
    }
    hasChanged ||= page.events.length > 0;
    if (open.pages === 0 && page.answeredAtMs !== undefined)
      open = { ...open, answeredAtMs: page.answeredAtMs };
    await takePage(parts, { calendarId, open, askedAtMs, lease }, page.events);
    if (page.nextPageToken !== undefined) {
      open = { ...open, pageToken: page.nextPageToken, pages: open.pages + 1, pageAtMs: clock.now() };
      if (!(await cursors.saveSync(calendarId, open, lease))) throw overtaken(calendarId);
      continue;
    }
    if (page.nextSyncToken === undefined) throw unended(calendarId);
    if (open.isFull) await noteMissing(parts, listOf(calendarId, open), lease.signal);
    if (lease.signal.aborted) break;
    const provedAtMs = clock.now();
    const proof = {
      syncToken: page.nextSyncToken,
      coveredUntilMs: open.startedAtMs,
      ...(open.answeredAtMs === undefined ? {} : { shownUntilMs: open.answeredAtMs }),
      ...(open.pings === undefined ? {} : { coveredPings: open.pings }),
      provedAtMs,
      ...(open.isFull ? { listedAtMs: provedAtMs } : {}),
      ...(hasChanged || cursor.changedAtMs === undefined ? { changedAtMs: provedAtMs } : {}),
      ...(hasChanged && isPoll && !open.isFull && (await wasNotPinged(parts, calendarId, cursor))
        ? { missedAtMs: provedAtMs }
        : {}),
    };
    if (!(await cursors.close(calendarId, proof, lease))) throw overtaken(calendarId);
    return open.isFull ? 'listed' : 'proved';
  }
  return 'interrupted';
}

/** A ping that is still on its way will be newer than this finding, and revoke it. */
async function wasNotPinged(
  { cursors }: SyncParts,
  calendarId: string,
  { coveredPings = -1 }: CalendarCursor,
): Promise<boolean> {
  return (await cursors.read(calendarId)).pings <= coveredPings;
}

function begun(nowMs: number, { syncToken, pings }: CalendarCursor, isFull = false): OpenSync {
  const hasToken = syncToken !== undefined;
  return { startedAtMs: nowMs, pings, pageToken: undefined, isFull: isFull || !hasToken, pages: 0 };
}

/** The same query and sync token for all pages of one sync (Google's guide to synchronizing). */
function listingPlace(open: OpenSync, cursor: CalendarCursor): ListingPlace {
  return { syncToken: open.isFull ? undefined : cursor.syncToken, pageToken: open.pageToken };
}

async function takePage(
  parts: SyncParts,
  at: ReadPage & { readonly calendarId: string; readonly open: OpenSync },
  events: readonly CalendarEvent[],
): Promise<void> {
  for (const listener of parts.listeners) await listener(at.calendarId, events, at);
  if (events.length === 0) return;
  const known = await noteEvents(parts, at.calendarId, events);
  if (at.open.isFull) await parts.cursors.markShown(listOf(at.calendarId, at.open), known);
}

function listOf(calendarId: string, open: OpenSync): ListOf {
  return { calendarId, startedAtMs: open.startedAtMs };
}

function target(calendarId: string): string {
  return `calendar:${calendarId}`;
}

function overtaken(calendarId: string): RetryableError {
  return new RetryableError('lease-lost', 'another process took the calendar sync over', {
    target: target(calendarId),
  });
}

function refusedAgain(calendarId: string): RetryableError {
  return new RetryableError('sync-refused', 'Google refuses the tokens of a list that has just begun', {
    target: target(calendarId),
  });
}

function unended(calendarId: string): RetryableError {
  return new RetryableError('google-unreadable', 'the last page of a list came without a sync token', {
    target: target(calendarId),
  });
}
