import { isDeepStrictEqual } from 'node:util';
import type { Config } from './config.ts';

/** Lists what differs between two configurations: names of mirrors, bookings and settings, never a value. */
export function configChanges(before: Config, after: Config): readonly string[] {
  const {
    mirrors: oldMirrors,
    bookings: oldBookings,
    feeds: oldFeeds,
    blocks: oldBlocks,
    ...oldSettings
  } = before;
  const { mirrors, bookings, feeds, blocks, ...settings } = after;
  return [
    ...settingsThatDiffer(oldSettings, settings, []),
    ...entriesThatDiffer('mirror', oldMirrors, mirrors),
    ...entriesThatDiffer('booking', oldBookings, bookings),
    ...entriesThatDiffer('feed', oldFeeds, feeds),
    ...entriesThatDiffer('entry of blocks', oldBlocks, blocks),
  ];
}

function settingsThatDiffer(before: unknown, after: unknown, path: readonly string[]): readonly string[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isGroup(before) || !isGroup(after)) return [`${path.join('.')} changed`];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => settingsThatDiffer(before[name], after[name], [...path, name]));
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function entriesThatDiffer(
  what: string,
  before: readonly { readonly name: string }[],
  after: readonly { readonly name: string }[],
): readonly string[] {
  const [old, fresh] = [before, after].map((each) => new Map(each.map((entry) => [entry.name, entry])));
  const names = new Set([...(old?.keys() ?? []), ...(fresh?.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const [was, is] = [old?.get(name), fresh?.get(name)];
    if (isDeepStrictEqual(was, is)) return [];
    return [`${what} ${name} ${was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'}`];
  });
}
