// What a scenario can name: the given company, completed by what the mapping names, and the calendars and tabs of the mapping.

import { lineName, type MappedCalendar, ofKind } from '../../../src/engine/mirror.ts';
import type { Division } from '../../../src/engine/object.ts';
import type { Config } from '../../../src/mapping/config.ts';
import { blockCalendars } from '../../../src/mapping/needs.ts';
import { standInFor } from './mapping.ts';
import type { Given } from './schema.ts';

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export interface KnownTab {
  readonly spreadsheetId: string;
  readonly tab: string;
  /** The header row that the tab has from the start; absent: the worker writes it. */
  readonly headers?: readonly string[];
  /** Header of the column with the ids of appointments, contacts, …; in a booking sheet, with the worker's own ids. */
  readonly keyHeader: string;
  /** Booking sheets only: header of the column with the appointment. */
  readonly appointmentHeader?: string | undefined;
  readonly isBookingSheet: boolean;
}

export interface KnownResource {
  readonly name: string;
  readonly id?: string;
  readonly kind?: 'person' | 'place' | 'item';
  readonly branch?: string;
  readonly capacity?: number;
}

export interface Directory {
  readonly branches: readonly string[];
  readonly resources: readonly KnownResource[];
  readonly services: readonly string[];
  /** Calendar ids, in the order of the mapping. */
  readonly calendars: readonly string[];
  /** Maps the id or name of a resource, branch or service, or `all`, to its calendars. */
  readonly calendarsOf: ReadonlyMap<string, readonly string[]>;
  readonly tabs: readonly KnownTab[];
}

export const DEFAULT_BRANCH = 'Main';

export function directoryOf(config: Config, given: Given): Directory {
  const mapped = ofKind(config.mirrors, 'calendar').flatMap((mirror) => mirror.calendars);
  const resources: KnownResource[] = Object.entries(given.resources ?? {}).map(([name, about]) => ({
    name,
    ...(about.id !== undefined && { id: about.id }),
    ...(about.kind !== undefined && { kind: about.kind }),
    ...(about.branch !== undefined && { branch: about.branch }),
    ...(about.capacity !== undefined && { capacity: about.capacity }),
  }));
  const filtered = config.mirrors.flatMap(({ where }) =>
    'resources' in where ? (where.resources ?? []) : [],
  );
  for (const resource of [...mapped.flatMap(namedBy('resource')), ...filtered]) {
    if (resources.some(({ name, id }) => name === resource || id === resource)) continue;
    resources.push(UUID.test(resource) ? { name: resource, id: resource } : { name: resource });
  }
  const calendarsOf = new Map<string, string[]>();
  for (const line of mapped) {
    const { by, name: subject } = lineName(line);
    const known =
      by === 'resource' ? resources.find(({ name, id }) => name === subject || id === subject) : undefined;
    for (const key of new Set([subject, known?.name ?? subject]))
      calendarsOf.set(key, [...(calendarsOf.get(key) ?? []), line.calendarId]);
  }
  return {
    branches: branchesOf(config, given),
    resources,
    services: Object.keys(given.services ?? {}),
    calendars: [...new Set([...mapped.map(({ calendarId }) => calendarId), ...blockCalendars(config)])],
    calendarsOf,
    tabs: tabsOf(config),
  };
}

/** The name in a line of the mapping, if the line has this division. */
export function namedBy(by: Division): (line: MappedCalendar) => readonly string[] {
  return (line) => (lineName(line).by === by ? [lineName(line).name] : []);
}

/** The calendars that a text names: the id of a calendar names that calendar, any other name its calendars. */
export function calendarsNamed(directory: Directory, name: string): readonly string[] {
  const byId = directory.calendars.find((id) => id.toLowerCase() === standInFor(name).toLowerCase());
  return byId !== undefined ? [byId] : (directory.calendarsOf.get(name) ?? []);
}

/** The branches of the scenario, otherwise those that the mapping names: its filters have to find them. */
function branchesOf(config: Config, given: Given): readonly string[] {
  const written = Object.keys(given.branches ?? {});
  if (written.length > 0) return written;
  const filtered = config.mirrors.flatMap((mirror) => [
    ...('branches' in mirror.where ? (mirror.where.branches ?? []) : []),
    ...(mirror.kind === 'calendar' ? mirror.calendars.flatMap(namedBy('branch')) : []),
  ]);
  return filtered.length > 0 ? [...new Set(filtered)] : [DEFAULT_BRANCH];
}

function tabsOf(config: Config): KnownTab[] {
  const tabs = config.mirrors.flatMap((mirror): KnownTab[] => {
    if (mirror.kind !== 'sheet') return [];
    const { spreadsheetId, tab, keyHeader, archive } = mirror;
    const home = { spreadsheetId, tab, keyHeader, isBookingSheet: false };
    return archive === undefined
      ? [home]
      : [home, { ...home, spreadsheetId: archive.spreadsheetId, tab: archive.tab }];
  });
  for (const entry of config.bookings) {
    if (entry.kind !== 'sheet') continue;
    tabs.push({
      ...{ spreadsheetId: entry.spreadsheetId, tab: entry.tab },
      headers: Object.values(entry.columns).filter((header) => header !== undefined),
      keyHeader: entry.columns.id ?? '',
      appointmentHeader: entry.columns.appointment,
      isBookingSheet: true,
    });
  }
  return tabs;
}
