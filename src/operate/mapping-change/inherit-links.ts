// After an edit of the YAML, moves every link to the mirror that continues with its event or row. Runs before any write. An event without a
// link would be created again. A link under a name that comes back later would be taken for the truth.

import type { MirrorLinks } from '../../engine/domain/link.ts';
import type { EntityKind } from '../../engine/domain/object.ts';
import type { SheetSpot } from '../../engine/domain/sheet-row.ts';
import type { LinkedObject, LinkMoves } from '../../engine/ports/calendars.ts';
import type { Memory } from '../../engine/ports/memory.ts';
import type { Log } from '../../engine/ports/runtime.ts';
import { type Heir, inherit } from './heirs.ts';

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
    };

/** In the memory: the mirrors under whose names the links are stored, as JSON. Absent before the first start of a version that keeps it. */
const LINKED_MIRRORS = 'linked-mirrors';

/** The hash of a row that has left its tab (`src/sheet`). */
const CLEARED = 'cleared';

/** Changes nothing when the mirrors are those of the last time. Repeated after a crash, it continues. */
export async function inheritLinks(parts: {
  readonly mirrors: readonly LinkedMirror[];
  readonly moves: LinkMoves;
  readonly memory: Pick<Memory, 'get' | 'set'>;
  readonly log: Log;
}): Promise<void> {
  const { mirrors, moves, memory, log } = parts;
  const text = JSON.stringify(mirrors);
  const known = await memory.get(LINKED_MIRRORS);
  if (known === text) return;
  const former = formerOf(known);
  const heirs = mirrors.map((mirror) => heirOf(mirror, former));
  for (const place of changedPlaces(mirrors, former ?? [])) await moves.forgetRows(place);
  const objects = await moves.rearrange((kind, links) => inherit(kind, links, heirs));
  if (objects > 0) log.info({ objects }, 'events and rows of mirrors that were renamed or split taken over');
  const gained = former === undefined ? [] : gainedPlaces(mirrors, former);
  const turns = gained.length === 0 ? 0 : await moves.giveTurns((object) => mayHaveMissed(object, gained));
  if (turns > 0) log.info({ objects: turns }, 'objects looked at again: a mirror writes to other places');
  await memory.set(LINKED_MIRRORS, text);
}

/** Which mirrors inherit which links under these mirrors. Read-only. */
export async function heirsOf(
  mirrors: readonly LinkedMirror[],
  memory: Pick<Memory, 'get'>,
): Promise<readonly Heir[]> {
  const former = formerOf(await memory.get(LINKED_MIRRORS));
  return mirrors.map((mirror) => heirOf(mirror, former));
}

function formerOf(known: string | undefined): readonly LinkedMirror[] | undefined {
  return known === undefined ? undefined : (JSON.parse(known) as readonly LinkedMirror[]);
}

function heirOf(mirror: LinkedMirror, former: readonly LinkedMirror[] | undefined): Heir {
  const { name, from } = mirror;
  if (mirror.kind === 'sheet') return { kind: 'sheet', name, from, places: mirror.places };
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
    const [calendars, resources, tabs] =
      mirror.kind === 'calendar'
        ? [mirror.calendarIds, mirror.resourceIds, []]
        : [[], [], mirror.places.map(tabOf)];
    const isNew = (id: string) => !had.has(id);
    const gained = {
      kind: mirror.from,
      calendars: new Set(calendars.filter(isNew)),
      resources: new Set(resources.filter(isNew)),
      tabs: new Set(tabs.filter(isNew)),
    };
    return gained.calendars.size + gained.resources.size + gained.tabs.size > 0 ? [gained] : [];
  });
}

function idsOf(mirror: LinkedMirror): readonly string[] {
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
  if (isDeleted) return true;
  return hasContent && Object.values(links).some((each) => mine.some((gain) => isAt(each, gain)));
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
