// Posts notices to a webhook in Slack's format: {"text": …}. Mattermost, Rocket.Chat, Google Chat and others accept the same.
import type { AlertNotice } from '../../domain/alert.ts';
import { spokenDuration } from '../spoken-time.ts';

/** `afterMs` is the shortest pause that the receiver asks for. The webhook's URL is a secret and appears in no outcome or message. */
export type PostOutcome =
  | { readonly sent: true }
  | { readonly sent: false; readonly status: number | undefined; readonly afterMs: number };

export type AlertPost = (text: string, signal: AbortSignal) => Promise<PostOutcome>;

/**
 * Deadline of a post, and longest pause that a receiver may ask for. The deadline also ends a connection that is accepted but never
 * answered.
 */
const ANSWER_WITHIN_MS = 10_000;
const RETRY_AFTER_MS_MAX = 15 * 60_000;

export function postTo(url: string): AlertPost {
  return async (text, signal) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        // Following a redirect would turn the POST into a GET without its text.
        redirect: 'manual',
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
  { installation, dropped }: { readonly installation: string; readonly dropped: number },
): string {
  const lines = notices.flatMap((notice) => describe(notice, installation));
  const lost = `[${installation}] ${dropped} older alerts could not be sent in time and were dropped; see the log`;
  return escaped([...(dropped > 0 ? [lost] : []), ...lines].join('\n'));
}

function describe({ what, alert, text, advice, stoodMs }: AlertNotice, installation: string): string[] {
  if (what === 'raised') return [`[${installation}] ALERT ${alert}: ${text}`, `  -> ${advice}`];
  const stood = spokenDuration(Math.round(stoodMs / 1000));
  return [`[${installation}] over, after ${stood}: ${alert}: ${text}`];
}

/** Slack interprets these three characters as markup (api.slack.com, Formatting text). */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
