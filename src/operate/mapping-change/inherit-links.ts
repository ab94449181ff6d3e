// After an edit of the YAML, moves every link to the mirror that continues with its event or row. Runs before any write. An event without a
// link would be created again. A link under a name that comes back later would be taken for the truth.

import { withoutDeletion } from '../../calendar/edit-search.ts';
import type { LinkMoves } from '../../calendar/link-moves.ts';
import type { LinkedObject } from '../../calendar/sighted.ts';
import { heldObject, PARKED, parkedRow } from '../../engine/edit-guard.ts';
import { mayBeUnmarked } from '../../engine/event-rule.ts';
import {
  type CalendarLink,
  doubted,
  type MirrorLinks,
  type ObjectLinks,
  type SheetLink,
  unread,
} from '../../engine/link.ts';
import type { Memory } from '../../engine/memory.ts';
import type { EntityKind } from '../../engine/object.ts';
import type { Log } from '../../engine/runtime.ts';
import type { SheetSpot } from '../../engine/sheet-row.ts';

/** A mirror of the YAML: what it mirrors, and where. */
export type LinkedMirror =
  | {
      readonly kind: 'calendar';
      readonly name: string;
      readonly from: EntityKind;
      readonly calendarIds: readonly string[];
      readonly resourceIds: readonly string[];
    }
  | {
      readonly kind: 'sheet';
      readonly name: string;
      readonly from: EntityKind;
      readonly places: readonly { readonly spreadsheetId: string; readonly tab: string }[];
    }
  | {
      /** An entry of `bookings`. */
      readonly kind: 'booking';
      readonly name: string;
      readonly from: 'booking';
      /** Calendars, or a tab, in which people book. */
      readonly sources: readonly string[];
    };

/** In the memory: the mirrors under whose names the links are stored, as JSON. Absent before the first start of a version that keeps it. */
const LINKED_MIRRORS = 'linked-mirrors';

/** The hash of a row that has left its tab (`src/sheet`). */
const CLEARED = 'cleared';

/** Changes nothing when the mirrors are those of the last time. Repeated after a crash, it continues. */
export async function inheritLinks(parts: {
  readonly mirrors: readonly LinkedMirror[];
  readonly moves: LinkMoves;
  readonly memory: Memory;
  readonly log: Log;
}): Promise<void> {
  const { mirrors, moves, memory, log } = parts;
  const text = JSON.stringify(mirrors);
  const known = await memory.get(LINKED_MIRRORS);
  if (known === text) return;
  const former = formerOf(known);
  const successors = mirrors.map((mirror) => successorOf(mirror, former));
  for (const place of changedPlaces(mirrors, former ?? [])) await moves.forgetRows(place);
  const returned = returnedCalendars(mirrors, former);
  const renamed = renamedIn(mirrors, former ?? []);
  const decide = (kind: EntityKind, links: ObjectLinks) => {
    const inherited = inherit(kind, links, successors);
    return withoutDeletions(inherited ?? links, returned) ?? inherited;
  };
  const objects = await moves.rearrange(decide, renamed);
  await renameParked(memory, renamed);
  if (objects > 0) log.info({ objects }, 'links of mirrors or calendars that are new in the YAML taken over');
  const gained = former === undefined ? [] : gainedPlaces(mirrors, former);
  const turns = gained.length === 0 ? 0 : await moves.giveTurns((object) => mayHaveMissed(object, gained));
  if (turns > 0) log.info({ objects: turns }, 'objects looked at again: a mirror writes to other places');
  await memory.set(LINKED_MIRRORS, text);
}

/** Former names of mirrors of rows and of entries, with the one that has their places now. */
function renamedIn(
  mirrors: readonly LinkedMirror[],
  former: readonly LinkedMirror[],
): ReadonlyMap<string, string> {
  const renamed = former.flatMap((before) => {
    const alike = mirrors.filter(({ kind, from }) => kind === before.kind && from === before.from);
    if (before.kind === 'calendar' || alike.some(({ name }) => name === before.name)) return [];
    const heir = alike.find((each) => idsOf(each).some((id) => idsOf(before).includes(id)));
    return heir === undefined ? [] : [[before.name, heir.name] as const];
  });
  return new Map(renamed);
}

/** What waits for a person goes on waiting under the new name, with the verdict if there is one. */
async function renameParked(memory: Memory, renamed: ReadonlyMap<string, string>): Promise<void> {
  if (renamed.size === 0) return;
  for (const [fact, text] of await memory.all(PARKED)) {
    const object = heldObject(PARKED + fact);
    const place = object && renamed.get(object.place);
    if (object === undefined || place === undefined) continue;
    await memory.set(parkedRow({ ...object, place }), text);
    await memory.forget(parkedRow(object));
  }
}

/** Calendars that no mirror named at the last start. */
function returnedCalendars(
  mirrors: readonly LinkedMirror[],
  former: readonly LinkedMirror[] = mirrors,
): ReadonlySet<string> {
  const idsIn = (all: readonly LinkedMirror[]) =>
    all.flatMap((mirror) => (mirror.kind === 'calendar' ? mirror.calendarIds : []));
  const then = new Set(idsIn(former));
  return new Set(idsIn(mirrors).filter((id) => !then.has(id)));
}

/**
 * What people deleted while no mirror named the calendar asks for nothing. So each event there is read again before its absence proves a
 * deletion. Undefined when no link is there.
 */
function withoutDeletions(links: ObjectLinks, returned: ReadonlySet<string>): ObjectLinks | undefined {
  // People's own event must stay searched for: it may stand in another calendar without our mark.
  const isReturned = (link: CalendarLink) =>
    returned.has(link.calendarId) && link.absence === 'wish' && !mayBeUnmarked(link);
  let found = links;
  for (const [name, { calendars = [], ...rest }] of Object.entries(links)) {
    if (!calendars.some(isReturned)) continue;
    const unproven = calendars.map((link) =>
      isReturned(link) ? { ...withoutDeletion(link), event: doubted(link.event) } : link,
    );
    found = { ...found, [name]: { ...rest, calendars: unproven } };
  }
  return found === links ? undefined : found;
}

/** Which mirrors inherit which links under these mirrors. Read-only. */
export async function successorsOf(
  mirrors: readonly LinkedMirror[],
  memory: Pick<Memory, 'get'>,
): Promise<readonly Successor[]> {
  const former = formerOf(await memory.get(LINKED_MIRRORS));
  return mirrors.map((mirror) => successorOf(mirror, former));
}

function formerOf(known: string | undefined): readonly LinkedMirror[] | undefined {
  return known === undefined ? undefined : (JSON.parse(known) as readonly LinkedMirror[]);
}

function successorOf(mirror: LinkedMirror, former: readonly LinkedMirror[] | undefined): Successor {
  const { name, from } = mirror;
  if (mirror.kind === 'sheet') return { kind: 'sheet', name, from, places: mirror.places };
  if (mirror.kind === 'booking') {
    const { sources } = mirror;
    const isHere = (each: LinkedMirror) =>
      each.kind === 'booking' && each.sources.some((source) => sources.includes(source));
    const before = (former ?? []).filter(isHere).map((each) => each.name);
    return { kind: 'booking', name, from, continues: new Set(before) };
  }
  const before = former?.find((each) => each.kind === 'calendar' && each.name === name);
  const had = new Set(before?.kind === 'calendar' ? before.resourceIds : []);
  // Without knowledge of the last time, nothing counts as new.
  const gained = former === undefined ? [] : mirror.resourceIds.filter((id) => !had.has(id));
  return {
    ...{ kind: 'calendar', name, from },
    calendars: new Set(mirror.calendarIds),
    resources: new Set(mirror.resourceIds),
    gained: new Set(gained),
  };
}

interface Gained {
  readonly kind: EntityKind;
  readonly calendars: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
  readonly tabs: ReadonlySet<string>;
}

/** What a mirror writes to now, and did not at the last start. It may have been written earlier, and may hold what was to leave. */
function gainedPlaces(mirrors: readonly LinkedMirror[], former: readonly LinkedMirror[]): readonly Gained[] {
  return mirrors.flatMap((mirror) => {
    const before = former.filter(({ name, kind }) => name === mirror.name && kind === mirror.kind);
    const had = new Set(before.flatMap(idsOf));
    const [calendars, resources, tabs]: readonly (readonly string[])[] =
      mirror.kind === 'calendar' ? [mirror.calendarIds, mirror.resourceIds] : [[], [], idsOf(mirror)];
    const isNew = (id: string) => !had.has(id);
    const gained = {
      kind: mirror.from,
      calendars: new Set(calendars?.filter(isNew)),
      resources: new Set(resources?.filter(isNew)),
      tabs: new Set(tabs?.filter(isNew)),
    };
    return gained.calendars.size + gained.resources.size + gained.tabs.size > 0 ? [gained] : [];
  });
}

function idsOf(mirror: LinkedMirror): readonly string[] {
  if (mirror.kind === 'booking') return mirror.sources;
  return mirror.kind === 'calendar'
    ? [...mirror.calendarIds, ...mirror.resourceIds]
    : mirror.places.map(tabOf);
}

function tabOf({ spreadsheetId, tab }: SheetSpot): string {
  return `${spreadsheetId}/${tab}`;
}

/**
 * The object may have left, or changed, while nothing was written to the place. No list of the platform brings it: deleted contacts are on
 * none, and the walk begins only where the mirrors begin. Without its content it has been quiet for longer than that, and stays so.
 */
function mayHaveMissed(
  { kind, links, isDeleted, hasContent }: LinkedObject,
  gained: readonly Gained[],
): boolean {
  const mine = gained.filter((each) => each.kind === (kind === 'class' ? 'appointment' : kind));
  if (mine.length === 0) return false;
  if (kind === 'booking') return hasContent && !Object.values(links).some(isDecided);
  if (isDeleted) return true;
  return hasContent && Object.values(links).some((each) => mine.some((gain) => isAt(each, gain)));
}

function isDecided({ booking }: MirrorLinks): boolean {
  return booking !== undefined && booking.state !== 'new' && booking.asked === undefined;
}

function isAt({ calendars = [], sheet }: MirrorLinks, gained: Gained): boolean {
  if (sheet !== undefined && gained.tabs.size > 0)
    return sheet.hash === CLEARED || gained.tabs.has(tabOf(sheet));
  return calendars.some(
    ({ calendarId, resourceIds = [] }) =>
      gained.calendars.has(calendarId) || resourceIds.some((id) => gained.resources.has(id)),
  );
}

/** Tabs that a mirror has started or stopped writing to. The stored state of their rows belongs, or will belong, to another mirror. */
function changedPlaces(mirrors: readonly LinkedMirror[], former: readonly LinkedMirror[]) {
  const [now, then] = [placesOf(mirrors), placesOf(former)];
  return [...now, ...then].filter((place) => !(has(now, place) && has(then, place)));
}

type Place = Parameters<LinkMoves['forgetRows']>[0];

function placesOf(mirrors: readonly LinkedMirror[]): readonly Place[] {
  return mirrors.flatMap((mirror) =>
    mirror.kind === 'sheet'
      ? mirror.places.map(({ spreadsheetId, tab }) => ({ mirror: mirror.name, spreadsheetId, tab }))
      : [],
  );
}

function has(places: readonly Place[], { mirror, spreadsheetId, tab }: Place): boolean {
  return places.some(
    (each) => each.mirror === mirror && each.spreadsheetId === spreadsheetId && each.tab === tab,
  );
}

// Links are stored under the name of their mirror, and people rename, split and join mirrors. A link belongs to the mirror that continues
// with its event or row. A link under an unused name becomes wrong as soon as another mirror writes to its place.

/** A mirror of the YAML, as far as it can continue what another mirror wrote. */
export type Successor = CalendarSuccessor | SheetSuccessor | BookingSuccessor;

interface BookingSuccessor {
  readonly kind: 'booking';
  readonly name: string;
  readonly from: EntityKind;
  /** Entries that took bookings in the same place at the last start. */
  readonly continues: ReadonlySet<string>;
}

export interface CalendarSuccessor {
  readonly kind: 'calendar';
  readonly name: string;
  readonly from: EntityKind;
  /** Calendars that it names, whether or not their resources can be found right now. */
  readonly calendars: ReadonlySet<string>;
  /** Ids of the resources that it maps. */
  readonly resources: ReadonlySet<string>;
  /** Resources that it maps now, and did not map at the last start. */
  readonly gained: ReadonlySet<string>;
}

interface SheetSuccessor {
  readonly kind: 'sheet';
  readonly name: string;
  readonly from: EntityKind;
  readonly places: readonly Pick<SheetLink, 'spreadsheetId' | 'tab'>[];
}

/** The links of one object under the mirrors that continue with them; undefined when each is where it belongs. */
export function inherit(
  kind: EntityKind,
  links: ObjectLinks,
  successors: readonly Successor[],
): ObjectLinks | undefined {
  // Events of classes belong to mirrors of appointments.
  const mine = successors.filter((successor) => successor.from === (kind === 'class' ? 'appointment' : kind));
  const calendars = mine.filter((successor) => successor.kind === 'calendar');
  const sheets = mine.filter((successor) => successor.kind === 'sheet');
  const entries = mine.filter((successor) => successor.kind === 'booking');
  let found = links;
  for (const [name, { calendars: own = [], sheet, booking }] of Object.entries(links)) {
    const isNamed = booking === undefined || entries.some((entry) => entry.name === name);
    const heir = isNamed ? undefined : entries.find(({ continues }) => continues.has(name));
    // What was refused under the old name must not be asked again.
    if (heir !== undefined && booking !== undefined)
      found = { ...found, [name]: {}, [heir.name]: { booking, ...found[heir.name] } };
    for (const link of own) {
      const successor = calendarSuccessor(link, name, calendars);
      if (successor !== name) found = handEvent(found, link, { from: name, to: successor });
    }
    const successor = sheet === undefined ? name : sheetSuccessor(sheet, name, sheets);
    if (sheet !== undefined && successor !== name)
      found = handRow(found, sheet, { from: name, to: successor });
  }
  return found === links ? undefined : found;
}

/** The resource decides, because it may have another calendar by now. A link without a successor stays where it is. */
function calendarSuccessor(
  link: CalendarLink,
  name: string,
  successors: readonly CalendarSuccessor[],
): string {
  const ids = link.resourceIds ?? [];
  const maps = (successor: CalendarSuccessor) => ids.some((id) => successor.resources.has(id));
  const names = (successor: CalendarSuccessor) => successor.calendars.has(link.calendarId);
  const own = successors.find((successor) => successor.name === name);
  if (own !== undefined && (maps(own) || (ids.length === 0 && names(own)))) return name;
  if (ids.length === 0) return successors.find(names)?.name ?? name;
  const gaining = successors.filter((successor) => ids.some((id) => successor.gained.has(id)));
  const successor =
    successors.find((each) => names(each) && maps(each)) ?? (gaining.length === 1 ? gaining[0] : undefined);
  return successor?.name ?? name;
}

/** A mirror that is in the YAML handles the rows in its former tabs itself. */
function sheetSuccessor(link: SheetLink, name: string, successors: readonly SheetSuccessor[]): string {
  if (successors.some((successor) => successor.name === name)) return name;
  const isHere = (place: SheetSuccessor['places'][number]) =>
    place.spreadsheetId === link.spreadsheetId && place.tab === link.tab;
  return successors.find((successor) => successor.places.some(isHere))?.name ?? name;
}

interface Handing {
  readonly from: string;
  readonly to: string;
}

function handEvent(links: ObjectLinks, link: CalendarLink, { from, to }: Handing): ObjectLinks {
  const isOther = (each: CalendarLink) =>
    each.calendarId !== link.calendarId || each.eventId !== link.eventId;
  const left = links[from]?.calendars?.filter(isOther) ?? [];
  const known = links[to]?.calendars ?? [];
  const others = known.filter(isOther);
  const isKnown = others.length < known.length;
  return {
    ...links,
    [from]: withCalendars(links[from], left),
    // Two mirrors remember the event, and which one wrote last is unknown.
    [to]: withCalendars(links[to], [...others, isKnown ? unread(link) : link]),
  };
}

function withCalendars(
  { calendars: _, ...rest }: MirrorLinks = {},
  calendars: readonly CalendarLink[],
): MirrorLinks {
  return calendars.length === 0 ? rest : { ...rest, calendars };
}

function handRow(links: ObjectLinks, sheet: SheetLink, { from, to }: Handing): ObjectLinks {
  const { sheet: _, ...left } = links[from] ?? {};
  const isFinal = sheet.hash === 'cleared' || sheet.hash === 'left';
  const isDoubted = links[to]?.sheet !== undefined && !isFinal;
  return {
    ...links,
    [from]: left,
    [to]: { ...links[to], sheet: isDoubted ? { ...sheet, hash: '' } : sheet },
  };
}
