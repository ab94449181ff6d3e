// Compares what was expected with what was found. Lists are complete: one entry more or less is a difference. Their order does not count.

import { calendarsNamed } from './directory.ts';
import type { Expectation, ExpectedAppointment, ExpectedEvent, ExpectedRow } from './schema.ts';
import type { World } from './world.ts';

type Cell = string | number | boolean;
type Wanted = Cell | { readonly contains: string } | undefined;

/** One difference, in words for people. */
export interface Difference {
  /** `calendar anna@clinic.example`, `tab Appointments`, `appointments`. */
  readonly where: string;
  readonly kind: 'differs' | 'missing' | 'not-expected' | 'count';
  /** Which entry, by its order in the scenario or by its content. */
  readonly what: string;
  readonly fields: readonly { readonly field: string; readonly expected: string; readonly found: string }[];
  /** What would make the expectation say what was found. */
  readonly edit: Edit;
}

/** A change below `expect`. A field whose value is undefined cannot be written, because it is no time of a scenario. */
export type Edit = { readonly path: readonly (string | number)[] } & (
  | { readonly set: Readonly<Record<string, Cell | typeof GONE | undefined>> }
  | { readonly add: Readonly<Record<string, Cell | undefined>> }
  | { readonly number: number }
  | { readonly isRemoved: true }
);

/** The tab has no such column any more. */
export const GONE = Symbol('gone');

/** An entry that was found: its name in a report, and its fields in a form that can be compared. */
interface Found {
  readonly label: string;
  readonly fields: Readonly<Record<string, readonly Cell[]>>;
}

export function judgeExpectation(
  world: World,
  expect: Expectation,
  deadLetters: number,
): readonly Difference[] {
  return [
    ...judgeCalendars(world, expect),
    ...judgeTabs(world, expect),
    ...(expect.appointments === undefined ? [] : judgeAppointments(world, expect.appointments)),
    ...judgeCount(
      'mails to customers',
      { path: ['mails'], wanted: expect.mails },
      world.platform.stats().customerMails,
    ),
    ...judgeCount(
      'dead letters',
      { path: ['dead-letters'], wanted: expect['dead-letters'] ?? 0 },
      deadLetters,
    ),
  ];
}

/** Looks at every calendar of the mapping: those that are not named have to be empty. */
function judgeCalendars(world: World, { events }: Expectation): readonly Difference[] {
  if (events === undefined) return [];
  const wanted = new Map<string, { readonly name: string; readonly list: readonly ExpectedEvent[] }>(
    Object.entries(events).map(([name, list]) => [
      calendarsNamed(world.directory, name)[0] ?? name,
      { name, list },
    ]),
  );
  return world.directory.calendars.flatMap((calendarId) => {
    const found = world.google.truth.events(calendarId).map((event): Found => {
      const title = String(event['summary'] ?? '');
      const [start, end] = [momentOf(event['start']), momentOf(event['end'])];
      return {
        label: `${quoted(title)} ${saidMoment(world, start)}`,
        fields: {
          title: [title],
          description: [String(event['description'] ?? '')],
          location: [String(event['location'] ?? '')],
          start: [start],
          end: [end],
        },
      };
    });
    return compare(world, {
      ...{ where: `calendar ${calendarId}`, noun: 'event' },
      ...{ wanted: wanted.get(calendarId)?.list ?? [], found, moments: ['start', 'end'] },
      path: ['events', wanted.get(calendarId)?.name ?? shortName(world, calendarId)],
      telling: ['title', 'start'],
    });
  });
}

function judgeTabs(world: World, { rows = {} }: Expectation): readonly Difference[] {
  return Object.entries(rows).flatMap(([name, wanted]) => {
    const tab = world.directory.tabs.find((each) => each.tab === name);
    if (tab === undefined) return [];
    const { spreadsheetId } = tab;
    const shown = world.google.truth.formatted(spreadsheetId, name);
    const plain = world.google.truth.values(spreadsheetId, name);
    const headers = (shown[0] ?? []).map(String);
    const found = shown.flatMap((cells, row): Found[] => {
      if (row === 0 || cells.every((cell) => cell === '')) return [];
      const label = headers.flatMap((header, column) =>
        cells[column] === undefined || cells[column] === '' || header === tab.keyHeader
          ? []
          : [`${header}: ${String(cells[column])}`],
      );
      return [
        {
          label: label.join(', '),
          // A number may be expected as it is shown or as it is stored.
          fields: Object.fromEntries(
            headers.map((header, column) => [header, [cells[column] ?? '', plain[row]?.[column] ?? '']]),
          ),
        },
      ];
    });
    return compare(world, {
      ...{ where: `tab ${name}`, noun: 'row', wanted, found, moments: [], path: ['rows', name] },
      // The ids are others in each run.
      telling: headers.filter((header) => header !== '' && header !== tab.keyHeader),
    });
  });
}

function judgeAppointments(world: World, wanted: readonly ExpectedAppointment[]): readonly Difference[] {
  const names = new Map([...world.company.resources].map(([name, id]) => [id, name]));
  const found = world.platform.truth.appointments().map((appointment): Found => {
    const text = (key: string) => String(appointment[key] ?? '');
    const [start, end] = [isoOf(text('starts_at')), isoOf(text('ends_at'))];
    return {
      label: `${text('status')} ${quoted(text('service_name'))} ${saidMoment(world, start)}`,
      fields: {
        ...{ service: [text('service_name')], status: [text('status')], start: [start], end: [end] },
        resource: [names.get(text('resource_id')) ?? ''],
        ...{ customer: [text('customer_name')], phone: [text('customer_phone')] },
      },
    };
  });
  const about = {
    ...{ where: 'appointments', noun: 'appointment', moments: ['start', 'end'], path: ['appointments'] },
    telling: ['service', 'status', 'start', 'resource'],
  };
  return compare(world, { ...about, wanted, found });
}

function judgeCount(
  where: string,
  { path, wanted }: { readonly path: readonly string[]; readonly wanted: number | undefined },
  found: number,
): readonly Difference[] {
  if (wanted === undefined || wanted === found) return [];
  const fields = [{ field: 'number', expected: String(wanted), found: String(found) }];
  return [{ where, kind: 'count', what: where, fields, edit: { path, number: found } }];
}

/** Pairs each expected entry with the found entry that differs least from it. */
function compare(
  world: World,
  about: {
    readonly where: string;
    readonly noun: string;
    readonly wanted: readonly (ExpectedEvent | ExpectedRow | ExpectedAppointment)[];
    readonly found: readonly Found[];
    /** Fields that contain times of the scenario. */
    readonly moments: readonly string[];
    /** Where the list is below `expect`. */
    readonly path: readonly string[];
    /** Fields that describe an entry beside which none was expected. */
    readonly telling: readonly string[];
  },
): readonly Difference[] {
  const wanted = about.wanted.map((fields, index) => ({
    index,
    fields: Object.entries(fields as Record<string, Wanted>).flatMap(([field, value]) =>
      value === undefined ? [] : [{ field, value: meant(world, value, about.moments.includes(field)) }],
    ),
  }));
  const pairs = wanted
    .flatMap((want) =>
      about.found.map((one, nth) => ({
        want,
        nth,
        wrong: want.fields.filter(({ field, value }) => !fits(value, one.fields[field])),
      })),
    )
    .toSorted((a, b) => a.wrong.length - b.wrong.length || a.want.index - b.want.index || a.nth - b.nth);
  const [met, used] = [new Set<number>(), new Set<number>()];
  const differences: (Difference & { readonly order: number })[] = [];
  const say = (value: Wanted, field: string) =>
    about.moments.includes(field) ? saidMoment(world, String(value)) : said(value);
  const written = (values: readonly Cell[] | undefined, field: string, type = 'string') => {
    if (values === undefined) return GONE;
    if (about.moments.includes(field)) return world.calendar.write(String(values[0]));
    const value = values.find((each) => typeof each === type) ?? values[0] ?? '';
    return typeof value === 'string' ? world.calendar.unfill(value) : value;
  };
  /** A new entry has the fields of those beside it. */
  const beside = [...new Set(wanted.flatMap(({ fields }) => fields.map(({ field }) => field)))];
  const described = (fields: Found['fields']) =>
    Object.fromEntries(
      (beside.length > 0 ? beside : about.telling).flatMap((field) => {
        const value = fields[field]?.[0] === '' ? GONE : written(fields[field], field);
        return value === GONE ? [] : [[field, value]];
      }),
    );
  for (const { want, nth, wrong } of pairs) {
    if (met.has(want.index) || used.has(nth)) continue;
    // A found entry that has nothing in common with the expected one is another entry, not a changed one.
    if (wrong.length > 0 && wrong.length === want.fields.length && want.fields.length > 1) continue;
    met.add(want.index);
    used.add(nth);
    const found = about.found[nth];
    if (wrong.length === 0 || found === undefined) continue;
    differences.push({
      ...{ order: want.index, where: about.where, kind: 'differs' },
      what: `${about.noun} ${want.index + 1}, found as ${found.label}`,
      fields: wrong.map(({ field, value }) => ({
        ...{ field, expected: say(value, field) },
        found: found.fields[field] === undefined ? 'no such column' : say(found.fields[field][0], field),
      })),
      edit: {
        path: [...about.path, want.index],
        set: Object.fromEntries(
          wrong.map(({ field, value }) => [field, written(found.fields[field], field, typeof value)]),
        ),
      },
    });
  }
  for (const { index, fields } of wanted.filter((want) => !met.has(want.index)))
    differences.push({
      ...{ order: index, where: about.where, kind: 'missing' },
      what: `${about.noun} ${index + 1}: ${fields.map(({ field, value }) => `${field} ${say(value, field)}`).join(', ')}`,
      ...{ fields: [], edit: { path: [...about.path, index], isRemoved: true } },
    });
  for (const [nth, { label, fields }] of about.found.entries())
    if (!used.has(nth))
      differences.push({
        ...{ order: wanted.length + nth, where: about.where, kind: 'not-expected' },
        ...{ what: `${about.noun} ${label}`, fields: [] },
        edit: { path: about.path, add: described(fields) },
      });
  return differences.toSorted((a, b) => a.order - b.order).map(({ order: _order, ...rest }) => rest);
}

function meant(
  world: World,
  value: Exclude<Wanted, undefined>,
  isMoment: boolean,
): Exclude<Wanted, undefined> {
  if (isMoment) return world.calendar.at(String(value));
  if (typeof value === 'string') return world.calendar.fill(value);
  return typeof value === 'object' ? { contains: world.calendar.fill(value.contains) } : value;
}

function fits(wanted: Wanted, found: readonly Cell[] | undefined): boolean {
  if (found === undefined) return false;
  if (typeof wanted === 'object') return found.some((value) => String(value).includes(wanted.contains));
  return found.some((value) => value === wanted || String(value) === String(wanted));
}

/** The resource's name, if it means this calendar alone. */
function shortName({ directory }: World, calendarId: string): string {
  const names = [...directory.calendarsOf].filter(([, ids]) => ids.length === 1 && ids[0] === calendarId);
  return names[0]?.[0] ?? calendarId;
}

/** An all-day event has a date and no time. */
function momentOf(side: unknown): string {
  const { dateTime, date } = (side ?? {}) as { readonly dateTime?: unknown; readonly date?: unknown };
  return typeof dateTime === 'string' ? isoOf(dateTime) : String(date ?? '');
}

function isoOf(text: string): string {
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? text : new Date(ms).toISOString();
}

function saidMoment(world: World, iso: string): string {
  return /^\d{4}-\d{2}-\d{2}T/.test(iso) ? world.calendar.say(iso) : iso === '' ? 'nothing' : iso;
}

function said(value: Wanted): string {
  if (typeof value === 'object') return `a text that contains ${quoted(value.contains)}`;
  return value === undefined || value === '' ? 'nothing' : quoted(String(value));
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
