import type { Config } from '../config/config.ts';
import type { SheetMirror } from '../domain/mirror.ts';
import { markedEvents } from '../mirrors/calendar/marked.ts';
import { createCalendarTarget } from '../mirrors/calendar/target.ts';
import { createSheetFlusher } from '../mirrors/sheet/flusher.ts';
import { createSheetTarget } from '../mirrors/sheet/target.ts';
import type { Clock } from '../ports/clock.ts';
import type { DirectorySource } from '../ports/directory-source.ts';
import type { FlushBell } from '../ports/flush-bell.ts';
import type { Log } from '../ports/log.ts';
import type { Meter } from '../ports/meter.ts';
import type { MirrorTarget } from '../ports/mirror-target.ts';
import type { Mapping } from './mapping.ts';
import type { Outside } from './outside.ts';
import type { Store } from './store.ts';

/** One target per mirror of the YAML, and the flusher that all sheets share. */
export function createTargets(parts: {
  readonly config: Config;
  readonly store: Store;
  readonly outside: Outside;
  readonly directory: DirectorySource;
  readonly mapping: Mapping;
  readonly bell: FlushBell;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}) {
  const { config, store, outside, directory, mapping, bell, clock, log, meter } = parts;
  const shared = { directory, clock, log, meter };
  const mirrors = config.mirrors.map((mirror): MirrorTarget => {
    if (mirror.kind === 'sheet') return createSheetTarget({ ...shared, mirror, outbox: store.outbox, bell });
    const resolved = () => mapping.calendarsOf(mirror);
    return createCalendarTarget({ ...shared, mirror, api: outside.calendar, links: store.links, resolved });
  });
  const sheetMirrors = config.mirrors.filter((mirror): mirror is SheetMirror => mirror.kind === 'sheet');
  const flusher = createSheetFlusher({
    api: outside.sheets,
    outbox: store.outbox,
    mirrors: sheetMirrors,
    tabs: tabMemory(store),
    problems: store.problems,
    clock,
    log,
    meter,
  });
  return { mirrors, flusher, marked: markedEvents(outside.calendar) };
}

/** Which sheetId a tab of the YAML was found to have, so that it is found again after people renamed it. */
function tabMemory(store: Store) {
  const name = (spreadsheetId: string, tab: string) => `tab:${spreadsheetId}/${tab}`;
  return {
    async get(spreadsheetId: string, tab: string): Promise<number | undefined> {
      const text = await store.memory.get(name(spreadsheetId, tab));
      return text === undefined ? undefined : Number(text);
    },
    set: (spreadsheetId: string, tab: string, sheetId: number) =>
      store.memory.set(name(spreadsheetId, tab), String(sheetId)),
    forget: (spreadsheetId: string, tab: string) => store.memory.forget(name(spreadsheetId, tab)),
  };
}
