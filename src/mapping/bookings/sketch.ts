import type { ConfigDocument } from '../document.ts';
import { isEmpty } from '../kinds/section.ts';
import { filledKeys, groupIn, textIn } from '../mirrors/sketch.ts';
import type { Path } from '../path.ts';
import { spreadsheetIdOf } from '../schema/sheet.ts';

/** What can be read of an entry of `bookings` that may have mistakes. */
export interface BookingSketch {
  readonly name: string;
  readonly path: Path;
  /** Keys of the entry that have a value; the same below for `from`, `when` and `customer`. */
  readonly parts: ReadonlySet<string>;
  readonly from: ReadonlySet<string>;
  readonly rules: readonly string[];
  readonly customer: ReadonlySet<string>;
  readonly edits: ReadonlySet<string>;
  readonly calendars: readonly { readonly path: Path; readonly calendarId: string }[];
  /** `<spreadsheet>/<tab>`, in lower case. */
  readonly tab: string | undefined;
  /** Meaning to header. */
  readonly columns: ReadonlyMap<string, string>;
  readonly dropDowns: readonly string[];
  readonly templates: readonly { readonly path: Path; readonly source: string }[];
}

const TEMPLATES = ['service', 'resource', 'branch', 'duration', 'guests', 'comment'];
const OF_CUSTOMER = ['contact_id', 'name', 'phone', 'email'];

export function sketchBookings(root: unknown, document: ConfigDocument): readonly BookingSketch[] {
  return document.keysAt(['bookings']).map((name) => {
    const entry = groupIn(groupIn(root, 'bookings'), name);
    const path: Path = ['bookings', name];
    const from = groupIn(entry, 'from');
    const customer = groupIn(entry, 'customer');
    const columns = groupIn(entry, 'columns');
    const spreadsheet = spreadsheetIdOf(textIn(from, 'spreadsheet') ?? '');
    const tab = textIn(from, 'tab');
    return {
      name,
      path,
      parts: filledKeys(entry),
      from: filledKeys(from),
      rules: [...filledKeys(groupIn(entry, 'when'))],
      customer: filledKeys(customer),
      edits: filledKeys(groupIn(entry, 'staff_edits')),
      calendars: calendarsIn(from['calendar'], [...path, 'from', 'calendar']),
      tab: spreadsheet === undefined || tab === undefined ? undefined : tabName(spreadsheet, tab),
      columns: new Map(
        Object.keys(columns).flatMap((key) => {
          const header = textIn(columns, key);
          return header === undefined ? [] : [[key, header] as const];
        }),
      ),
      dropDowns: [entry['drop_downs'] ?? []]
        .flat()
        .flatMap((each) => (typeof each === 'string' ? [each.trim()] : [])),
      templates: [
        ...TEMPLATES.flatMap((key) => templateAt(entry, key, path)),
        ...OF_CUSTOMER.flatMap((key) => templateAt(customer, key, [...path, 'customer'])),
      ],
    };
  });
}

/** Google ignores case in the names of a spreadsheet's tabs. */
export function tabName(spreadsheetId: string, tab: string): string {
  return `${spreadsheetId}/${tab.toLowerCase()}`;
}

function calendarsIn(written: unknown, path: Path): { path: Path; calendarId: string }[] {
  if (isEmpty(written)) return [];
  if (typeof written === 'string') return [{ path, calendarId: written.trim() }];
  if (!Array.isArray(written)) return [];
  return written.flatMap((each: unknown, at) =>
    typeof each === 'string' ? [{ path: [...path, at], calendarId: each.trim() }] : [],
  );
}

function templateAt(
  group: Record<string, unknown>,
  key: string,
  path: Path,
): { path: Path; source: string }[] {
  const source = textIn(group, key);
  return source === undefined ? [] : [{ path: [...path, key], source }];
}
