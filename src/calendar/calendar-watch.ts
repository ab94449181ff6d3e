import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DeferredError, WorkerError } from '../engine/errors.ts';
import { isSameText } from '../engine/ids.ts';
import type { Lease, Leases } from '../engine/leases.ts';
import { canHaveBeen, startedBy } from '../engine/moments.ts';
import { type PollPace, pollTurns, seenAtMs, withChannels } from '../engine/poll-pace.ts';
import type { QuotaLedger } from '../engine/quotas.ts';
import type { Clock, Runtime } from '../engine/runtime.ts';
import { aborted, asleep, type Part, repeat, WakeAll } from '../engine/supervisor.ts';
import { backoffMs, deferredForMs } from '../engine/work.ts';
import type { CalendarWatchApi } from '../google/calendar-watch-api.ts';
import { readAnyBody } from '../platform/webhook-route.ts';
import { type SyncEnd, type SyncParts, syncCalendar } from './calendar-sync.ts';
import type { Channels } from './channels.ts';
import type { CalendarCursors, Channel, ChannelStore } from './stores.ts';

// Takes the cursors of all watched calendars and gives each due one a turn, the longest unseen first. All turns together stay within a
// share of each account's quota. Several processes compute the same: what one has read is not due for the others.

interface PollerParts {
  readonly calendars: readonly string[];
  readonly cursors: Pick<CalendarCursors, 'states'>;
  readonly channels: Pick<ChannelStore, 'all'>;
  /** Where Google sends the pings; undefined when push is switched off. */
  readonly address: string | undefined;
  readonly pace: PollPace;
  /** Name of the account of `calendar:<id>`. Absent: all use the default one. */
  readonly accountOf?: (target: string) => string | undefined;
  readonly watch: {
    /** Reads the calendar unless it was read up to that moment. */
    poll(calendarId: string, untilMs: number): void;
    look(calendarId: string, untilMs: number): void;
  };
  readonly clock: Clock;
}

/**
 * Share of the pace within which another reading replaces a poll. Two polling processes then share the rounds, and one alone never skips
 * because of its own last reading.
 */
const POLLED_SHARE = 0.5;

export class Poller {
  readonly #parts: PollerParts;
  /**
   * When each calendar last had a turn here, on the monotonic clock of this process. One that fails goes to the end of the line, and the
   * watch retries it.
   */
  readonly #turnAtMs = new Map<string, number>();
  /** Calendars to be read whatever is known of them, and up to when. */
  readonly #toLookAt = new Map<string, number>();
  /** Readings that each account may make now. */
  readonly #allowances = new Map<string | undefined, number>();
  /** On the monotonic clock of this process. */
  #grownAtMs = performance.now();

  constructor(parts: PollerParts) {
    this.#parts = parts;
  }

  /** Less may be known of the calendars than before: the next rounds read all of them up to now. */
  lookAtAll(): void {
    const nowMs = this.#parts.clock.now();
    for (const calendarId of this.#parts.calendars) this.#toLookAt.set(calendarId, nowMs);
  }

  async round(): Promise<void> {
    const line = await this.#dueCalendars();
    const nowMs = this.#parts.clock.now();
    this.#refillAllowances();
    for (const { calendarId, everyMs } of line) {
      if (!this.#spendReading(calendarId)) continue;
      this.#turnAtMs.set(calendarId, performance.now());
      const lookUntilMs = this.#toLookAt.get(calendarId);
      this.#toLookAt.delete(calendarId);
      if (lookUntilMs !== undefined) this.#parts.watch.look(calendarId, startedBy(lookUntilMs, nowMs));
      else this.#parts.watch.poll(calendarId, nowMs - everyMs * POLLED_SHARE);
    }
  }

  /** Calendars that are due, the longest unseen first. */
  async #dueCalendars(): Promise<readonly { readonly calendarId: string; readonly everyMs: number }[]> {
    const { calendars, cursors, channels, address, pace, accountOf, clock } = this.#parts;
    const [rows, read] = await Promise.all([
      address === undefined ? [] : channels.all(),
      cursors.states(calendars),
    ]);
    const nowMs = clock.now();
    const known = { channels: rows, address, ...(accountOf && { accountOf }) };
    const states = withChannels(read, known, nowMs);
    const turns = pollTurns(states, pace, nowMs);
    return calendars
      .map((calendarId, at) => {
        const [state, turn] = [states[at], turns[at]];
        const readAtMs = state === undefined ? 0 : (seenAtMs(state, nowMs) ?? 0);
        const turnAtMs = this.#turnAtMs.get(calendarId) ?? Number.NEGATIVE_INFINITY;
        const lastMs = Math.max(readAtMs, nowMs - (performance.now() - turnAtMs));
        return { calendarId, lastMs, everyMs: turn?.everyMs ?? pace.everyMs };
      })
      .filter(
        ({ calendarId, lastMs, everyMs }) => this.#toLookAt.has(calendarId) || lastMs + everyMs <= nowMs,
      )
      .sort((a, b) => a.lastMs - b.lastMs);
  }

  /** After a pause, the worker reads a small installation in one go, and a large one at the pace. */
  #refillAllowances(): void {
    const { pace } = this.#parts;
    const nowMs = performance.now();
    const grown = ((nowMs - this.#grownAtMs) * pace.perMinute) / 60_000;
    this.#grownAtMs = nowMs;
    for (const [account, left] of this.#allowances)
      this.#allowances.set(account, Math.min(mostAtOnce(pace), left + grown));
  }

  /** False when the account of the calendar has no reading left. */
  #spendReading(calendarId: string): boolean {
    const account = this.#parts.accountOf?.(`calendar:${calendarId}`);
    const left = this.#allowances.get(account) ?? mostAtOnce(this.#parts.pace);
    if (left < 1) return false;
    this.#allowances.set(account, left - 1);
    return true;
  }
}

function mostAtOnce({ perMinute }: PollPace): number {
  return Math.max(1, perMinute);
}

/** Calendars that one process reads at the same time. */
const SYNCS_AT_ONCE = 4;
/** Added to a noted wait, so that the next sync can have its turn and its answer. */
const TRIED_WITHIN_MS = 15_000;

export interface CalendarWatchParts extends SyncParts {
  readonly leases: Leases;
  readonly calendars: readonly string[];
  /** The same as `api`, for reads without a wake: it leaves more of the budget to other work. */
  readonly pollApi?: SyncParts['api'];
  /** Shortest time between the starts of two syncs of a calendar, however often it is woken. */
  readonly settleMs: number;
  /** False when another worker runs with a newer mapping: this one then stops reading. */
  readonly isCurrent: () => Promise<boolean>;
  /** Milliseconds to wait after this many failures; absent: the default back-off. */
  readonly backoff?: (failures: number) => number;
  /** Stores which calendar waits for which quota. */
  readonly quotas: Pick<QuotaLedger, 'waits'>;
}

/** Shortest time from a failed attempt to the next one, if a wake requests it. */
const HURRIED_MS = 5_000;

/** Why a calendar is read: a wake, a look at everything after a loss, or its turn. The first that applies counts. */
const WHYS = ['rung', 'look', 'poll'] as const;
type Why = (typeof WHYS)[number];

interface Wake {
  /** Changes up to this moment are wanted. Undefined: no wake since the last sync began. */
  wantedUntilMs: number | undefined;
  /** The newest ping since the last sync began; 0: none. */
  ping: number;
  why: Why;
  /** On the monotonic clock of this process. */
  lastBeganAtMs: number;
  failures: number;
  /** The next attempt waits because the last one failed without saying for how long. */
  isBackingOff: boolean;
  /** When the next sync may begin, on the same clock. Undefined: no wake since the last one began. */
  dueAtMs: number | undefined;
}

interface Want {
  /** Changes up to this moment are wanted. */
  readonly untilMs: number;
  /** Changes up to this ping are wanted. */
  readonly ping?: number;
  readonly why: Why;
}

/** A calendar, and when its next sync may begin. */
interface Due {
  readonly calendarId: string;
  readonly waker: Wake;
  readonly dueAtMs: number;
}

/** Reads calendars when woken. Each calendar has one sync at a time across all processes, and many wakes cause one sync. */
export class CalendarWatch {
  readonly #parts: CalendarWatchParts;
  readonly #wakes: ReadonlyMap<string, Wake>;
  /** Called when another sync may be due, or may begin. */
  readonly #news = new WakeAll();

  constructor(parts: CalendarWatchParts) {
    this.#parts = parts;
    this.#wakes = new Map(
      parts.calendars.map((calendarId) => [
        calendarId,
        {
          ...{ wantedUntilMs: undefined, why: 'poll', failures: 0, isBackingOff: false, dueAtMs: undefined },
          ping: 0,
          lastBeganAtMs: Number.NEGATIVE_INFINITY,
        },
      ]),
    );
  }

  /**
   * Something has just changed there. Returns immediately; if a sync is running, another one follows. `ping`: its number in the calendar's
   * cursor, so that a sync by another process answers it too. Their clocks may differ by more than the age of the change. `settleMs`: as of
   * the parts, where wakes may be for the worker's own writes.
   */
  wake(calendarId: string, ping: number, { settleMs }: { readonly settleMs?: number } = {}): void {
    this.#hurry(calendarId);
    this.#want(calendarId, { untilMs: 0, ping, why: 'rung' }, { settleMs });
  }

  /** Less may be known of the calendar than before. */
  look(calendarId: string, untilMs: number): void {
    this.#want(calendarId, { untilMs, why: 'look' });
  }

  /** The calendar has its turn, unless a process has read it up to that moment. */
  poll(calendarId: string, untilMs: number): void {
    this.#want(calendarId, { untilMs, why: 'poll' });
  }

  /** The signal interrupts running syncs after their current page; they continue there next time. */
  async run(signal: AbortSignal): Promise<void> {
    const running = new Set<Promise<void>>();
    while (!signal.aborted) {
      const news = this.#news.signal;
      const next = running.size < SYNCS_AT_ONCE ? this.#next() : undefined;
      if (next === undefined) {
        await aborted(signal, news);
      } else if (next.dueAtMs > performance.now()) {
        await asleep(next.dueAtMs - performance.now(), [signal, news]);
      } else {
        const sync = this.#begin(next, signal).finally(() => {
          running.delete(sync);
          this.#news.call();
        });
        running.add(sync);
      }
    }
    await Promise.all(running);
  }

  /** After Google's ping, a back-off of minutes is pointless. A pause that Google requested is kept. */
  #hurry(calendarId: string): void {
    const waker = this.#wakes.get(calendarId);
    if (waker === undefined || !waker.isBackingOff) return;
    waker.isBackingOff = false;
    // Never later than without the wake.
    this.#due(waker, Math.min(waker.dueAtMs ?? Number.POSITIVE_INFINITY, waker.lastBeganAtMs + HURRIED_MS));
  }

  #due(waker: Wake, atMs: number): void {
    waker.dueAtMs = Math.max(performance.now(), atMs);
    this.#news.call();
  }

  #want(
    calendarId: string,
    { untilMs, ping = 0, why }: Want,
    {
      waitMs = 0,
      settleMs = this.#parts.settleMs,
    }: { readonly waitMs?: number; readonly settleMs?: number | undefined } = {},
  ): void {
    const waker = this.#wakes.get(calendarId);
    if (waker === undefined) return;
    const isWoken = waker.wantedUntilMs !== undefined;
    waker.wantedUntilMs = Math.max(waker.wantedUntilMs ?? 0, untilMs);
    waker.ping = Math.max(waker.ping, ping);
    waker.why = isWoken && WHYS.indexOf(waker.why) < WHYS.indexOf(why) ? waker.why : why;
    if (isWoken) return;
    this.#due(waker, Math.max(waker.lastBeganAtMs + settleMs, performance.now() + waitMs));
  }

  /** The calendar that is due first. */
  #next(): Due | undefined {
    let next: Due | undefined;
    for (const [calendarId, waker] of this.#wakes) {
      const { dueAtMs } = waker;
      if (dueAtMs !== undefined && dueAtMs < (next?.dueAtMs ?? Number.POSITIVE_INFINITY))
        next = { calendarId, waker, dueAtMs };
    }
    return next;
  }

  #begin({ calendarId, waker }: Due, signal: AbortSignal): Promise<void> {
    const want = { untilMs: waker.wantedUntilMs ?? 0, ping: waker.ping, why: waker.why };
    // From here on, a wake may report a change that this sync misses: it gets a sync of its own.
    waker.wantedUntilMs = undefined;
    waker.ping = 0;
    waker.dueAtMs = undefined;
    waker.isBackingOff = false;
    waker.lastBeganAtMs = performance.now();
    return this.#sync({ calendarId, waker, want }, signal);
  }

  async #sync(
    { calendarId, waker, want }: Omit<Due, 'dueAtMs'> & { readonly want: Want },
    signal: AbortSignal,
  ): Promise<void> {
    const { leases, meter } = this.#parts;
    try {
      if (!(await this.#parts.isCurrent())) return;
      const held = await leases.hold(
        `calendar:${calendarId}`,
        (lease) => this.#syncOnce(calendarId, want, lease),
        { until: signal },
      );
      waker.failures = 0;
      if (held !== undefined) meter.add('slotbridge_calendar_syncs_total', { end: held.result });
      // Another process is reading it and may have begun too early, or has taken the lease over: look once more when it is done.
      if (held === undefined || held.result === 'interrupted')
        return this.#want(calendarId, want, { waitMs: this.#parts.settleMs });
    } catch (error) {
      if (signal.aborted) return;
      waker.failures += 1;
      this.#tell(calendarId, error);
      const { backoff = backoffMs } = this.#parts;
      const isAsked = error instanceof DeferredError;
      const isWoken = waker.wantedUntilMs !== undefined;
      const waitMs = isAsked ? deferredForMs(error, waker.failures) : backoff(waker.failures);
      this.#want(calendarId, want, { waitMs });
      waker.isBackingOff = !isAsked && !isWoken;
      await this.#noteWait(calendarId, error);
    }
  }

  async #syncOnce(
    calendarId: string,
    { untilMs, ping = 0, why }: Want,
    lease: Lease,
  ): Promise<SyncEnd | 'read-already'> {
    const known = await this.#parts.cursors.read(calendarId);
    const { coveredUntilMs, coveredPings = 0 } = known;
    const isProof = coveredUntilMs !== undefined && canHaveBeen(coveredUntilMs, this.#parts.clock.now());
    if (isProof && coveredUntilMs >= untilMs && coveredPings >= ping) return 'read-already';
    const { api, pollApi = api } = this.#parts;
    const parts = { ...this.#parts, api: why === 'rung' ? api : pollApi };
    return syncCalendar(parts, calendarId, { lease, isPoll: why === 'poll', known });
  }

  /** Shows people why the calendar is not read. Without the store they cannot ask, so its errors are ignored. */
  async #noteWait(calendarId: string, error: unknown): Promise<void> {
    if (!(error instanceof DeferredError) || error.quota === undefined) return;
    const untilMs = this.#parts.clock.now() + error.retryAfterMs + TRIED_WITHIN_MS;
    await this.#parts.quotas.waits(`calendar:${calendarId}`, [error.quota], untilMs).catch(() => undefined);
  }

  #tell(calendarId: string, error: unknown): void {
    const { log, meter } = this.#parts;
    meter.add('slotbridge_calendar_syncs_total', { end: 'failed' });
    const known = error instanceof WorkerError ? error : undefined;
    const target = `calendar:${calendarId}`;
    const fields = { target, code: known?.code ?? 'unexpected', err: error };
    if (known instanceof DeferredError) log.info(fields, 'calendar sync put off');
    else log.warn(fields, 'calendar sync failed');
  }
}

// Takes Google's pings. A ping says only that something in a calendar may have changed, and wakes a sync. Pings are lost, doubled and
// late by design (Google, push notifications). Anybody can send one, so only the channel's token proves that Google did.

export const PING_PATH = '/webhooks/google';

/** Largest body of a ping: Google's have no body. */
const PING_BYTES_MAX = 16 * 1024;

interface PingRouteParts extends Runtime {
  readonly channels: Pick<ChannelStore, 'get' | 'confirm'>;
  readonly cursors: Pick<CalendarCursors, 'pinged'>;
  readonly wake: (calendarId: string, ping: number) => void;
  /** Called for an unknown channel, left by an earlier installation. The ping itself names everything needed to stop it. */
  readonly onStranger: (channel: UnknownChannel) => void;
}

export interface UnknownChannel {
  readonly id: string;
  readonly resourceId: string;
  /** As written in the ping. */
  readonly calendarId: string | undefined;
}

/** A fastify plugin: `POST /webhooks/google`. Answers 204 to everything, and 503 only when Redis cannot say which channel it is. */
export function pingRoute(parts: PingRouteParts) {
  return async (app: FastifyInstance): Promise<void> => {
    readAnyBody(app);
    app.post(PING_PATH, { bodyLimit: PING_BYTES_MAX }, (request, reply) => takePing(parts, request, reply));
  };
}

async function takePing(
  parts: PingRouteParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  try {
    const outcome = await take(parts, (name) => headerOf(request, name));
    parts.meter.add('slotbridge_calendar_pings_total', { outcome });
    return reply.code(204).send();
  } catch (error) {
    parts.meter.add('slotbridge_calendar_pings_total', { outcome: 'not-taken' });
    parts.log.warn({ err: error }, 'ping of Google not taken');
    // Google sends it again. If not, the next poll finds the change.
    return reply.code(503).send();
  }
}

type PingOutcome = 'rung' | 'sync' | 'unknown-channel' | 'wrong-token' | 'no-channel';

async function take(
  parts: PingRouteParts,
  header: (name: string) => string | undefined,
): Promise<PingOutcome> {
  const id = header('x-goog-channel-id');
  if (id === undefined || id.length > CHANNEL_ID_CHARS_MAX) return 'no-channel';
  const channel = await parts.channels.get(id);
  const resourceId = header('x-goog-resource-id');
  if (channel === undefined) {
    const calendarId = calendarIn(header('x-goog-resource-uri') ?? '');
    if (resourceId !== undefined) parts.onStranger({ id, resourceId, calendarId });
    return 'unknown-channel';
  }
  if (!isSameText(header('x-goog-channel-token') ?? '', channel.token)) return 'wrong-token';
  // The answer to the request may have been lost: the ping itself repeats what it said.
  if (channel.resourceId === undefined && resourceId !== undefined) {
    const expiresAtMs = expiryOf(header('x-goog-channel-expiration'), channel);
    await parts.channels.confirm(id, { resourceId, expiresAtMs });
  }
  // Polling becomes rare because pings arrive. The first one counts too, although it reports no change.
  const ping = await parts.cursors.pinged(channel.calendarId, parts.clock.now());
  // The first message of a channel says that it is open (X-Goog-Resource-State: sync). Message numbers promise no order.
  if (header('x-goog-resource-state') === 'sync') return 'sync';
  parts.wake(channel.calendarId, ping);
  return 'rung';
}

/** Longest channel id: Google's own limit (Events: watch). */
const CHANNEL_ID_CHARS_MAX = 64;

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function calendarIn(resourceUri: string): string | undefined {
  const [, name] = /\/calendars\/([^/?]+)\/events/.exec(resourceUri) ?? [];
  try {
    return name === undefined ? undefined : decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

function expiryOf(text: string | undefined, channel: Channel): number {
  const atMs = Date.parse(text ?? '');
  return Number.isFinite(atMs) ? atMs : channel.expiresAtMs;
}

/** Time between two rounds of care for the channels. */
const CHANNELS_EVERY_MS = 30_000;
/** Longest time between two checks which calendars are due. */
const POLL_ROUND_MS_MAX = 10_000;
/** Rounds of polling within the shortest poll interval. */
const POLL_ROUNDS = 4;
/** Time between two requests to stop unknown channels: anybody can pretend to be one, and that must not use up the budget. */
const STRANGERS_APART_MS = 10_000;

interface WatchParts extends Runtime {
  readonly watch: CalendarWatch;
  readonly poller: Poller;
  readonly channels: Channels;
  readonly calendars: readonly string[];
  /** Name of the Google account of a target; undefined means the default account. */
  readonly accountOf: (target: string) => string | undefined;
  /** The shortest interval between two polls of one calendar. */
  readonly pollEveryMs: number;
  readonly api: Pick<CalendarWatchApi, 'stop'>;
  readonly cursors: CalendarCursors;
  readonly channelStore: ChannelStore;
  readonly leases: Leases;
  readonly isCurrent: () => Promise<boolean>;
  /** Listens for changes where nobody pings. */
  readonly ears: readonly Part[];
}

export interface CalendarWatchLoops extends Part {
  /** Reads all calendars, one after the other within the share of polling. */
  lookAtAll(): void;
  readonly plugin: ReturnType<typeof pingRoute>;
}

/** The loops over all calendars in which people's changes count. Nothing runs before `run`. */
export function calendarWatchLoops(parts: WatchParts): CalendarWatchLoops {
  const { watch, poller, channels, leases, clock, log, meter, isCurrent } = parts;
  const wakeAll = new WakeAll();
  const care = async (signal: AbortSignal): Promise<undefined> => {
    if (!(await isCurrent())) return;
    await leases.hold('calendar-channels', (lease) => channels.care(lease.signal), { until: signal });
  };
  return {
    lookAtAll(): void {
      poller.lookAtAll();
      wakeAll.call();
    },
    plugin: pingRoute({
      channels: parts.channelStore,
      cursors: parts.cursors,
      wake: (calendarId, ping) => watch.wake(calendarId, ping),
      onStranger: strangerStopper(parts),
      ...{ clock, log, meter },
    }),
    name: 'calendar watch',
    /** Ends when the running syncs have stopped after their page. */
    async run(signal: AbortSignal): Promise<void> {
      // Covers whatever happened to Redis while no worker ran: one short read per calendar.
      poller.lookAtAll();
      const roundMs = Math.min(POLL_ROUND_MS_MAX, parts.pollEveryMs / POLL_ROUNDS);
      await Promise.all([
        watch.run(signal),
        repeat({ name: 'calendar polls', everyMs: roundMs, signal, log, wakeAll }, async () => {
          if (await isCurrent()) await poller.round();
          return undefined;
        }),
        repeat({ name: 'calendar channels', everyMs: CHANNELS_EVERY_MS, signal, log }, () => care(signal)),
        ...parts.ears.map((ear) => ear.run(signal)),
      ]);
    },
  };
}

/**
 * Stops channels left by an installation whose Redis was lost: they would ping for days. Only the account that opened a channel can stop it.
 * The worker uses only accounts of watched calendars, whatever the ping names. If it names no watched calendar, they take turns.
 */
function strangerStopper({
  api,
  calendars,
  accountOf,
  log,
}: Pick<WatchParts, 'api' | 'calendars' | 'accountOf' | 'log'>) {
  const accounts = calendars.map((each) => accountOf(`calendar:${each}`));
  /** The first calendar of each account. */
  const inTurn = calendars.filter((_, at) => accounts.indexOf(accounts[at]) === at);
  let turns = 0;
  let nextMs = Number.NEGATIVE_INFINITY;
  return ({ calendarId, id, resourceId }: UnknownChannel): void => {
    const named = calendarId?.toLowerCase();
    if (performance.now() < nextMs) return;
    const match = calendars.find((each) => each.toLowerCase() === named);
    const watched = match ?? inTurn[turns % inTurn.length];
    if (watched === undefined) return;
    if (match === undefined) turns += 1;
    nextMs = performance.now() + STRANGERS_APART_MS;
    api.stop(watched, { id, resourceId }).then(
      (outcome) => log.info({ outcome }, 'unknown calendar channel asked to stop'),
      (error: unknown) => log.info({ err: error }, 'unknown calendar channel not stopped'),
    );
  };
}
