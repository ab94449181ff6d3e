import { type EntityKey, parseKey } from '../engine/object.ts';
import type { Claim } from '../engine/work.ts';
import { type AppointmentTime, appointmentTimeOf } from './appointment-time.ts';
import type { ConsoleParts } from './parts.ts';
import { type Person, personOf, textForEyes } from './person.ts';
import type { Visit } from './visit.ts';

/** One object in a list, with enough to recognise it. */
export interface FoundObject {
  readonly key: EntityKey;
  readonly person: Person | undefined;
  readonly state: string;
  /** Empty where it has none. */
  readonly service: string;
  readonly time: AppointmentTime | undefined;
}

export async function look(
  parts: Pick<ConsoleParts, 'story' | 'directory' | 'zoneOf'>,
  key: EntityKey,
  visit: Visit,
): Promise<FoundObject> {
  return foundObject(parts, { key, claim: await parts.story.view.peek(key) }, visit);
}

/** `claim`: what the worker knows of the object. */
export function foundObject(
  parts: Pick<ConsoleParts, 'directory' | 'zoneOf'>,
  { key, claim }: { readonly key: EntityKey; readonly claim: Claim | undefined },
  visit: Visit,
): FoundObject {
  const { status, lifecycle, service_name: service } = claim?.snapshot ?? { id: '' };
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    key,
    person: visit.may('see-people') ? personOf(claim) : undefined,
    state: text(status) || text(lifecycle),
    service: textForEyes(visit)(text(service)),
    time: appointmentTimeOf(parts, claim?.snapshot, visit),
  };
}

/** Most objects that one list looks up; each is one read of Redis. The others are shown by their ids. */
export const LOOKED_UP_MAX = 200;

/** What the worker knows of these objects, by `formatKey`. Asks neither the platform nor Google. */
export async function knownClaims(
  { story }: Pick<ConsoleParts, 'story'>,
  names: readonly string[],
): Promise<ReadonlyMap<string, Claim>> {
  const some = [...new Set(names)].slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(
    some.map(async (name) => {
      const key = parseKey(name);
      const claim = key === undefined ? undefined : await story.view.peek(key);
      return claim === undefined ? [] : [[name, claim] as const];
    }),
  );
  return new Map(found.flat());
}

/** The objects of a list, by `formatKey`. */
export async function lookAll(
  parts: Pick<ConsoleParts, 'story' | 'directory' | 'zoneOf'>,
  names: readonly string[],
  visit: Visit,
): Promise<ReadonlyMap<string, FoundObject>> {
  const claims = await knownClaims(parts, names);
  return new Map(
    [...claims].map(([name, claim]) => [name, foundObject(parts, { key: claim.key, claim }, visit)]),
  );
}
