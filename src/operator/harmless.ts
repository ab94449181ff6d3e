/**
 * Whether an old value may be shown. Another template may have written it, and people type what they like. So it is shown only if it
 * identifies nobody: a word of the object itself, a day, an hour, or a short number.
 */
export function isHarmless(old: unknown, words: readonly string[]): boolean {
  if (typeof old === 'boolean') return true;
  const text = String(old ?? '').trim();
  return text === '' || words.includes(text) || HARMLESS.test(text);
}

const HARMLESS =
  /^(?:-?\d{1,5}(?:[.,]\d{1,2})?|(?:\d{4}-\d\d-\d\d|\d\d?[./]\d\d?[./]\d{4})?[ T]?(?:\d\d?:\d\d(?::\d\d)?)?)$/;
