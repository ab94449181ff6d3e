// Links are stored under the name of their mirror, and people rename, split and join mirrors. A link belongs to the mirror that continues
// with its event or row. A link under an unused name becomes wrong as soon as another mirror writes to its place.

import {
  type CalendarLink,
  doubted,
  type MirrorLinks,
  type ObjectLinks,
  type SheetLink,
} from '../../engine/domain/link.ts';
import type { EntityKind } from '../../engine/domain/object.ts';

/** A mirror of the YAML, as far as it can continue what another mirror wrote. */
export type Heir = CalendarHeir | SheetHeir;

export interface CalendarHeir {
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

export interface SheetHeir {
  readonly kind: 'sheet';
  readonly name: string;
  readonly from: EntityKind;
  readonly places: readonly Pick<SheetLink, 'spreadsheetId' | 'tab'>[];
}

/** The links of one object under the mirrors that continue with them; undefined when each is where it belongs. */
export function inherit(
  kind: EntityKind,
  links: ObjectLinks,
  heirs: readonly Heir[],
): ObjectLinks | undefined {
  // Events of classes belong to mirrors of appointments.
  const mine = heirs.filter((heir) => heir.from === (kind === 'class' ? 'appointment' : kind));
  const calendars = mine.filter((heir) => heir.kind === 'calendar');
  const sheets = mine.filter((heir) => heir.kind === 'sheet');
  let found = links;
  for (const [name, { calendars: own = [], sheet }] of Object.entries(links)) {
    for (const link of own) {
      const heir = calendarHeir(link, name, calendars);
      if (heir !== name) found = handEvent(found, link, { from: name, to: heir });
    }
    const heir = sheet === undefined ? name : sheetHeir(sheet, name, sheets);
    if (sheet !== undefined && heir !== name) found = handRow(found, sheet, { from: name, to: heir });
  }
  return found === links ? undefined : found;
}

/** The resource decides, because it may have another calendar by now. A link without an heir stays where it is. */
function calendarHeir(link: CalendarLink, name: string, heirs: readonly CalendarHeir[]): string {
  const ids = link.resourceIds ?? [];
  const maps = (heir: CalendarHeir) => ids.some((id) => heir.resources.has(id));
  const names = (heir: CalendarHeir) => heir.calendars.has(link.calendarId);
  const own = heirs.find((heir) => heir.name === name);
  if (own !== undefined && (maps(own) || (ids.length === 0 && names(own)))) return name;
  if (ids.length === 0) return heirs.find(names)?.name ?? name;
  const gaining = heirs.filter((heir) => ids.some((id) => heir.gained.has(id)));
  const heir =
    heirs.find((each) => names(each) && maps(each)) ?? (gaining.length === 1 ? gaining[0] : undefined);
  return heir?.name ?? name;
}

/** A mirror that is in the YAML handles the rows in its former tabs itself. */
function sheetHeir(link: SheetLink, name: string, heirs: readonly SheetHeir[]): string {
  if (heirs.some((heir) => heir.name === name)) return name;
  const isHere = (place: SheetHeir['places'][number]) =>
    place.spreadsheetId === link.spreadsheetId && place.tab === link.tab;
  return heirs.find((heir) => heir.places.some(isHere))?.name ?? name;
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
    [to]: withCalendars(links[to], [...others, isKnown ? unread(link) : link]),
  };
}

function withCalendars(
  { calendars: _, ...rest }: MirrorLinks = {},
  calendars: readonly CalendarLink[],
): MirrorLinks {
  return calendars.length === 0 ? rest : { ...rest, calendars };
}

/** Two mirrors remember the event, and which one wrote last is unknown. So the event is read before anything is concluded from it. */
function unread(link: CalendarLink): CalendarLink {
  const { sourceHash: _, ...rest } = link;
  return { ...rest, event: { ...doubted(link.event), hour: {} } };
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
