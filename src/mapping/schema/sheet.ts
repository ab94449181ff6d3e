import * as z from 'zod';
import type { ColumnType, ContactSheetMirror, SheetArchive, SheetColumn } from '../../engine/mirror.ts';
import { isRecord, type PlatformKind } from '../../engine/object.ts';
import {
  CARRIED_FIELDS,
  type CarriedColumn,
  type CarriedField,
  EDITS_PER_HOUR,
  type SheetCarry,
} from '../../engine/row-edit.ts';
import { accountName } from '../calendar-kinds.ts';
import { explained, forEditors, readWith, shownAs } from '../kinds/reading.ts';
import { entries, section } from '../kinds/section.ts';
import { template } from '../kinds/template.ts';
import { choice, duration, flag, text, timeZone, wholeNumber } from '../kinds/text.ts';
import { AS_WRITTEN, complaint } from '../problem.ts';
import { phoneRegion } from './phone-region.ts';

/** A column as the file has it: a template, or a group with a template and the type of its cells. */
interface WrittenColumn {
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
  value: explained(
    template(complaint('has no template', 'write value: "{{ starts_at }}", or another one')),
    'Liquid template. For dates and times it gives an instant such as {{ starts_at }}, for money an amount in major units such as {{ price }}.',
    { example: '{{ starts_at }}', since: '0.2.0' },
  ),
  as: explained(
    choice(TYPES, 'type of a column'),
    'Type of the cells: text, number, money, date, datetime, time or boolean. A value that does not fit the type is written as text.',
    { example: 'date', since: '0.2.0' },
  ),
  format: explained(
    text().optional(),
    "Google's custom number format: dd.mm.yyyy hh:mm, 0.0, #,##0. The worker sets it when it begins a row; afterwards the cell's format belongs to people. Default: yyyy-mm-dd, hh:mm and so on.",
    { example: 'dd.mm.yyyy', since: '0.2.0' },
  ),
  currency: explained(
    template().optional(),
    'With as: money, text after the amount, a Liquid template. Default: "{{ price_currency }}".',
    { example: 'EUR', since: '0.2.0' },
  ),
});

/** Accepts both forms. A union would answer every mistake in a group with "invalid"; here each issue keeps its own place. */
function column() {
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
  return isRecord(value) && ['value', 'as', 'format', 'currency'].some((key) => Object.hasOwn(value, key));
}

const COLUMNS_MAX = 500;
/** Highest bound of `edits_per_hour` and `rows_per_hour`: more than a tab takes within an hour, so it switches the guard off. */
export const PER_HOUR_MAX = 100_000;

const tabName = (example: string) =>
  text({
    pattern: /^.{1,100}$/u,
    wrong: complaint('is longer than the 100 characters that Google gives a tab', 'shorten it'),
    missing: complaint('is missing or empty', `write the name of the tab, for example tab: ${example}`),
  });

const archiveSection = section({
  after: explained(
    duration({ min: '1d', max: '3650d' }),
    'Age from which a row moves to the archive. The worker keeps the row up to date there, and moves it back when its object becomes younger.',
    { example: '400d' },
  ),
  by: explained(
    choice(
      ['starts_at', 'ends_at', 'created_at', 'updated_at', 'last_message_at', 'closed_at'],
      'time from which the age is counted',
    ).optional(),
    'Time from which the age is counted. Default: starts_at for appointments, otherwise created_at. Also possible: ends_at for appointments, updated_at for contacts, last_message_at and closed_at for conversations. A row without that time stays.',
    { example: 'created_at' },
  ),
  tab: explained(tabName('Archive'), 'Name of an existing tab for the old rows.', { example: 'Archive' }),
  spreadsheet: explained(
    readWith(text(), readSpreadsheet).optional(),
    "Id of the archive's spreadsheet. Share it with the worker as editor. Default: the mirror's spreadsheet; Google's limit of 10,000,000 cells covers all its tabs together.",
    { example: '1XyZ' },
  ),
  blank_rows: explained(
    choice(['delete', 'keep'], 'way to treat blank rows').prefault('delete'),
    'Whether the worker removes the blank rows that moved rows leave, in both tabs. It waits for a thousand of them without any content, formula or note, and for a time when nobody edits the tab. It moves them below the last row, and deletes them there except a thousand. Comments, colours, validation and heights of deleted rows are lost.',
    { example: 'keep' },
  ),
});

export const sheetSection = section({
  spreadsheet: explained(
    readWith(
      text({
        missing: complaint(
          'is missing or empty',
          'write the id of the spreadsheet: the part of its address after /d/',
        ),
      }),
      readSpreadsheet,
    ),
    'Id of the spreadsheet: the part of its address after /d/, or the whole address. Share it with the worker as editor.',
    { example: '1AbC' },
  ),
  tab: explained(
    tabName('Contacts'),
    'Name of an existing tab. The worker writes the header row if the tab is empty. People may rename the tab later. Two mirrors cannot use the same tab.',
    { example: 'Contacts' },
  ),
  account: accountName(),
  key: explained(
    text().optional(),
    'Header of the id column, by which the worker finds a row after people have sorted. Default: the only column that is exactly {{ id }}.',
    { example: 'ID' },
  ),
  timezone: explained(
    timeZone().optional(),
    "IANA time zone of the times in the tab. Default for typed columns: the spreadsheet's zone. Default for text: the branch's zone for appointments, otherwise UTC.",
    { example: 'Europe/Berlin' },
  ),
  unmatched: explained(
    choice(['clear', 'keep'], 'way to treat rows that the filter no longer takes').prefault('clear'),
    'Whether the row of an object that `where` no longer takes is cleared or kept.',
    { example: 'keep' },
  ),
  deleted: explained(
    choice(['clear', 'keep'], 'way to treat rows of deleted objects').optional(),
    'Whether the row of an object deleted on the platform is cleared or kept. A kept row is written once more, with `deleted` true for the templates. Default: keep. With privacy.forget_deleted it is clear, and keep is refused.',
    { example: 'clear' },
  ),
  check_every: explained(
    duration({ min: '1s', max: '7d' }).prefault('10m'),
    'How often the worker checks the rows in the tab for changes by people. A check costs two reads per spreadsheet, plus one per mirror and 10,000 rows. Checks share the read quota with all writes.',
    { example: '1h', since: '0.2.0' },
  ),
  removed: explained(
    choice(['restore', 'leave'], 'way to treat rows that people deleted').prefault('restore'),
    'What happens when people delete a row. restore: it is written again. leave: it stays deleted until its object has left the mirror and returned.',
    { example: 'leave', since: '0.2.0' },
  ),
  edited: explained(
    choice(['restore', 'leave', 'carry'], 'way to treat cells that people changed').prefault('restore'),
    "What happens when people change a cell of the mirror. restore: the cell is restored. leave: it stays until the object changes. carry: the change goes to the platform. For contacts, carry covers columns that are exactly {{ name }}, {{ phone }}, {{ email }} or {{ lifecycle }}. For appointments, it covers the column { value: '{{ starts_at }}', as: datetime } and ticks (cancel). All other cells of the mirror are restored with an answer in the row. Other columns belong to people.",
    { example: 'leave', since: '0.2.0' },
  ),
  answers: explained(
    text({
      pattern: /^.{1,100}$/u,
      wrong: complaint('is longer than 100 characters', 'shorten it'),
    }).optional(),
    'With edited: carry, header of the column in which the worker reports the result of a change. The worker adds the column.',
    { example: 'Answer', since: '0.3.0' },
  ),
  cancel: explained(
    text({
      pattern: /^.{1,100}$/u,
      wrong: complaint('is longer than 100 characters', 'shorten it'),
    }).optional(),
    "With edited: carry, for appointments: header of a checkbox column. Ticking a box cancels the row's appointment. The worker adds the column. Default: nothing can be cancelled in the tab.",
    { example: 'Cancel', since: '0.3.0' },
  ),
  notify_customer: explained(
    flag().prefault(false),
    'With edited: carry, for appointments: whether the platform notifies the customer when the office moves or cancels in the tab.',
    { example: true, since: '0.3.0' },
  ),
  conflict: explained(
    choice(['platform', 'staff', 'latest'], 'way to settle a conflict').prefault('platform'),
    "With edited: carry, which value wins when a cell was changed in the sheet and on the platform. latest: the sheet wins only if a check (check_every) after the platform's change still found the cell unchanged.",
    { example: 'staff', since: '0.3.0' },
  ),
  region: explained(
    phoneRegion().optional(),
    'With edited: carry, country of phone numbers without a country code: two letters such as RU or DE. Default: such numbers are refused.',
    { example: 'DE', since: '0.3.0' },
  ),
  edits_per_hour: explained(
    wholeNumber({ min: 1, max: PER_HOUR_MAX }).prefault(EDITS_PER_HOUR),
    'With edited: carry, how many rows people may change within an hour. Changes of further rows wait for approval (slotbridge approve edits); until then the platform keeps the old value.',
    { example: 100, since: '0.3.0' },
  ),
  compact: explained(
    flag().prefault(false),
    'Whether the worker closes the gaps that departed rows leave. Once a day, when nobody edits the tab, it moves blank rows below the last row. A row with any content, formula or note stays; an unticked box is no content. Blank rows beyond the first thousand below are deleted once there are another thousand. Default: gaps stay.',
    { example: true, since: '0.3.0' },
  ),
  archive: explained(
    archiveSection.optional(),
    "Another tab, ideally in a separate spreadsheet, to which old rows move. A row stays while people's cells beside it have content.",
    { since: '0.3.0' },
  ),
});

/** Fields that may give the age of a row, by the kind that is mirrored (platform API, fields of each object). */
export const ARCHIVE_FIELDS: Readonly<Record<PlatformKind, readonly [string, ...string[]]>> = {
  appointment: ['starts_at', 'ends_at', 'created_at'],
  contact: ['created_at', 'updated_at'],
  lead: ['created_at'],
  conversation: ['created_at', 'last_message_at', 'closed_at'],
  message: ['created_at'],
};

export const columnsSection = explained(
  entries(column(), {
    noun: 'column',
    example: 'Name: "{{ name }}"',
    max: COLUMNS_MAX,
  }),
  'Header and Liquid template of each column, in the order of a new tab, or { value, as, format } for typed cells. A template that consists of one tag keeps numbers as numbers. The worker finds its columns by header and writes no others. People may sort, move and add columns and rows.',
  { example: { ID: '{{ id }}', Date: { value: '{{ starts_at }}', as: 'date' } } },
);

/** Converts the sheet part of a mirror. `order`: the headers in the order of the file. */
export function toSheet(
  written: z.output<typeof sheetSection>,
  columns: z.output<typeof columnsSection>,
  layout: {
    readonly order: readonly string[];
    readonly keyHeader: string;
    readonly from: PlatformKind;
    /** What happens to rows of deleted objects when the mirror does not say. */
    readonly deleted: 'clear' | 'keep';
    readonly language: SheetCarry['language'];
  },
): Omit<ContactSheetMirror, 'kind' | 'name' | 'from' | 'where'> {
  const carry = toCarry(written, columns, layout);
  const added = carry === undefined ? [] : addedColumns(carry);
  return {
    spreadsheetId: written.spreadsheet,
    ...(written.account === undefined ? {} : { account: written.account }),
    tab: written.tab,
    timezone: written.timezone,
    columns: [
      ...layout.order.flatMap((header) => {
        const found = columns[header];
        return found === undefined ? [] : [toColumn(header, found, layout.from)];
      }),
      ...added,
    ],
    keyHeader: layout.keyHeader,
    unmatched: written.unmatched,
    deleted: written.deleted ?? layout.deleted,
    check: {
      ...{ everyMs: written.check_every, removed: written.removed },
      edited: written.edited === 'leave' ? 'leave' : 'restore',
    },
    ...(carry === undefined ? {} : { carry }),
    // Set only when it is not the default: an update of the worker must not look like an edit of the YAML.
    ...(written.compact && { compact: true }),
    ...(written.archive === undefined ? {} : { archive: toArchive(written.archive, written, layout.from) }),
  };
}

/** Columns for which the file names only a header. */
function addedColumns({ answerHeader, columns }: SheetCarry): readonly SheetColumn[] {
  const boxes = columns.flatMap(({ header, field }) =>
    field === 'cancel' ? [{ header, template: 'false', as: 'boolean' } as const] : [],
  );
  return [...boxes, { header: answerHeader, template: '' }];
}

function toCarry(
  {
    edited,
    answers,
    cancel,
    conflict,
    region,
    notify_customer: notifyCustomer,
    edits_per_hour: editsPerHour,
  }: z.output<typeof sheetSection>,
  columns: z.output<typeof columnsSection>,
  {
    order,
    from,
    language,
    keyHeader,
  }: {
    order: readonly string[];
    from: PlatformKind;
    language: SheetCarry['language'];
    keyHeader: string;
  },
): SheetCarry | undefined {
  if (edited !== 'carry' || answers === undefined) return undefined;
  if (from !== 'contact' && from !== 'appointment') return undefined;
  const carried = order.flatMap((header): readonly CarriedColumn[] => {
    if (header.trim() === keyHeader) return [];
    const field = carriedField(from, columns[header]?.value, columns[header]?.as);
    return field === undefined ? [] : [{ header: header.trim(), field }];
  });
  const ticks = cancel === undefined ? [] : [{ header: cancel, field: 'cancel' } as const];
  const about = {
    ...{ answerHeader: answers, conflict, language, notifyCustomer },
    // Set only when it is not the default: an update of the worker must not look like an edit of the YAML.
    ...(editsPerHour !== EDITS_PER_HOUR && { editsPerHour }),
    columns: [...carried, ...ticks],
  };
  return region === undefined ? about : { ...about, region: region.toUpperCase() };
}

/**
 * The field that a column shows unchanged. Undefined when the platform has no field for the cell. Other columns of appointments are
 * `shown`: they identify the appointment of the row.
 */
export function carriedField(
  from: PlatformKind,
  template: string | undefined,
  as: string | undefined,
): CarriedField | undefined {
  const name = /^\s*\{\{-?\s*([a-z_]{1,40})\s*-?\}\}\s*$/.exec(template ?? '')?.[1];
  if (from === 'appointment') return name === 'starts_at' && as === 'datetime' ? 'start' : 'shown';
  if (as !== undefined && as !== 'text') return undefined;
  return CARRIED_FIELDS.find((field) => field === name);
}

function toArchive(
  { after, by, tab, spreadsheet, blank_rows: blankRows }: z.output<typeof archiveSection>,
  sheet: { readonly spreadsheet: string },
  from: PlatformKind,
): SheetArchive {
  const [usual] = ARCHIVE_FIELDS[from];
  return { spreadsheetId: spreadsheet ?? sheet.spreadsheet, tab, by: by ?? usual, afterMs: after, blankRows };
}

function toColumn(header: string, written: WrittenColumn, from: PlatformKind): SheetColumn {
  const { value: template, as, format } = written;
  // Only appointments have a price (platform API, Appointment).
  const ofPrice = as === 'money' && from === 'appointment' ? '{{ price_currency }}' : undefined;
  const currency = written.currency ?? ofPrice;
  return {
    header: header.trim(),
    template,
    ...(as === undefined ? {} : { as }),
    ...(format === undefined ? {} : { format }),
    ...(currency === undefined ? {} : { currency }),
  };
}

/** The id, also taken from an address copied from the browser. Undefined when the text is neither. */
export function spreadsheetIdOf(written: string): string | undefined {
  const inAddress = /^https:\/\/docs\.google\.com\/spreadsheets\/(?:u\/\d+\/)?d\/([A-Za-z0-9_-]+)/.exec(
    written.trim(),
  )?.[1];
  return inAddress ?? /^[A-Za-z0-9_-]+$/.exec(written.trim())?.[0];
}

export function readSpreadsheet(written: string) {
  const value = spreadsheetIdOf(written);
  if (value !== undefined) return { value };
  return {
    complaint: complaint(
      `${AS_WRITTEN} is not the id of a spreadsheet`,
      'write the part of its address after /d/, or the whole address',
    ),
  };
}
