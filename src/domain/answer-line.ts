/** Above what the worker has to say in an event that is people's own. Plain characters, because nobody promises that Google keeps a rule of HTML. */
const ANSWER_LINE = '────── slotbridge ──────';

/** A description without what the worker has answered: people's own text. */
export function withoutAnswer(description: string): string {
  const at = description.indexOf(ANSWER_LINE);
  return (at < 0 ? description : description.slice(0, at)).replace(/(?:\s|<br\s*\/?>)+$/i, '');
}

/** People's own text with this answer below it, and no older one. */
export function withAnswer(description: string, answer: string): string {
  const own = withoutAnswer(description);
  if (answer === '') return own;
  return `${own}${own === '' ? '' : '\n\n'}${ANSWER_LINE}\n${answer}`;
}
