import type { Role } from '../../engine/domain/role.ts';
import { html } from '../html.ts';
import type { Page } from '../visit.ts';
import type { Words } from '../words/en.ts';

/** Why a person does not get what they asked for. The page repeats nothing of the request. */
export type Trouble = 'forbidden' | 'missing' | 'form' | 'large' | 'away' | 'failed';

const STATUS: Readonly<Record<Trouble, number>> = {
  forbidden: 403,
  missing: 404,
  form: 403,
  large: 413,
  away: 503,
  failed: 500,
};

export function troublePage(trouble: Trouble, words: Words, role: Role | undefined): Page {
  const { errors } = words;
  const text =
    trouble === 'forbidden'
      ? errors.forbiddenText(role === undefined ? '–' : words.roles[role])
      : errors[`${trouble}Text`];
  return {
    title: errors[trouble],
    status: STATUS[trouble],
    body: html`<section class="message"><h1>${errors[trouble]}</h1><p>${text}</p>
<p><a class="button" href="/console">${errors.back}</a></p></section>`,
  };
}
