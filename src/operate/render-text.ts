// Shows authors of templates what a mapping makes of one object.

/** An event or a row as it would be written, and all fields that its templates can use. */
export interface Rendering {
  readonly mirror: string;
  /** `formatKey` of the object, or `sample appointment`. */
  readonly object: string;
  /** Personal values are replaced by the names of their fields. */
  readonly masked: boolean;
  /** The mirror's decision on the object by its `where` and its calendars; absent for a sample. */
  readonly opinion?: { readonly taken: boolean; readonly rule: string; readonly because: string };
  readonly shown: readonly RenderedPlace[];
  readonly fields: readonly RenderedField[];
  /** Remarks about the output. */
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

/** Strings without quotes, all other values as JSON: inside lists and objects, `"5"` and `5` stay distinct. */
function spoken(value: unknown): string {
  if (value === '') return '(empty)';
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
