import { html, type Markup } from '../html.ts';

/** Advice of the worker, in its English. Text between backticks is something to type. */
export function adviceText(advice: string): Markup {
  const parts = advice.split('`');
  // A backtick without a partner stays a backtick.
  const isPaired = parts.length % 2 === 1;
  return html`<p class="advice" lang="en">${
    isPaired ? parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part)) : advice
  }</p>`;
}
