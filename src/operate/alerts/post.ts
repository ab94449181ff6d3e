// Posts notices to a webhook in Slack's format: {"text": …}. Mattermost, Rocket.Chat, Google Chat and others accept the same.

import type { AlertName, AlertNotice } from '../../engine/domain/alert.ts';
import type { Language } from '../../mapping/config.ts';
import type { AlertWords } from '../codes/alert-words.ts';
import { ALERT_WORDS } from './words.ts';

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
  return escaped([...lost, ...lines, ...links].join('\n'));
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

/** Slack interprets these three characters as markup (api.slack.com, Formatting text). */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
