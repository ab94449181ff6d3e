// Sets up the company of a scenario in the platform's sandbox, and its calendars and spreadsheets in Google's.

import { defaultAccount, type GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { everyDay } from '@slotbridge/sandbox/platform/dashboard/catalogue';
import type { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';
import type { Config } from '../../../src/mapping/config.ts';
import { type Directory, type KnownTab, UUID } from './directory.ts';
import type { Given } from './schema.ts';

const OPEN = '00:00-24:00';
const DEFAULT_CURRENCY = 'EUR';
const DEFAULT_MINUTES = 60;
/** The contact for whom blocks are booked. */
const HOUSE_CONTACT = 'House contact';

/** Ids by the names that a scenario uses. */
export interface Company {
  readonly projectId: string;
  readonly branches: ReadonlyMap<string, string>;
  readonly resources: ReadonlyMap<string, string>;
  readonly services: ReadonlyMap<string, string>;
  /** Steps add to it. */
  readonly contacts: Map<string, string>;
}

export function furnishPlatform(
  platform: PlatformSandbox,
  company: { readonly config: Config; readonly given: Given; readonly directory: Directory },
): Company {
  const { given, directory, config } = company;
  const { dashboard } = platform;
  const projectId = dashboard.createProject({
    name: given.project?.name ?? 'Company',
    ...optional('id', given.project?.id ?? projectOf(config)),
  });
  const branches = new Map(
    directory.branches.map((name) => {
      const { open = OPEN, id, timezone = zoneOf(given) } = given.branches?.[name] ?? {};
      const [from = '', to = ''] = open.split('-');
      const fields = { projectId, name, timezone, schedule: everyDay(from, to) };
      return [name, dashboard.createBranch({ ...fields, ...optional('id', id ?? idIn(name)) })];
    }),
  );
  const resources = new Map(
    directory.resources.map(({ name, branch, ...about }) => {
      const branchId = branches.get(branch ?? directory.branches[0] ?? '') ?? '';
      return [name, dashboard.createResource({ branchId, name, ...about })];
    }),
  );
  const idsOf = (names: readonly string[]) => names.map((name) => resources.get(name) ?? '');
  const services = new Map(
    Object.entries(given.services ?? {}).map(([name, about]) => {
      const { by, beside = [], minutes = DEFAULT_MINUTES, price, currency, rental } = about;
      return [
        name,
        dashboard.createService({
          ...optional('id', idIn(name)),
          ...{ projectId, name, resourceIds: idsOf(by), secondResourceIds: idsOf(beside) },
          ...(rental === true
            ? { bookingMode: 'interval', minDurationMin: minutes, durationStepMin: minutes }
            : { durationMin: minutes }),
          ...(price !== undefined && {
            priceAmount: price * 100,
            priceCurrency: currency ?? DEFAULT_CURRENCY,
          }),
        }),
      ];
    }),
  );
  const contacts = new Map(
    Object.entries(given.contacts ?? {}).map(([name, about]) => [
      name,
      dashboard.createContact({ projectId, name, ...defined(about) }),
    ]),
  );
  for (const { contactId } of config.blocks)
    dashboard.createContact({ projectId, id: contactId, name: HOUSE_CONTACT });
  return { projectId, branches, resources, services, contacts };
}

export function furnishGoogle(
  google: GoogleSandbox,
  { directory, given }: { readonly directory: Directory; readonly given: Given },
): void {
  const timeZone = zoneOf(given);
  for (const id of directory.calendars) google.addCalendar(id, { shareWith: [defaultAccount], timeZone });
  const books = new Map<string, KnownTab[]>();
  for (const tab of directory.tabs)
    books.set(tab.spreadsheetId, [...(books.get(tab.spreadsheetId) ?? []), tab]);
  for (const [id, tabs] of books)
    google.addSpreadsheet(id, {
      ...{ shareWith: [defaultAccount], timeZone },
      tabs: tabs.map(({ tab, headers }) => ({
        title: tab,
        ...(headers !== undefined && { values: [headers] }),
      })),
    });
}

export function zoneOf(given: Given): string {
  return given.timezone ?? 'UTC';
}

/** The project that the mapping is limited to: it has to exist. */
function projectOf(config: Config): string | undefined {
  return config.mirrors.flatMap(({ where }) => ('projects' in where ? (where.projects ?? []) : []))[0];
}

/** A mapping may name a branch or a service by its id. */
function idIn(name: string): string | undefined {
  return UUID.test(name) ? name : undefined;
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}

/** Leaves out fields that are not given: they differ from fields that are undefined. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Key in keyof Fields]: Exclude<Fields[Key], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [Key in keyof Fields]: Exclude<Fields[Key], undefined>;
  };
}
