// Sends the notices of a book to the log and to the webhook. A notice leaves the book only after it was accepted, so a kill in between
// repeats it instead of losing it.
import type { AlertBook, AlertNotice } from '../../domain/alert.ts';
import { backoffMs } from '../../domain/backoff.ts';
import type { Log, Runtime } from '../../ports/runtime.ts';
import { type AlertPost, noticesMessage } from './post.ts';

export interface DeliveryParts extends Runtime {
  /** Undefined: alerts go only to the log and the metric. */
  readonly post: AlertPost | undefined;
  /** Identifies this worker when several report to one channel. */
  readonly installation: string;
}

/** Largest number of notices in one message. */
const NOTICES_PER_POST = 20;

/** Writes new notices to the log and returns the updated book. */
export function logNotices({ log, post }: DeliveryParts, book: AlertBook): AlertBook {
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
export async function postNotices(
  parts: DeliveryParts,
  book: AlertBook,
  signal: AbortSignal,
): Promise<AlertBook> {
  const { post, installation, clock, log, meter } = parts;
  const batch = book.unsent.slice(0, NOTICES_PER_POST);
  if (post === undefined || batch.length === 0 || isTooEarly(book, clock.now())) return book;
  const outcome = await post(noticesMessage(batch, { installation, dropped: book.dropped }), signal);
  meter.add('slotbridge_alert_posts_total', { outcome: outcome.sent ? 'sent' : 'failed' });
  if (outcome.sent) {
    return { ...book, unsent: book.unsent.slice(batch.length), dropped: 0, failures: 0, nextPostMs: 0 };
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
