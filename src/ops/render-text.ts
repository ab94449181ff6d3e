// What a mapping makes of one object, for whoever writes its templates.

/** An event or a row as it would be, and all that its templates can name. */
export interface Rendering {
  readonly mirror: string;
  /** `formatKey` of the object, or `sample appointment`. */
  readonly object: string;
  /** Personal values are shown as the names of their fields. */
  readonly masked: boolean;
  /** What the mirror makes of the object by its `where` and its calendars; absent for a sample. */
  readonly opinion?: { readonly taken: boolean; readonly rule: string; readonly because: string };
  readonly shown: readonly RenderedPlace[];
  readonly fields: readonly RenderedField[];
  /** Things to know about what is shown. */
  readonly notes: readonly string[];
}

export interface RenderedPlace {
  /** `calendar:…` or `spreadsheet:…/…`. */
  readonly place: string;
  readonly values: readonly RenderedField[];
}

export interface RenderedField {
  readonly name: string;
  readonly value: unknown;
}

const NAME_CHARS_MAX = 24;

export function formatRendering(told: Rendering): string {
  const { mirror, object, opinion, shown, fields, notes } = told;
  return [
    `${object} in ${mirror}`,
    ...(opinion === undefined
      ? []
      : [`  ${opinion.taken ? 'taken' : 'not taken'}: ${opinion.because}  (${opinion.rule})`]),
    ...shown.flatMap(({ place, values }) => ['', place, ...table(values)]),
    '',
    'Fields for templates:',
    ...table(fields),
    ...(notes.length === 0 ? [] : ['', ...notes]),
  ].join('\n');
}

function table(fields: readonly RenderedField[]): readonly string[] {
  const width = Math.min(NAME_CHARS_MAX, Math.max(0, ...fields.map(({ name }) => name.length)));
  return fields.map(({ name, value }) => {
    const [first = '', ...rest] = spoken(value).split('\n');
    const indent = ' '.repeat(width + 4);
    return [`  ${name.padEnd(width)}  ${first}`.trimEnd(), ...rest.map((line) => `${indent}${line}`)].join(
      '\n',
    );
  });
}

/** Text as it is, without quotes; everything else as JSON, so that `"5"` and `5` can be told apart where it matters. */
function spoken(value: unknown): string {
  if (value === '') return '(empty)';
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
