const CHARS_MAX = 500;

/** Why somebody does what they are about to do. Undefined when they did not say, or said too much. */
export function readWhy(form: URLSearchParams): string | undefined {
  const why = (form.get('why') ?? '').trim();
  return why === '' || why.length > CHARS_MAX ? undefined : why;
}
