// Checks the status regularly, and notifies people once when something is wrong and once when it is over. A lease allows one process at a
// time to check. The alert book is in Redis, so that neither a restart nor a second worker repeats a notice. A kill between the webhook's
// answer and the next write to Redis repeats that message.

import {
  type AlertBook,
  type AlertCondition,
  type AlertName,
  type AlertNotice,
  EMPTY_BOOK,
  type StandingAlert,
  type WorkPace,
} from '../../engine/alert.ts';
import { WorkerError } from '../../engine/errors.ts';
import type { LeaseProof, Leases } from '../../engine/leases.ts';
import { agoMs, startedBy } from '../../engine/moments.ts';
import { escapedMarkup } from '../../engine/plain-text.ts';
import { fetchOutside } from '../../engine/proxy.ts';
import { RedisStore, replyWithin } from '../../engine/redis-script.ts';
import type { Clock, Log, Runtime } from '../../engine/runtime.ts';
import { repeat } from '../../engine/supervisor.ts';
import { backoffMs } from '../../engine/work.ts';
import { fencedSet } from '../../engine/work-store.ts';
import type { Config, Language } from '../../mapping/config.ts';
import type { AlertWords } from '../codes/alert-words.ts';
import type { Metrics } from '../metrics.ts';
import type { StatusSource } from '../status.ts';
import type { StatusReport } from '../status-report.ts';
import { type AlertBounds, conditionsOf } from './conditions.ts';
import { ALERT_WORDS, placeWords, toldIn } from './words.ts';

/** What the alerts remember, for all processes together. */
export class AlertStore extends RedisStore {
  async read(): Promise<AlertBook> {
    const text = await replyWithin(this.redis.hget(this.keys.alerts, 'book'));
    return text === null ? EMPTY_BOOK : { ...EMPTY_BOOK, ...(JSON.parse(text) as Partial<AlertBook>) };
  }

  /** False if a later holder of the lease has already written: the caller was overtaken and must stop. */
  async save(book: AlertBook, lease: LeaseProof): Promise<boolean> {
    const pairs = ['book', JSON.stringify(book)];
    return fencedSet(this.parts, lease, { key: this.keys.alerts, pairs });
  }
}

export interface AlerterParts extends DeliveryParts {
  readonly status: StatusSource;
  readonly store: AlertStore;
  readonly leases: Leases;
  readonly bounds: Omit<AlertBounds, 'language'>;
  readonly damping: AlertDamping;
  /** Receives the current alerts, for the metric. */
  readonly show: (alerts: ReadonlySet<AlertName>) => void;
}

const LEASE = 'alerts';

export class Alerter {
  readonly #parts: AlerterParts;
  /** Alerts that only this process can detect: it cannot read the state. */
  #own: AlertBook = EMPTY_BOOK;
  #shared: AlertBook = EMPTY_BOOK;

  constructor(parts: AlerterParts) {
    this.#parts = parts;
  }

  /** Checks once. Never rejects. */
  async look(signal: AbortSignal): Promise<void> {
    const conditions = await this.#lookTogether(signal).then(
      () => [],
      (error: unknown) => [unreadable(error, this.#parts.language)],
    );
    if (signal.aborted) return;
    const told = logNotices(this.#parts, this.#step(this.#own, conditions));
    this.#own = await postNotices(this.#parts, told, signal);
    const raised = [...this.#shared.standing, ...this.#own.standing].filter((alert) => alert.isRaised);
    this.#parts.show(new Set(raised.map((alert) => alert.alert)));
  }

  async #lookTogether(signal: AbortSignal): Promise<void> {
    const { leases, store } = this.#parts;
    const held = await leases.hold(LEASE, (lease) => this.#advance(lease, lease.signal), { until: signal });
    // Another process holds the lease; this process's metric shows the same alerts anyway.
    this.#shared = held?.result ?? (await store.read());
  }

  async #advance(lease: LeaseProof, signal: AbortSignal): Promise<AlertBook> {
    const { status, store, bounds, language, clock } = this.#parts;
    const report = await status.read();
    const before = await store.read();
    const pace = paceOf(report, before.pace, clock.now());
    const seen = conditionsOf(report, { ...bounds, language }, clock.now() - pace.sinceMs);
    const decided = { ...this.#step(before, seen), pace };
    // Saved before anybody is notified: without that, the same notice would be sent again and again while Redis is full.
    if (!(await store.save(decided, lease)) || signal.aborted) return decided;
    const logged = logNotices(this.#parts, decided);
    if (logged !== decided) await store.save(logged, lease);
    const told = await postNotices(this.#parts, logged, signal);
    if (told !== logged) await store.save(told, lease);
    return told;
  }

  #step(book: AlertBook, seen: readonly AlertCondition[]): AlertBook {
    return step(book, seen, { ...this.#parts.damping, nowMs: this.#parts.clock.now() });
  }
}

function unreadable(error: unknown, language?: Language): AlertCondition {
  const { code, advice } = error instanceof WorkerError ? error : {};
  const failed = { ...(code !== undefined && { code }), ...(advice !== undefined && { advice }) };
  return {
    alert: 'state-unreadable',
    subject: 'redis',
    ...toldIn(language, (words) => words.stateUnreadable(failed)),
  };
}

// Sends the notices of a book to the log and to the webhook. A notice leaves the book only after it was accepted, so a kill in between
// repeats it instead of losing it.

interface DeliveryParts extends Runtime {
  /** Undefined: alerts go only to the log and the metric. */
  readonly post: AlertPost | undefined;
  /** Identifies this worker when several report to one channel. */
  readonly installation: string;
  /** Where people see what the alert is about; undefined: the console is off or has no address. */
  readonly consoleUrl?: string | undefined;
  /** The language of the messages. Absent: English, as in the log. */
  readonly language?: Language;
}

/** Largest number of notices in one message. */
const NOTICES_PER_POST = 20;

/** Writes new notices to the log and returns the updated book. */
function logNotices({ log, post }: DeliveryParts, book: AlertBook): AlertBook {
  for (const notice of book.unsent) if (!notice.isLogged) write(log, notice);
  if (post === undefined) return book.unsent.length === 0 ? book : { ...book, unsent: [], dropped: 0 };
  if (book.unsent.every((notice) => notice.isLogged)) return book;
  return { ...book, unsent: book.unsent.map((notice) => ({ ...notice, isLogged: true })) };
}

function write(log: Log, { what, alert, text, advice, stoodMs }: AlertNotice): void {
  const fields = { alert, text, stoodS: Math.round(stoodMs / 1000) };
  if (what === 'raised') log.warn({ ...fields, advice }, 'alert raised');
  else log.info(fields, 'alert cleared');
}

/** Tries once to post to the webhook, if a try is due, and returns the updated book. Never rejects. */
async function postNotices(parts: DeliveryParts, book: AlertBook, signal: AbortSignal): Promise<AlertBook> {
  const { post, installation, consoleUrl, language, clock, log, meter } = parts;
  const batch = book.unsent.filter((notice) => maySend(notice, book)).slice(0, NOTICES_PER_POST);
  if (post === undefined || batch.length === 0 || isTooEarly(book, clock.now())) return book;
  const outcome = await post(
    noticesMessage(batch, { installation, consoleUrl, language, dropped: book.dropped }),
    signal,
  );
  meter.add('slotbridge_alert_posts_total', { outcome: outcome.sent ? 'sent' : 'failed' });
  if (outcome.sent) {
    const unsent = book.unsent.filter((notice) => !batch.includes(notice));
    return { ...book, unsent, dropped: 0, failures: 0, nextPostMs: 0 };
  }
  const failures = book.failures + 1;
  const pauseMs = Math.max(outcome.afterMs, backoffMs(failures));
  const advice = 'Check that alerts.webhook is correct and reachable. The alert is sent as soon as it is.';
  log.warn({ status: outcome.status ?? 'no answer', failures, advice }, 'alert not delivered');
  return { ...book, failures, nextPostMs: clock.now() + pauseMs };
}

const PAUSE_MS_MAX = 15 * 60_000;

/** Ignores a pause longer than the longest one, so that a clock that was set back does not silence the alerts. */
function isTooEarly({ nextPostMs }: AlertBook, nowMs: number): boolean {
  return nowMs < nextPostMs && nextPostMs - nowMs <= PAUSE_MS_MAX;
}

/** Largest difference between two computations of the same moment: ages are whole seconds, so each may be a second off. */
const SAME_MOMENT_MS = 2_000;

/** Keeps the pace's start time while no work was added, finished or replaced; otherwise starts a new pace now. */
function paceOf({ pending }: StatusReport, before: WorkPace | undefined, nowMs: number): WorkPace {
  const { objects, sheet_rows: rows } = pending;
  const oldestMs = pending.oldest_age_s === null ? 0 : nowMs - pending.oldest_age_s * 1000;
  const isSame =
    before !== undefined &&
    before.objects === objects &&
    before.rows === rows &&
    Math.abs(before.oldestMs - oldestMs) <= SAME_MOMENT_MS;
  return { objects, rows, oldestMs, sinceMs: isSame ? Math.min(before.sinceMs, nowMs) : nowMs };
}

// Computes the next book from the current one and the present conditions. Pure. A condition must last before it is raised, and must be gone
// for a while before it is cleared. A condition that comes and goes is reported once.

interface AlertDamping {
  readonly raiseAfterMs: number;
  readonly clearAfterMs: number;
}

/** Time without checks after which what was seen before it proves nothing: a restart often is the repair. */
const UNWATCHED_MS_MAX = 5 * 60_000;
/** How long to wait for a problem to be found again before it is raised. Longer than the 15 s after which a refusing target is tried. */
const FOUND_AGAIN_WITHIN_MS = 60_000;
/** Largest number of unsent notices, so that a webhook that is unavailable for days does not fill Redis. */
const UNSENT_MAX = 200;

export function step(
  book: AlertBook,
  seen: readonly AlertCondition[],
  now: AlertDamping & { readonly nowMs: number },
): AlertBook {
  const seenByKey = new Map(seen.map((condition) => [conditionKey(condition), condition]));
  const known = new Map(book.standing.map((alert) => [conditionKey(alert), alert]));
  const standing: StandingAlert[] = [];
  const notices: AlertNotice[] = [];
  const isWatched = agoMs(book.lookedAtMs ?? now.nowMs, now.nowMs) <= UNWATCHED_MS_MAX;
  for (const [key, condition] of seenByKey) {
    const before = known.get(key);
    const next = stands(condition, isWatched || before?.isRaised === true ? before : undefined, now);
    standing.push(next);
    if (next.isRaised && before?.isRaised !== true) notices.push(notice('raised', next, now.nowMs));
  }
  const over = new Set<string>();
  for (const [key, alert] of known) {
    // A condition that was never raised needs no notice that it is over.
    if (seenByKey.has(key) || !alert.isRaised) continue;
    const goneSinceMs = startedBy(alert.goneSinceMs, now.nowMs);
    if (now.nowMs - goneSinceMs < now.clearAfterMs) standing.push({ ...alert, goneSinceMs });
    else {
      over.add(key);
      notices.push(notice('cleared', alert, goneSinceMs));
    }
  }
  // Nobody is called to what is over: people then hear only that it was.
  const waiting = book.unsent.filter((each) => each.what === 'cleared' || !over.has(conditionKey(each)));
  const unsent = [...waiting, ...notices];
  const excess = Math.max(0, unsent.length - UNSENT_MAX);
  const { nowMs: lookedAtMs } = now;
  return { ...book, standing, unsent: unsent.slice(excess), dropped: book.dropped + excess, lookedAtMs };
}

/** False for a raised notice whose condition the last check no longer saw: whether it is over will be known soon. */
function maySend(notice: AlertNotice, { standing }: Pick<AlertBook, 'standing'>): boolean {
  const key = conditionKey(notice);
  return (
    notice.what === 'cleared' ||
    !standing.some((alert) => conditionKey(alert) === key && alert.goneSinceMs !== undefined)
  );
}

function conditionKey({ alert, subject }: AlertCondition): string {
  return `${alert} ${subject}`;
}

function stands(
  condition: AlertCondition,
  before: StandingAlert | undefined,
  { nowMs, raiseAfterMs }: AlertDamping & { readonly nowMs: number },
): StandingAlert {
  const { toldAfterMs = 0, foundAtMs = nowMs } = condition;
  const sinceMs = startedBy(before?.sinceMs, nowMs);
  const neededMs = Math.max(raiseAfterMs, toldAfterMs);
  const isDue =
    foundAtMs - sinceMs >= neededMs
      ? nowMs - sinceMs >= neededMs
      : nowMs - sinceMs >= neededMs + FOUND_AGAIN_WITHIN_MS;
  return { ...condition, sinceMs, isRaised: before?.isRaised === true || isDue };
}

function notice(what: AlertNotice['what'], alert: StandingAlert, atMs: number): AlertNotice {
  const { alert: name, subject, text, advice, said, sinceMs } = alert;
  const stoodMs = agoMs(sinceMs, atMs);
  const told = { text, advice, ...(said !== undefined && { said }) };
  return { what, alert: name, subject, ...told, atMs, stoodMs, isLogged: false };
}

/** Bounds of the time between two checks of the status for alerts. */
const LOOK_EVERY_MS_MIN = 1_000;
const LOOK_EVERY_MS_MAX = 10_000;
/** Number of checks within the time that a condition must last. */
const LOOKS_BEFORE_RAISED = 4;

/** Checks for alerts until the signal aborts. Runs beside the work: neither waits for the other. */
export function runAlerts(
  parts: {
    readonly config: Config;
    readonly alerts: AlertStore;
    readonly leases: Leases;
    readonly status: StatusSource;
    readonly metrics: Metrics;
    readonly clock: Clock;
    readonly log: Log;
  },
  signal: AbortSignal,
): Promise<void> {
  const { config, alerts, leases, status, metrics, clock, log } = parts;
  const { webhook, raiseAfterMs, clearAfterMs, ...bounds } = config.alerts;
  const alerter = new Alerter({
    ...{ status, clock, log },
    bounds: { ...bounds, placeOf: placeWords(config) },
    store: alerts,
    leases,
    damping: { raiseAfterMs, clearAfterMs },
    post: webhook === undefined ? undefined : postTo(webhook),
    ...installationOf(config),
    language: config.worker.language,
    meter: metrics.meter,
    show: metrics.showAlerts,
  });
  const paceMs = Math.min(raiseAfterMs, clearAfterMs) / LOOKS_BEFORE_RAISED;
  const everyMs = Math.min(LOOK_EVERY_MS_MAX, Math.max(LOOK_EVERY_MS_MIN, paceMs));
  return repeat({ name: 'alerts', everyMs, signal, log }, async () => {
    await alerter.look(signal);
    return undefined;
  });
}

/** The prefix tells installations of one machine apart; the address is what their owner knows. */
function installationOf({ redis, console, platform, worker }: Config): {
  installation: string;
  consoleUrl?: string;
} {
  const known = console.address ?? platform.webhook.publicUrl;
  const host = known === undefined ? undefined : new URL(known).host;
  const { message } = ALERT_WORDS[worker.language];
  return {
    installation: host === undefined ? redis.prefix : message.installation(redis.prefix, host),
    ...(console.isEnabled && console.address !== undefined && { consoleUrl: `${console.address}/console` }),
  };
}

// Posts notices to a webhook in Slack's format: {"text": …}. Mattermost, Rocket.Chat, Google Chat and others accept the same.

/** `afterMs` is the shortest pause that the receiver asks for. The webhook's URL is a secret and appears in no outcome or message. */
type PostOutcome =
  | { readonly sent: true }
  | { readonly sent: false; readonly status: number | undefined; readonly afterMs: number };

type AlertPost = (text: string, signal: AbortSignal) => Promise<PostOutcome>;

/**
 * Deadline of a post, and longest pause that a receiver may ask for. The deadline also ends a connection that is accepted but never
 * answered.
 */
const ANSWER_WITHIN_MS = 10_000;
const RETRY_AFTER_MS_MAX = 15 * 60_000;

export function postTo(url: string): AlertPost {
  return async (text, signal) => {
    try {
      const answer = await fetchOutside(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      });
      await answer.body?.cancel();
      if (answer.ok) return { sent: true };
      return { sent: false, status: answer.status, afterMs: pauseOf(answer.headers.get('retry-after')) };
    } catch {
      return { sent: false, status: undefined, afterMs: 0 };
    }
  };
}

/** Slack sends whole seconds (api.slack.com, Rate limits). */
function pauseOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), RETRY_AFTER_MS_MAX) : 0;
}

/** One message for several notices, because an outage raises many together. */
export function noticesMessage(
  notices: readonly AlertNotice[],
  {
    installation,
    dropped,
    consoleUrl,
    language = 'en',
  }: {
    readonly installation: string;
    readonly dropped: number;
    readonly consoleUrl?: string | undefined;
    readonly language?: Language | undefined;
  },
): string {
  const { message } = ALERT_WORDS[language];
  const lines = notices.flatMap((notice) => describe(notice, installation, message));
  const links = [
    ...(consoleUrl === undefined ? [] : [message.console(consoleUrl)]),
    ...runbookSections(notices).map(message.runbook),
  ];
  const lost = dropped > 0 ? [`[${installation}] ${message.dropped(dropped)}`] : [];
  // Slack interprets the same three characters as markup (api.slack.com, Formatting text).
  return escapedMarkup([...lost, ...lines, ...links].join('\n'));
}

function describe(
  { what, alert, stoodMs, said, ...logged }: AlertNotice,
  installation: string,
  message: AlertWords['message'],
): string[] {
  const { text, advice } = said ?? logged;
  if (what === 'raised') return [`[${installation}] ${message.raised(alert, text)}`, `  -> ${advice}`];
  return [`[${installation}] ${message.cleared(alert, text, Math.round(stoodMs / 1000))}`];
}

/** The section of docs/runbook.md for each alert. */
export const RUNBOOK_SECTIONS: Readonly<Record<AlertName, string>> = {
  lag: 'alerts-problem-and-lag',
  problem: 'alerts-problem-and-lag',
  stuck: 'alert-stuck',
  coverage: 'alert-coverage',
  endpoint: 'alerts-endpoint-hole-and-hole-open',
  hole: 'alerts-endpoint-hole-and-hole-open',
  'hole-open': 'alerts-endpoint-hole-and-hole-open',
  'dead-letters': 'alerts-dead-letters-and-many-dead-letters',
  'many-dead-letters': 'alerts-dead-letters-and-many-dead-letters',
  'platform-refused': 'alert-platform-refused',
  'google-refused': 'alert-google-refused',
  'state-unreadable': 'alert-state-unreadable',
};

/** What is over needs no runbook. */
function runbookSections(notices: readonly AlertNotice[]): readonly string[] {
  const raised = notices.filter(({ what }) => what === 'raised');
  return [...new Set(raised.map(({ alert }) => RUNBOOK_SECTIONS[alert]))];
}
