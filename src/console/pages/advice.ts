import { html, type Markup, type Piece } from '../html.ts';
import type { Words } from '../words/en.ts';

interface Said {
  /** What the worker said of this very case, in English. */
  readonly message?: string;
  readonly advice?: string | null;
  /** What the message names. */
  readonly names?: readonly string[] | undefined;
}

/**
 * What a code means and what to do. In English, the worker's own words say it more exactly. In another language they stand folded below it:
 * they name the tab, the status or the Request-Id.
 */
export function toldCode(code: string, said: Said, words: Words): Markup {
  const { codes, code: language } = words;
  const { message, advice } = codes.tell(code);
  if (language === 'en')
    return html`<p>${withCode(said.message || message)}</p>${adviceText(said.advice || advice, language)}`;
  const named = said.names !== undefined && html`<p class="code small">${said.names.join(', ')}</p>`;
  return html`<p>${withCode(message)}</p>${named}${adviceText(advice, language)}${said.message && englishText(said.message, words, said.advice)}`;
}

/** Words of the worker that exist in English only: folded in any other language. */
function englishText(text: string, { codes, code: language }: Words, advice?: string | null): Markup {
  const told = html`<p lang="en">${withCode(text)}</p>${advice ? adviceText(advice, 'en') : undefined}`;
  return language === 'en' ? told : html`<details><summary>${codes.details}</summary>${told}</details>`;
}

/** The title of a code for a heading, with the code itself, which the documents list. */
export function codeTitle(code: string, { codes }: Words): Markup {
  return html`${codes.tell(code).title} <span class="code small">${code}</span>`;
}

function adviceText(advice: string, language: string): Markup {
  return html`<p class="advice" lang="${language}">${withCode(advice)}</p>`;
}

/** Text between backticks is something to type. */
export function withCode(text: string): Piece {
  const parts = text.split('`');
  // A backtick without a partner stays a backtick.
  const isPaired = parts.length % 2 === 1;
  return isPaired ? parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part)) : text;
}
