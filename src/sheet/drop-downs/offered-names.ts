import type { Directory } from '../../engine/domain/directory.ts';
import { foldedText } from '../../engine/domain/plain-text.ts';
import { ITEMS_MAX, type NameList } from './list-tab.ts';

/** The names from which people choose. */
export type OfferedNames = Readonly<Record<NameList, readonly string[]>>;

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * The names from which people choose: in alphabetical order, each once. Undefined until the lists have been read. Omits services of
 * `blocks`, by name or id, because people do not book them, and names that Google would read as a formula.
 */
export function offeredNames(
  { services, resources, branches }: Directory,
  hidden: readonly string[] = [],
): OfferedNames | undefined {
  if (services.size === 0) return undefined;
  const booked = [...services.values()].filter(
    ({ id, name }) => !hidden.some((each) => each === id || foldedText(each) === foldedText(name)),
  );
  return { service: listed(booked), resource: listed(resources.values()), branch: listed(branches.values()) };
}

function listed(things: Iterable<Named>): readonly string[] {
  const names = [...things].map(({ name }) => name.trim().replaceAll(/\s+/g, ' '));
  const shown = names.filter((name) => name !== '' && !/^[=+@-]/.test(name));
  return [...new Set(shown)].sort((a, b) => a.localeCompare(b)).slice(0, ITEMS_MAX);
}
