import type { Directory } from '../../../domain/directory.ts';
import { ITEMS_MAX, type NameList } from './list-tab.ts';

/** What people choose from. */
export type OfferedNames = Readonly<Record<NameList, readonly string[]>>;

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * What people choose from, in the order of the alphabet, each name once. Undefined while nothing was read yet. Left out are services of
 * `blocks`, by name or id, which nobody books, and names that Google would take for a formula.
 */
export function offeredNames(
  { services, resources, branches }: Directory,
  hidden: readonly string[] = [],
): OfferedNames | undefined {
  if (services.size === 0) return undefined;
  const booked = [...services.values()].filter(
    ({ id, name }) => !hidden.includes(id) && !hidden.includes(name),
  );
  return { service: listed(booked), resource: listed(resources.values()), branch: listed(branches.values()) };
}

function listed(things: Iterable<Named>): readonly string[] {
  const names = [...things].map(({ name }) => name.trim().replaceAll(/\s+/g, ' '));
  const shown = names.filter((name) => name !== '' && !/^[=+@-]/.test(name));
  return [...new Set(shown)].sort((a, b) => a.localeCompare(b)).slice(0, ITEMS_MAX);
}
