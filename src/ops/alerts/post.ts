// Notices to a webhook as Slack takes them: {"text": …}. Mattermost, Rocket.Chat, Google Chat and others take the same.
import type { AlertNotice } from '../../domain/alert.ts';
import { spokenDuration } from '../spoken-time.ts';

/** `after` is the least pause that the receiver asks for. The address is a secret: it is in no answer and no message. */
export type PostOutcome =
  | { readonly sent: true }
  | { readonly sent: false; readonly status: number | undefined; readonly afterMs: number };

export type AlertPost = (text: string, signal: AbortSignal) => Promise<PostOutcome>;

/** Also so long for a receiver that takes the connection and then says nothing. */
const ANSWER_WITHIN_MS = 10_000;
const RETRY_AFTER_MS_MAX = 15 * 60_000;

export function postTo(url: string): AlertPost {
  return async (text, signal) => {
    try {
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text }),
        // A redirected POST would arrive as a GET, without its text.
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

/** Slack says whole seconds (api.slack.com, Rate limits). */
function pauseOf(retryAfter: string | null): number {
  const seconds = Number(retryAfter ?? 0);
  return Number.isFinite(seconds) ? Math.min(Math.max(0, seconds * 1000), RETRY_AFTER_MS_MAX) : 0;
}

/** One message for several notices: an outage raises many at once. */
export function noticesMessage(
  notices: readonly AlertNotice[],
  { installation, dropped }: { readonly installation: string; readonly dropped: number },
): string {
  const lines = notices.flatMap((notice) => describe(notice, installation));
  const lost = `[${installation}] ${dropped} older alerts could not be told in time; see the log`;
  return escaped([...(dropped > 0 ? [lost] : []), ...lines].join('\n'));
}

function describe({ what, alert, text, advice, stoodMs }: AlertNotice, installation: string): string[] {
  if (what === 'raised') return [`[${installation}] ALERT ${alert}: ${text}`, `  -> ${advice}`];
  const stood = spokenDuration(Math.round(stoodMs / 1000));
  return [`[${installation}] over, after ${stood}: ${alert}: ${text}`];
}

/** Slack reads these three as markup (api.slack.com, Formatting text). */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
