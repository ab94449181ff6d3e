import * as z from 'zod';
import type { ColumnType } from '../../engine/domain/mirror.ts';
import { complaint } from '../complaint.ts';
import { choice } from './choice.ts';
import { forEditors, shownAs } from './editors.ts';
import { explained } from './explained.ts';
import { section } from './section.ts';
import { template } from './template.ts';
import { text } from './text.ts';

/** A column as the file has it: a template, or a group with a template and the type of its cells. */
export interface WrittenColumn {
  readonly value: string;
  readonly as?: ColumnType | undefined;
  readonly format?: string | undefined;
  readonly currency?: string | undefined;
}

const TYPES = [
  'text',
  'number',
  'money',
  'date',
  'datetime',
  'time',
  'boolean',
] as const satisfies ColumnType[];

const plainColumn = template(
  complaint('has no template', 'write one such as "{{ name }}", or remove the line'),
);

const typedColumn = section({
  value: template(complaint('has no template', 'write value: "{{ starts_at }}", or another one')).meta(
    explained(
      'Liquid template. For dates and times it gives an instant such as {{ starts_at }}, for money an amount in major units such as {{ price }}.',
      { example: '{{ starts_at }}', since: '0.2.0' },
    ),
  ),
  as: choice(TYPES, 'type of a column').meta(
    explained(
      'Type of the cells: text, number, money, date, datetime, time or boolean. A value that does not fit the type is written as text.',
      { example: 'date', since: '0.2.0' },
    ),
  ),
  format: text()
    .optional()
    .meta(
      explained(
        "Google's custom number format: dd.mm.yyyy hh:mm, 0.0, #,##0. The worker sets it when it begins a row; afterwards the cell's format belongs to people. Default: yyyy-mm-dd, hh:mm and so on.",
        { example: 'dd.mm.yyyy', since: '0.2.0' },
      ),
    ),
  currency: template()
    .optional()
    .meta(
      explained(
        'With as: money, text after the amount, a Liquid template. Default: "{{ price_currency }}".',
        { example: 'EUR', since: '0.2.0' },
      ),
    ),
});

/** Accepts both forms. A union would answer every mistake in a group with "invalid"; here each issue keeps its own place. */
export function column() {
  return shownAs(z.unknown(), () => ({
    anyOf: [forEditors(plainColumn), forEditors(typedColumn)],
  })).transform((written, context): WrittenColumn => {
    const read = isTyped(written) ? typedColumn.safeParse(written) : plainColumn.safeParse(written);
    if (!read.success) {
      for (const issue of read.error.issues) context.issues.push({ ...issue } as z.core.$ZodRawIssue);
      return z.NEVER;
    }
    if (typeof read.data === 'string') return { value: read.data };
    const wrong = misfit(read.data);
    if (wrong !== undefined) context.addIssue({ code: 'custom', ...wrong });
    return read.data;
  });
}

function misfit({
  as,
  format,
  currency,
  value,
}: WrittenColumn): { path: string[]; message: string } | undefined {
  if (currency !== undefined && as !== 'money') {
    return {
      path: ['currency'],
      message: complaint('belongs to as: money', 'remove it, or write as: money'),
    };
  }
  if (format !== undefined && (as === 'text' || as === 'boolean')) {
    return { path: ['format'], message: complaint('belongs to numbers, dates and times', 'remove it') };
  }
  if (as === 'money' && /\bprice_amount\b/.test(value) && !/divided_by/.test(value)) {
    const what = 'price_amount counts in hundredths: the sheet would show a hundred times the price';
    return { path: ['value'], message: complaint(what, 'write "{{ price }}"') };
  }
  return undefined;
}

/** YAML also reads a template without quotes as a group, but with other keys. */
function isTyped(value: unknown): boolean {
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isGroup && ['value', 'as', 'format', 'currency'].some((key) => Object.hasOwn(value, key));
}
