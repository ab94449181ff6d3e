// The judge: compares calendars and spreadsheet with the platform, whose data is the truth. It reads both from the sandboxes and
// uses no code of the worker, so that it cannot repeat a mistake of the worker.
import { judgeCalendar } from './calendars.ts';
import { type CompanyNames, namesOf, type Wire } from './company.ts';
import type { PlaceVerdict } from './difference.ts';
import {
  appointmentsTab,
  type CellValue,
  contactsTab,
  conversationsTab,
  leadsTab,
  type TabPlan,
  winBackTab,
} from './row-picture.ts';
import { judgeTab } from './sheets.ts';

export interface PlatformTruth {
  appointments(): readonly Wire[];
  contacts(): readonly Wire[];
  leads(): readonly Wire[];
  conversations(): readonly Wire[];
  resources(): readonly Wire[];
  branches(): readonly Wire[];
}

export interface GoogleTruth {
  /** Live events. */
  events(calendarId: string): readonly Wire[];
  values(spreadsheetId: string, tab: string): readonly (readonly CellValue[])[];
}

export interface JudgedMapping {
  /** Resource id to calendar id. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Service id to the calendar of its team. Default: empty. */
  readonly teams?: ReadonlyMap<string, string>;
  readonly spreadsheetId: string;
  /** The calendar that is on a CalDAV server, if one is. */
  readonly caldav?: string;
  /** Ids of events that people made. Default: empty. */
  readonly peoples?: ReadonlySet<string>;
}

export interface Verdict {
  readonly calendars: readonly PlaceVerdict[];
  readonly tabs: readonly PlaceVerdict[];
  /** Other faults, one line each. */
  readonly besides?: readonly string[];
}

/** Compares every calendar and tab with the platform in their current state. */
export function judgeMirrors(platform: PlatformTruth, google: GoogleTruth, mapping: JudgedMapping): Verdict {
  const names = namesOf(platform, mapping);
  const appointments = platform.appointments();
  const labelled = [
    ...[...names.calendars].map(([id, calendarId]) => [names.resources.get(id) ?? id, calendarId] as const),
    ...[...names.teams.values()].map((calendarId) => ['Team', calendarId] as const),
  ];
  const calendars = labelled.map(([label, calendarId]) =>
    judgeCalendar({
      calendarId,
      label: calendarId === mapping.caldav ? `${label} (CalDAV)` : label,
      appointments,
      names,
      events: google.events(calendarId),
      peoples: mapping.peoples ?? new Set(),
    }),
  );
  const tabs = tabPlans(names).map(({ plan, of }) =>
    judgeTab({
      plan,
      objects: objectsOfKind(platform, of),
      values: google.values(mapping.spreadsheetId, plan.tab),
    }),
  );
  return { calendars, tabs };
}

/** The kind of object that a tab's rows show. */
export type RowKind = 'contact' | 'lead' | 'conversation' | 'appointment';

export function objectsOfKind(platform: PlatformTruth, kind: RowKind): readonly Wire[] {
  switch (kind) {
    case 'contact':
      return platform.contacts();
    case 'lead':
      return platform.leads();
    case 'conversation':
      return platform.conversations();
    case 'appointment':
      return platform.appointments();
  }
}

export function tabPlans(names: CompanyNames): readonly { readonly plan: TabPlan; readonly of: RowKind }[] {
  return [
    { plan: contactsTab(), of: 'contact' },
    { plan: winBackTab(), of: 'contact' },
    { plan: leadsTab(), of: 'lead' },
    { plan: conversationsTab(), of: 'conversation' },
    { plan: appointmentsTab(names), of: 'appointment' },
  ];
}
