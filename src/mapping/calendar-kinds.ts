// Kinds of calendars besides Google's. Each has a folder of its own, and in it `settings.ts`, which is its entry here.
import type { z } from 'zod';
import { caldavKind } from '../caldav/settings.ts';
import { explained, type Reading } from './kinds/reading.ts';
import { text } from './kinds/text.ts';
import { AS_WRITTEN, complaint } from './problem.ts';

/** Each kind under the name of its section in the file. */
const ENTRIES = { caldav: caldavKind };

/** What the file, the loader and `slotbridge init` need to know of a kind. */
export interface CalendarKind {
  /** In sentences: "a CalDAV calendar". */
  readonly called: string;
  /** The section of the file. Its entry `accounts` names who reaches the calendars. */
  readonly section: z.ZodType;
  toSettings(written: unknown): AccountSettings;
  /** Every value of the section that nobody may read. */
  secretsOf(settings: AccountSettings): readonly string[];
  readonly id: {
    /** No id of another kind may look like this, and none of Google. */
    is(calendarId: string): boolean;
    /** The one spelling that the worker uses. Undefined for what is no id at all. */
    read(written: string): Reading<string> | undefined;
    /** After "write …, or". */
    readonly described: string;
    /** A sentence for the documentation of `calendars.map`. */
    readonly documented: string;
    /** A short form for advice. */
    readonly shown: string;
  };
  readonly setup: {
    /** Comment of the section that `init` writes. */
    readonly heading: string;
    /** One value of `--<section> <name>=`. */
    readonly example: string;
    /** Who is asked for the calendars: "the server of anna". */
    readonly host: string;
    /** The setting of an account that a variable holds; absent: it has none. */
    readonly secret?: string;
    /** The other settings of an account. Undefined for a text that does not say them. */
    read(written: string): Readonly<Record<string, string>> | undefined;
    readonly refused: string;
    advice(name: string): string;
  };
}

interface AccountSettings {
  readonly accounts: Readonly<Record<string, object>>;
}

export type KindName = keyof typeof ENTRIES;
/** The section of each kind, as the file has it, and as the configuration has it. */
type WrittenKinds = { readonly [Name in KindName]: z.output<(typeof ENTRIES)[Name]['section']> };
export type KindSettings = { readonly [Name in KindName]: ReturnType<(typeof ENTRIES)[Name]['toSettings']> };

export const CALENDAR_KINDS: { readonly [Name in KindName]: CalendarKind } = ENTRIES;
export const KIND_NAMES = Object.keys(ENTRIES) as readonly KindName[];

/** The same for each kind, under its name. */
export function eachKind<T>(make: (name: KindName) => T): { readonly [Name in KindName]: T } {
  return Object.fromEntries(KIND_NAMES.map((name) => [name, make(name)])) as { [Name in KindName]: T };
}

export const KIND_SECTIONS = eachKind((name) => ENTRIES[name].section) as {
  readonly [Name in KindName]: (typeof ENTRIES)[Name]['section'];
};

export function settingsOfKinds(written: WrittenKinds): KindSettings {
  return eachKind((name) => CALENDAR_KINDS[name].toSettings(written[name])) as KindSettings;
}

/** For a scenario, which reaches no calendar of another kind. */
export function withoutAccounts(settings: KindSettings): KindSettings {
  return eachKind((name) => ({ ...settings[name], accounts: {} })) as KindSettings;
}

export function secretsOfKinds(settings: KindSettings): readonly string[] {
  return KIND_NAMES.flatMap((name) => CALENDAR_KINDS[name].secretsOf(settings[name]));
}

/** The kind that keeps the calendar; undefined means Google. */
export function calendarKindOf(calendarId: string): KindName | undefined {
  return KIND_NAMES.find((name) => CALENDAR_KINDS[name].id.is(calendarId));
}

/** Without what mail programs and word processors put around an address. */
const GOOGLE_ID =
  /^[^\s@<>()[\],;:"\\\u2018-\u201f\u00ab\u00bb]+@[^\s@<>()[\],;:"\\\u2018-\u201f\u00ab\u00bb]+$/u;

/** The id of a calendar of any kind, in the one spelling that the worker uses. */
export function readCalendar(written: string): Reading<string> {
  const value = written.trim();
  const kind = calendarKindOf(value);
  const read = kind === undefined ? readGoogleId(value) : CALENDAR_KINDS[kind].id.read(value);
  return read ?? { complaint: NO_CALENDAR };
}

function readGoogleId(value: string): Reading<string> | undefined {
  return GOOGLE_ID.test(value) ? { value } : undefined;
}

/** Undefined for anything that is no calendar. */
export function calendarNamed(written: string): string | undefined {
  const read = readCalendar(written);
  return 'value' in read ? read.value : undefined;
}

const ofKinds = (say: (kind: CalendarKind, name: KindName) => string) =>
  KIND_NAMES.map((name) => say(CALENDAR_KINDS[name], name));

const NO_CALENDAR = complaint(
  `${AS_WRITTEN} is not the id of a calendar`,
  `write the Calendar ID from the calendar's settings, such as anna@clinic.example or …@group.calendar.google.com${ofKinds(({ id }) => `, or ${id.described}`).join('')}`,
);
/** What the documentation of ids says of each kind. */
export const IDS_OF_KINDS = ofKinds(({ id }) => id.documented).join(' ');

const SECTIONS = ofKinds(({ called }, name) => `, or in ${name}.accounts for a ${called} calendar`).join('');

/** The setting `account` of a calendar or spreadsheet. A check across settings verifies that the account exists. */
export function accountName() {
  return explained(
    text().optional(),
    `Name of an account in google.accounts${SECTIONS}. Default: the default account of Google.`,
    { example: 'branch', since: '0.3.0' },
  );
}
