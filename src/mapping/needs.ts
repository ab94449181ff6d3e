import { counted } from '../engine/counts.ts';
import {
  type CarryingMirror,
  calendarIdsOf,
  type Directory,
  kindsFor,
  type Mirror,
  ofKind,
  type Where,
} from '../engine/mirror.ts';
import type { PlatformKind } from '../engine/object.ts';
import { ROWS_PER_HOUR } from '../engine/outside-booking.ts';
import { EDITS_PER_HOUR } from '../engine/row-edit.ts';
import type { Config } from './config.ts';

/** Kinds of platform object whose events the worker needs. Appointment events also report what becomes of an outside booking. */
export function mirroredKinds({
  mirrors,
  bookings,
  feeds,
  blocks,
  privacy,
}: Config): readonly PlatformKind[] {
  const kinds = new Set<PlatformKind>(kindsFor([...mirrors, ...feeds]));
  // Calendar events contain names of contacts, so erasure needs contact events even if no mirror shows contacts.
  if (privacy.forgetDeleted) kinds.add('contact');
  return [...(bookings.length + blocks.length === 0 ? kinds : kinds.add('appointment'))];
}

/** Projects whose events the worker needs: those that the mirrors name, otherwise all projects in the platform's lists. */
export function neededProjects(
  { mirrors, bookings, feeds, blocks }: Config,
  directory: Directory,
): readonly string[] {
  const named = [...mirrors, ...feeds].map(({ where }) => ('projects' in where ? where.projects : undefined));
  const needsAll = bookings.length + blocks.length > 0 || named.length === 0;
  if (!needsAll && named.every((projects) => projects !== undefined)) {
    return [...new Set(named.flat())];
  }
  const { resources, branches, services } = directory;
  const shown = [...resources.values(), ...branches.values(), ...services.values()];
  return [
    ...new Set([...named.flatMap((projects) => projects ?? []), ...shown.map(({ projectId }) => projectId)]),
  ];
}

/** Zones of the branches in the needed projects, by IANA name: that of most branches first, then by name. Empty without branches. */
export function neededZones(config: Config, directory: Directory): readonly string[] {
  const projects = new Set(neededProjects(config, directory));
  const branches = new Map<string, number>();
  for (const { projectId, timezone } of directory.branches.values())
    if (projects.has(projectId)) branches.set(timezone, (branches.get(timezone) ?? 0) + 1);
  return [...branches].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([zone]) => zone);
}

/** Every zone that the YAML names, and those of the branches. */
export function zonesInUse(config: Config, directory: Directory): readonly string[] {
  const named = [
    ...ofKind(config.mirrors, 'sheet').map(({ timezone }) => timezone),
    ...config.bookings.map((each) => (each.kind === 'sheet' ? each.timezone : undefined)),
    config.platform.resync.timezone,
  ];
  return [...new Set([...named.flatMap((zone) => zone ?? []), ...neededZones(config, directory)])];
}

/** Name of the zone of `platform.resync.schedule`. UTC if the YAML names none and there is no branch. */
export function scheduleZone(config: Config, directory: Directory): string {
  return config.platform.resync.timezone ?? neededZones(config, directory)[0] ?? 'UTC';
}

/** A filter, or a rule that names services and resources as a filter does. */
interface NamingFilter {
  readonly name: string;
  readonly where: Where;
  /** Where the mirror has the names; absent: in `where`. */
  readonly at?: string;
}

/** Services and resources to which mirrors give a colour, in the form of filters. */
function colourFilters(mirrors: readonly Mirror[]): readonly NamingFilter[] {
  return ofKind(mirrors, 'calendar').flatMap(({ name, event: { serviceColours, resourceColours } }) => {
    const where: Where = {
      ...(serviceColours && { services: serviceColours.map((colour) => colour.name) }),
      ...(resourceColours && { resources: resourceColours.map((colour) => colour.name) }),
    };
    return serviceColours || resourceColours ? [{ name, where, at: 'event.color' }] : [];
  });
}

/** Services that mirrors show as classes, in the form of filters. */
function classes(mirrors: readonly Mirror[]): readonly NamingFilter[] {
  return ofKind(mirrors, 'calendar').flatMap(({ name, classes: rule }) =>
    rule === undefined ? [] : [{ name, where: { services: rule.services }, at: 'classes' }],
  );
}

/** Every filter of the file, and the resources of feeds in the form of filters. */
export function filtersOf({ mirrors, feeds }: Pick<Config, 'mirrors' | 'feeds'>): readonly NamingFilter[] {
  const ofFeeds = feeds.flatMap(({ name, resource, where }) => [
    { name: `feeds.${name}`, where: { resources: [resource] } },
    { name: `feeds.${name}`, where },
  ]);
  return [...mirrors, ...colourFilters(mirrors), ...classes(mirrors), ...ofFeeds];
}

/** Whether the file names this calendar; ignores case. */
export function isNamedIn(config: Config): (calendarId: string) => boolean {
  const named = new Set([...namedCalendars(config)].map((calendarId) => calendarId.toLowerCase()));
  return (calendarId) => named.has(calendarId.toLowerCase());
}

/** Every calendar that mirrors and bookings name; calendars of `blocks` are not among them. */
export function namedCalendars({ mirrors, bookings }: Config): ReadonlySet<string> {
  const mapped = ofKind(mirrors, 'calendar').flatMap((mirror) => mirror.calendars);
  const booked = ofKind(bookings, 'calendar').flatMap((booking) => booking.calendars);
  return new Set([...mapped, ...booked].map(({ calendarId }) => calendarId));
}

/** Calendars whose private events make time unbookable. The worker only reads them and keeps nothing but times. */
export function blockCalendars({ blocks }: Pick<Config, 'blocks'>): readonly string[] {
  return [
    ...new Set(
      blocks.flatMap(({ people }) =>
        people.flatMap(({ calendars }) => calendars.map(({ calendarId }) => calendarId)),
      ),
    ),
  ];
}

/** Mirrors with `edited: carry`: people may change their rows. */
export function carryingMirrors({ mirrors }: Pick<Config, 'mirrors'>): readonly CarryingMirror[] {
  return mirrors.filter(
    (mirror): mirror is CarryingMirror =>
      mirror.kind === 'sheet' &&
      (mirror.from === 'contact' || mirror.from === 'appointment') &&
      mirror.carry !== undefined,
  );
}

export function bookedCalendars(config: Pick<Config, 'bookings'>): readonly string[] {
  const all = ofKind(config.bookings, 'calendar').flatMap(({ calendars }) => calendars);
  return [...new Set(all.map(({ calendarId }) => calendarId))];
}

/** Every calendar in which changes that people make have an effect. */
export function watchedCalendars(config: Pick<Config, 'mirrors' | 'bookings'>): readonly string[] {
  const edited = ofKind(config.mirrors, 'calendar')
    .filter(
      ({ staffEdits, classes }) =>
        classes !== undefined || staffEdits.moved !== 'ignore' || staffEdits.deleted !== 'ignore',
    )
    .flatMap(calendarIdsOf);
  return [...new Set([...edited, ...bookedCalendars(config)])];
}

/** How much people may type into one tab within an hour without a person's approval. */
export interface TypedBound {
  /** Name of the mirror, or of the entry of `bookings`. */
  readonly name: string;
  readonly rows: 'edited' | 'booked';
  readonly perHour: number;
}

export function typedBounds(config: Pick<Config, 'mirrors' | 'bookings'>): readonly TypedBound[] {
  const edited = ({ name, carry }: CarryingMirror): TypedBound => ({
    ...{ name, rows: 'edited', perHour: carry.editsPerHour ?? EDITS_PER_HOUR },
  });
  const booked = config.bookings.flatMap(({ kind, name, rowsPerHour = ROWS_PER_HOUR }): TypedBound[] =>
    kind === 'calendar' ? [] : [{ name, rows: 'booked', perHour: rowsPerHour }],
  );
  return [...carryingMirrors(config).map(edited), ...booked];
}

export function typedBoundText({ name, rows, perHour }: TypedBound): string {
  return `${name}: ${counted(perHour, 'row')} ${rows} an hour, further ones wait for approval`;
}
