import type { BlockRule } from '../../engine/domain/block.ts';
import type { Directory, ServiceLengths } from '../../engine/domain/directory.ts';
import { findNamed } from '../../engine/outside/names.ts';
import type { DirectorySource } from '../../engine/ports/platform.ts';

/** A person whose private events take time, with the names of the YAML resolved. */
export interface Person {
  readonly rule: BlockRule;
  readonly resourceId: string;
  readonly branchId: string;
  /** IANA zone of the branch. */
  readonly zone: string;
  readonly calendarIds: readonly string[];
  readonly serviceId: string;
  readonly lengths: ServiceLengths;
}

/** A name in an entry of `blocks` that cannot be used. */
export interface Misnamed {
  readonly rule: string;
  readonly what: 'service' | 'resource';
  /** As written in the YAML. */
  readonly name: string;
  readonly why: 'unknown' | 'ambiguous' | 'not-rental';
}

/** Caches `peopleOf` for the current lists. Every appointment change calls it, so names are compared only once per reading of the lists. */
export class People {
  readonly #rules: readonly BlockRule[];
  readonly #lists: DirectorySource;
  #known: (ReturnType<typeof peopleOf> & { readonly of: Directory }) | undefined;

  constructor(rules: readonly BlockRule[], lists: DirectorySource) {
    this.#rules = rules;
    this.#lists = lists;
  }

  current(): ReturnType<typeof peopleOf> {
    const directory = this.#lists.current();
    if (this.#known?.of !== directory) this.#known = { ...peopleOf(this.#rules, directory), of: directory };
    return this.#known;
  }
}

/** The people of all entries. A person named by several entries belongs to the first. */
export function peopleOf(
  rules: readonly BlockRule[],
  directory: Directory,
): { readonly people: readonly Person[]; readonly misnamed: readonly Misnamed[] } {
  const people = new Map<string, Person>();
  const misnamed: Misnamed[] = [];
  for (const rule of rules) {
    const service = findNamed(directory.services, rule.service);
    if (typeof service === 'string' || service.lengths === undefined) {
      const why = typeof service === 'string' ? service : 'not-rental';
      misnamed.push({ rule: rule.name, what: 'service', name: rule.service, why });
      continue;
    }
    for (const { resource: name, calendars } of rule.people) {
      const resource = findNamed(directory.resources, name, service.projectId);
      const branch = typeof resource === 'string' ? undefined : directory.branches.get(resource.branchId);
      if (typeof resource === 'string' || branch === undefined) {
        const why = typeof resource === 'string' ? resource : 'unknown';
        misnamed.push({ rule: rule.name, what: 'resource', name, why });
      } else if (!people.has(resource.id)) {
        people.set(resource.id, {
          ...{ rule, resourceId: resource.id, branchId: branch.id, zone: branch.timezone },
          calendarIds: calendars.map(({ calendarId }) => calendarId),
          ...{ serviceId: service.id, lengths: service.lengths },
        });
      }
    }
  }
  return { people: [...people.values()], misnamed };
}
