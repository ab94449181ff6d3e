// Names that a YAML gives, for completion. It is read as it stands: nothing is checked, asked for or started, and what cannot be read offers
// nothing, because a person is typing.
import { ConfigDocument, isTooDeep, TEXT_LENGTH_MAX } from '../mapping/document.ts';
import { ProblemList } from '../mapping/problem.ts';
import { type Environment, fillVariables } from '../mapping/variables.ts';

/** What can be offered from a YAML. */
export const NAMES = {
  mirrors: ({ mirrors }: Yaml) => keysOf(mirrors),
  bookings: ({ bookings }: Yaml) => keysOf(bookings),
  blocks: ({ blocks }: Yaml) => keysOf(blocks),
  feeds: ({ feeds }: Yaml) => keysOf(feeds),
  accounts: ({ google }: Yaml) => keysOf(fieldOf(google, 'accounts')),
  calendars,
  tabs: (yaml: Yaml) => tabsOf(yaml).map(({ tab }) => tab),
  places: (yaml: Yaml) => [
    ...calendars(yaml).map((id) => `calendar:${id}`),
    ...tabsOf(yaml).map(({ spreadsheet, tab }) => `spreadsheet:${spreadsheet}/${tab}`),
  ],
};
export type NameSource = keyof typeof NAMES;

type Yaml = Readonly<Record<string, unknown>>;

/** Variables that are not set leave their value out. */
export function namesIn(text: string, env: Environment, sources: readonly NameSource[]): readonly string[] {
  if (text.length > TEXT_LENGTH_MAX || isTooDeep(text)) return [];
  const document = new ConfigDocument(text);
  fillVariables(document, env, new ProblemList());
  const yaml = document.toValue();
  if (!isMap(yaml)) return [];
  return [...new Set(sources.flatMap((source) => NAMES[source](yaml)))].filter((name) => name !== '');
}

function calendars({ mirrors, bookings, blocks }: Yaml): readonly string[] {
  const shown = valuesOf(mirrors)
    .flatMap((mirror) => listOf(fieldOf(mirror, 'calendars')))
    .flatMap((rule) => [...valuesOf(fieldOf(rule, 'map')), fieldOf(rule, 'calendar')]);
  const booked = valuesOf(bookings).flatMap((entry) => listOf(fieldOf(fieldOf(entry, 'from'), 'calendar')));
  const blocked = valuesOf(blocks).flatMap((entry) => valuesOf(fieldOf(entry, 'people')).flatMap(listOf));
  return [...shown, ...booked, ...blocked].flatMap((each) => textsOf(isMap(each) ? each['id'] : each));
}

function tabsOf({ mirrors }: Yaml): readonly { readonly spreadsheet: string; readonly tab: string }[] {
  return valuesOf(mirrors).flatMap((mirror) => {
    const { spreadsheet, tab } = isMap(mirror) && isMap(mirror['sheet']) ? mirror['sheet'] : {};
    return typeof spreadsheet === 'string' && typeof tab === 'string' ? [{ spreadsheet, tab }] : [];
  });
}

function isMap(value: unknown): value is Yaml {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) ? value[name] : undefined;
}

function keysOf(value: unknown): readonly string[] {
  return isMap(value) ? Object.keys(value) : [];
}

function valuesOf(value: unknown): readonly unknown[] {
  return isMap(value) ? Object.values(value) : [];
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function textsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : [];
}
