import type { CalendarMirror, StaffEdits } from '../engine/mirror.ts';
import { withoutUndefined } from '../engine/object.ts';
import {
  type BookingLanguage,
  type BookingSource,
  DROP_DOWNS,
  ROW_OUTPUTS,
  ROWS_PER_HOUR,
  type SheetBookings,
} from '../engine/outside-booking.ts';
import { foldedText } from '../engine/plain-text.ts';
import type { ConfigDocument } from './document.ts';
import { ENTRY_NAME, isEmpty } from './kinds/section.ts';
import { type ConfigChecks, sayInTemplate } from './mirror-check.ts';
import { calendarIn, filledKeys, groupIn, sourceAt, textIn } from './mirror-sketch.ts';
import type { Advice, Path, ProblemList } from './problem.ts';
import { type BookingKind, kindInstead, type WrittenBooking } from './schema/booking.ts';
import { COLOR_IDS, staffEditsSection, toStaffEdits } from './schema/calendar.ts';
import { spreadsheetIdOf } from './schema/sheet.ts';

/** What can be read of an entry of `bookings` that may have mistakes. */
interface BookingSketch {
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
        ...TEMPLATES.flatMap((key) => sourceAt(entry, key, path)),
        ...OF_CUSTOMER.flatMap((key) => sourceAt(customer, key, [...path, 'customer'])),
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
  if (typeof written === 'string') return [{ path, calendarId: calendarIn(written.trim()) }];
  if (!Array.isArray(written)) return [];
  return written.flatMap((each: unknown, at) =>
    typeof each === 'string' ? [{ path: [...path, at], calendarId: calendarIn(each.trim()) }] : [],
  );
}

export interface MirrorOfCalendar {
  readonly mirror: CalendarMirror;
  /** The file says what happens to changes of its events. */
  readonly saysEdits: boolean;
}

/** Builds the booking source of an entry that has passed every check. */
export function buildBooking(
  name: string,
  written: WrittenBooking,
  around: { readonly mirrors: readonly MirrorOfCalendar[]; readonly language: BookingLanguage },
): BookingSource {
  const { mirrors } = around;
  const { from, columns = {}, customer, service } = written;
  const rules = {
    name,
    ...withoutUndefined({ resource: written.resource, branch: written.branch, duration: written.duration }),
    ...withoutUndefined({
      guests: written.guests,
      comment: written.comment,
      region: written.region?.toUpperCase(),
    }),
    notifyCustomer: written.notify_customer,
    language: written.language ?? around.language,
    stillForMs: written.still_for,
  };
  const { create } = customer;
  if (from.calendar === undefined) {
    const sheet: SheetBookings['columns'] = columns as SheetBookings['columns'];
    // Columns supply what the entry does not set itself.
    const given = (key: keyof SheetBookings['columns'], own: string | undefined) =>
      own ?? (sheet[key] === undefined ? undefined : `{{ ${key}${FOUND_BY[key] ?? ''} }}`);
    const { spreadsheet, tab } = from;
    const conflict = written.staff_edits?.conflict ?? 'platform';
    if (spreadsheet === undefined || tab === undefined)
      throw new Error(`bookings ${name} passed the checks without a place`);
    return {
      ...rules,
      ...withoutUndefined({
        resource: given('resource', written.resource),
        branch: given('branch', written.branch),
        duration: given('duration', written.duration),
        guests: given('guests', written.guests),
        comment: given('comment', written.comment),
      }),
      kind: 'sheet',
      service: service ?? '{{ service }}',
      customer: {
        create,
        ...withoutUndefined({
          contactId: given('contact_id', customer.contact_id),
          name: given('name', customer.name),
          phone: given('phone', customer.phone),
          email: given('email', customer.email),
        }),
      },
      spreadsheetId: spreadsheet,
      ...withoutUndefined({ account: from.account, timezone: from.timezone, dateFormats: from.date_format }),
      tab,
      everyMs: from.every,
      // Set only when they are not the default: an update of the worker must not look like an edit of the YAML.
      ...(from.rows_per_hour !== ROWS_PER_HOUR && { rowsPerHour: from.rows_per_hour }),
      ...(conflict !== 'platform' && { conflict }),
      // Sorted by column, so that another order in the file is no edit of the mapping.
      ...withoutUndefined({
        dropDowns: written.drop_downs && DROP_DOWNS.filter((each) => written.drop_downs?.includes(each)),
      }),
      columns: sheet,
    };
  }
  const { title, creator, organizer, attendee, property } = written.when ?? {};
  const calendars = from.calendar.map((calendarId) => mirrorOf(calendarId, mirrors, name));
  return {
    ...rules,
    kind: 'calendar',
    service: service ?? '',
    customer: {
      create,
      ...withoutUndefined({ contactId: customer.contact_id, name: customer.name }),
      ...withoutUndefined({ phone: customer.phone, email: customer.email }),
    },
    calendars: calendars.map(({ calendarId, mirror }) => ({ calendarId, mirror: mirror.name })),
    when: withoutUndefined({
      ...{ title, creators: creator, organizers: organizer, attendees: attendee },
      properties: property,
    }),
    ...(written.recurring === 'each' && { series: { horizonMs: written.horizon } }),
    ...withoutUndefined({ refusedColorId: written.refused_color && COLOR_IDS[written.refused_color] }),
    staffEdits: Object.fromEntries(
      calendars.map(({ mirror, saysEdits }) => [mirror.name, editsOf(written, { mirror, saysEdits })]),
    ),
  };
}

/** Filters for cells in which people type more than the value, and in any format. */
const FOUND_BY: Readonly<Record<string, string>> = {
  phone: ' | phone',
  email: ' | email',
  duration: ' | duration',
};

/** People who book in a calendar also move and cancel there, unless the file says otherwise. */
function editsOf({ staff_edits: own }: WrittenBooking, { mirror, saysEdits }: MirrorOfCalendar): StaffEdits {
  if (own !== undefined) return toStaffEdits(own);
  if (saysEdits) return mirror.staffEdits;
  return toStaffEdits(staffEditsSection.parse({ moved: 'reschedule', deleted: 'cancel' }));
}

/** Uses the id as the mirror spells it. Two spellings would be two calendars to the worker, but one to Google. */
function mirrorOf(
  written: string,
  mirrors: readonly MirrorOfCalendar[],
  name: string,
): MirrorOfCalendar & { readonly calendarId: string } {
  const id = written.toLowerCase();
  for (const found of mirrors) {
    const calendar = found.mirror.calendars.find((each) => each.calendarId.toLowerCase() === id);
    if (calendar !== undefined) return { ...found, calendarId: calendar.calendarId };
  }
  throw new Error(`bookings ${name} passed the checks without a mirror`);
}

/** Checks entries across settings: parts that exclude or require each other, and the mirrors that they require. */
export function checkBookings(
  sketches: readonly BookingSketch[],
  around: {
    readonly mirrorNames: ReadonlySet<string>;
    /** Ids of calendars that a mirror maps, in lower case. */
    readonly mirrored: ReadonlySet<string>;
    readonly tabs: ReadonlySet<string>;
  },
  report: {
    readonly document: ConfigDocument;
    readonly problems: ProblemList;
    readonly checks: ConfigChecks;
  },
): void {
  const { document, problems } = report;
  const say = (path: Path, advice: Advice) => problems.add(path, document.placeOf(path), advice);
  const sayAtKey = (path: Path, advice: Advice) => problems.add(path, document.placeOfKey(path), advice);
  checkTabs(sketches, say);
  for (const sketch of sketches) {
    checkName(sketch, around.mirrorNames, sayAtKey);
    if (checkPlace(sketch, say)) {
      const kind = sketch.from.has('calendar') ? 'calendar' : 'sheet';
      checkKind(sketch, kind, say);
      if (kind === 'calendar') checkCalendar(sketch, around.mirrored, say);
      else checkSheet(sketch, around.tabs, say);
      checkCustomer(sketch, say);
    }
    for (const { path, source } of sketch.templates) {
      const problem = report.checks.checkTemplate(source, 'booking');
      if (problem) sayInTemplate(path, problem, report);
    }
  }
}

type Say = (path: Path, advice: Advice) => void;

/** Only one entry may read a tab: two would overwrite each other's ids and answers. */
function checkTabs(sketches: readonly BookingSketch[], say: Say): void {
  const readBy = new Map<string, string>();
  for (const { path, name, tab } of sketches) {
    if (tab === undefined) continue;
    const other = readBy.get(tab);
    if (other === undefined) readBy.set(tab, name);
    else
      say([...path, 'from', 'tab'], {
        what: `${other} reads the same tab`,
        fix: 'give each entry its own tab, or merge the entries and use a column for the differences',
      });
  }
}

function checkName({ path, name }: BookingSketch, mirrors: ReadonlySet<string>, say: Say): void {
  if (!ENTRY_NAME.test(name)) {
    say(path, {
      what: 'is a name with other characters than letters, digits, - and _, or longer than 64',
      fix: 'rename it, for example walk-ins',
    });
  } else if (mirrors.has(name)) {
    say(path, {
      what: 'is also the name of a mirror',
      fix: 'rename one of the two: state is stored by name',
    });
  }
}

function checkPlace({ path, from }: BookingSketch, say: Say): boolean {
  const own = [...path, 'from'];
  const isSheet = from.has('spreadsheet') || from.has('tab');
  if (from.has('calendar') && isSheet) {
    say(own, { what: 'names a calendar and a sheet', fix: 'make two entries of it, one for each' });
    return false;
  }
  if (!from.has('calendar') && !isSheet) {
    say(own, {
      what: 'names neither a calendar nor a sheet',
      fix: 'add calendar:, or spreadsheet: and tab:',
    });
    return false;
  }
  return true;
}

const ACCOUNT_OF_MIRROR = {
  what: 'the mirror that maps the calendar already sets its account',
  fix: 'remove it here',
};

/** Reports settings that belong to the other kind of entry. */
function checkKind({ path, parts, from, edits }: BookingSketch, kind: BookingKind, say: Say): void {
  const settings: Path[] = [
    ...[...parts].filter((key) => key !== 'from' && key !== 'staff_edits').map((key) => [key]),
    ...[...from].map((key) => ['from', key]),
    ...[...edits].map((key) => ['staff_edits', key]),
  ];
  for (const setting of settings) {
    const other = kindInstead(kind, setting.join('.'));
    if (other === undefined) continue;
    const isMapped = kind === 'calendar' && setting.includes('account');
    say(
      [...path, ...setting],
      isMapped ? ACCOUNT_OF_MIRROR : { what: `belongs to bookings from a ${other}`, fix: 'remove it' },
    );
  }
}

function checkCalendar(sketch: BookingSketch, mirrored: ReadonlySet<string>, say: Say): void {
  const { path, parts, rules } = sketch;
  // `organizer` only adds organizers whose invitations count; it does not select events.
  if (rules.every((rule) => rule === 'organizer')) {
    say(parts.has('when') ? [...path, 'when'] : path, {
      what: 'does not say which events are bookings',
      fix: 'add when: { title: "#book *" }, or another rule: every event of the calendar would be booked',
    });
  }
  if (!parts.has('service')) {
    say(path, { what: 'has no service', fix: 'add service: with a name, or "{{ title | service }}"' });
  }
  if (parts.has('horizon') && !parts.has('recurring')) {
    say([...path, 'horizon'], {
      what: 'has an effect only on series',
      fix: 'add recurring: each, or remove it',
    });
  }
  for (const { path: at, calendarId } of sketch.calendars) {
    if (mirrored.has(calendarId.toLowerCase())) continue;
    say(at, {
      what: 'the calendar is in no mirror, so a booked event could not become the mirror of its appointment',
      fix: 'map it in a mirror with from: appointments and calendars:',
    });
  }
}

function checkSheet(sketch: BookingSketch, tabs: ReadonlySet<string>, say: Say): void {
  const { path, parts, from, columns } = sketch;
  for (const key of ['spreadsheet', 'tab'].filter((each) => !from.has(each))) {
    say([...path, 'from'], { what: `has no ${key}`, fix: `add ${key}:` });
  }
  if (sketch.tab !== undefined && tabs.has(sketch.tab)) {
    say([...path, 'from', 'tab'], {
      what: 'a mirror writes to this tab',
      fix: 'give bookings a tab of their own',
    });
  }
  const own = parts.has('columns') ? [...path, 'columns'] : path;
  for (const needed of ['starts_at', 'id', 'status'].filter((each) => !columns.has(each))) {
    say(own, { what: `names no column for ${needed}`, fix: `add ${needed}: with a header` });
  }
  if (!columns.has('service') && !parts.has('service')) {
    say(own, {
      what: 'has no service',
      fix: 'add service: with a header to columns, or a service for all rows',
    });
  }
  checkHeaders(sketch, own, say);
  for (const meaning of sketch.dropDowns.filter((each) => isDropDown(each) && !columns.has(each))) {
    say([...path, 'drop_downs'], {
      what: `names ${meaning}, which has no column`,
      fix: `add ${meaning}: with a header to columns, or remove it here`,
    });
  }
}

function isDropDown(name: string): boolean {
  return (DROP_DOWNS as readonly string[]).includes(name);
}

function checkHeaders({ columns }: BookingSketch, own: Path, say: Say): void {
  const seen = new Map<string, string>();
  for (const [meaning, written] of columns) {
    const folded = foldedText(written);
    const twin = seen.get(folded);
    if (twin !== undefined) {
      say([...own, meaning], {
        what: `is the same header as that of ${twin}`,
        fix: (ROW_OUTPUTS as readonly string[]).includes(meaning)
          ? "give the worker's column a header of its own"
          : 'give each its own column',
      });
    } else seen.set(folded, meaning);
  }
}

function checkCustomer({ path, customer, columns, from }: BookingSketch, say: Say): void {
  const isKnown = ['contact_id', 'phone', 'email'].some(
    (each) => customer.has(each) || (!from.has('calendar') && columns.has(each)),
  );
  if (isKnown) return;
  say(path, {
    what: 'does not say who is booked',
    fix: 'add customer: { name: "{{ title }}", phone: "{{ description | phone }}" }',
  });
}
