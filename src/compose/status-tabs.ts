import { ofKind } from '../domain/mirror.ts';
import { StatusTabs } from '../mirrors/sheet/status-tab/status-tabs.ts';
import { placesOf } from '../mirrors/sheet/tab/places.ts';
import type { SheetZones } from '../mirrors/sheet/target/sheet-zones.ts';
import type { StatusSource } from '../ops/status.ts';
import { statusText } from '../ops/status-tab/text.ts';
import { every } from '../work/loops.ts';
import type { Part } from '../work/supervisor.ts';
import { type Core, spreadsheetsOf } from './core.ts';

/** How often the worker checks whether a status tab has to change. */
const LOOK_EVERY_MS = 15_000;

/** Keeps the tab of `worker.status_tab` in every spreadsheet; empty without that setting. */
export function statusTabs(
  core: Core,
  { zones, status }: { readonly zones: SheetZones; readonly status: StatusSource },
): readonly Part[] {
  const { config, store, remotes, mark, clock, log } = core;
  const { statusTab: title, language } = config.worker;
  if (title === undefined) return [];
  const places = [
    ...ofKind(config.mirrors, 'sheet').flatMap((mirror) => placesOf(mirror)),
    ...ofKind(config.bookings, 'sheet'),
  ];
  const tabsOf = (spreadsheetId: string) => [
    ...new Set(places.flatMap((place) => (place.spreadsheetId === spreadsheetId ? [place.tab] : []))),
  ];
  const tabs = new StatusTabs({
    ...{ title, installation: config.redis.prefix, spreadsheets: spreadsheetsOf(config) },
    async read() {
      const report = await status.read();
      return (spreadsheetId, zone) =>
        statusText(report, { spreadsheetId, tabs: tabsOf(spreadsheetId), zone, language });
    },
    // All live work goes first, because it needs the budget more.
    api: remotes.sheetsFor('list'),
    ...{ zones, memory: store.memory, leases: store.leases, problems: store.problems, clock, log },
  });
  const look = async (signal: AbortSignal) => {
    // A worker with an outdated mapping may know other tabs.
    if (await mark.isCurrent()) await tabs.look(signal);
  };
  return [every({ name: 'status tabs', everyMs: LOOK_EVERY_MS, log }, look)];
}
