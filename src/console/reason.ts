const CHARS_MAX = 500;

/** Why a person does what they are about to do. Undefined when the reason is missing or too long. */
export function readWhy(form: URLSearchParams): string | undefined {
  const why = (form.get('why') ?? '').trim();
  return why === '' || why.length > CHARS_MAX ? undefined : why;
}
