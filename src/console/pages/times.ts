import { spokenTime } from '../../operate/spoken-time.ts';
import { html, type Markup } from '../html.ts';
import type { Words } from '../words/en.ts';

/** A moment in UTC; the script converts it to the browser's zone. */
export function timeMarkup(iso: string, nowIso: string): Markup {
  return html`<time datetime="${iso}">${spokenTime(iso, nowIso)}</time>`;
}

/** How long ago, by the server's clock, because a browser's may be wrong. */
export function ago(iso: string, nowIso: string, words: Words): string {
  return words.ago(secondsBetween(iso, nowIso));
}

export function secondsBetween(iso: string, nowIso: string): number {
  return Math.max(0, (Date.parse(nowIso) - Date.parse(iso)) / 1000);
}
