/** Around what the worker has to say in an event that is people's own. Plain characters, because nobody promises that Google keeps a rule of HTML. */
const ANSWER_LINE = '────── slotbridge ──────';
const END_LINE = '────────────────────────';
const BREAK = String.raw`[^\S\n]*(?:\n|<br\s*\/?>)`;
/** Up to its last line; where people have deleted that, up to the first empty one, for an answer has none. */
const ANSWER = new RegExp(
  `${ANSWER_LINE}(?:(?:(?!${ANSWER_LINE})[^])*?${END_LINE}|(?:(?!${BREAK}${BREAK})[^])*)`,
);
const BREAKS_BEFORE = /(?:\s|<br\s*\/?>)+$/i;
const BREAKS_AFTER = /^(?:\s|<br\s*\/?>)+/i;

/** A description without what the worker has answered: people's own text, also what they have typed below the answer. */
export function withoutAnswer(description: string): string {
  const [before = '', ...after] = description.split(ANSWER);
  const own = [before.replace(BREAKS_BEFORE, ''), ...after.map((part) => part.replace(BREAKS_AFTER, ''))];
  return own
    .filter((part) => part !== '')
    .join('\n')
    .replace(BREAKS_BEFORE, '');
}

/** People's own text with this answer below it, and no older one. */
export function withAnswer(description: string, answer: string): string {
  const own = withoutAnswer(description);
  if (answer === '') return own;
  return `${own}${own === '' ? '' : '\n\n'}${ANSWER_LINE}\n${answer}\n${END_LINE}`;
}
