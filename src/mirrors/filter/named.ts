// Compares names of branches, services and resources in filters with the platform's lists. Pure.
import type { Directory } from '../../domain/directory.ts';
import type { Where } from '../../domain/mirror.ts';
import type { Judged } from './line.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export type Names = ReadonlyMap<string, { readonly name: string }>;

/** People type names on both sides, so spaces around them and the encoding of accents do not matter. */
export function isSameName(a: string, b: string): boolean {
  return a.trim().normalize('NFC') === b.trim().normalize('NFC');
}

/** Only an id has this form: no list is needed to know what it means. */
export function isUuid(wanted: string): boolean {
  return UUID.test(wanted.trim());
}

/**
 * Whether a line names one of the object's ids, by id or by name. The answer is unknown if a name of either side is missing from the lists
 * now. They hold only active things, and a renamed or deactivated service must not empty a mirror.
 */
export function judgeNamed(
  wanted: readonly string[],
  ids: readonly string[],
  about: { readonly names: Names; readonly ownName?: string | undefined },
): Judged {
  const named = ids.flatMap((id) => about.names.get(id)?.name ?? []);
  const own = about.ownName === undefined ? named : [...named, about.ownName];
  const isWanted = (each: string) => ids.includes(each) || own.some((name) => isSameName(name, each));
  if (wanted.some(isWanted)) return 'yes';
  if (ids.length === 0) return 'no';
  if (wanted.some((each) => !isResolved(each, about.names))) return 'unknown';
  const isByName = wanted.some((each) => !isUuid(each) && !about.names.has(each));
  const hasNameless = own.length === 0 || (about.ownName === undefined && named.length < ids.length);
  return isByName && hasNameless ? 'unknown' : 'no';
}

function isResolved(wanted: string, names: Names): boolean {
  if (isUuid(wanted) || names.has(wanted)) return true;
  return [...names.values()].some(({ name }) => isSameName(name, wanted));
}

/** A name in a filter that the platform's lists do not have. */
export interface UnknownName {
  /** `branch`, `service` or `resource`: the setting below `where`. */
  readonly setting: string;
  readonly name: string;
  /** The names that the lists do have. */
  readonly known: readonly string[];
}

/** Every name in a filter, and whether the platform's lists have it. */
export function filterNames(
  where: Where,
  directory: Directory,
): readonly (UnknownName & { readonly isKnown: boolean })[] {
  const lists = [
    ['branch', where.branches, directory.branches],
    ['service', where.services, directory.services],
    ['resource', where.resources, directory.resources],
  ] as const;
  return lists.flatMap(([setting, wanted = [], names]) => {
    const known = [...new Set([...names.values()].map(({ name }) => name))];
    return wanted.map((name) => {
      const isKnown = names.has(name.trim()) || known.some((each) => isSameName(each, name));
      return { setting, name, known, isKnown };
    });
  });
}
