import type { DeadLetters } from '../engine/dead-letters.ts';
import { TerminalError } from '../engine/errors.ts';
import type { Journal } from '../engine/intake-store.ts';
import { type EntityKey, type EntityKind, formatKey, parseKey } from '../engine/object.ts';

/** The objects that an operator wants to replay. Types and times narrow each other; events and objects are added. */
export interface ReplayRequest {
  /** The platform's event ids. */
  readonly events: readonly string[];
  /** `appointment/<id>`. */
  readonly objects: readonly string[];
  /** Event types, `appointment.cancelled` or `appointment.*`. */
  readonly types: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
}

/** The objects that a request names, without duplicates, in the order found. */
export async function replayObjects(
  request: ReplayRequest,
  parts: {
    readonly journal: Journal;
    /** Finds the object of an event that the platform still knows and the worker never saw. */
    readonly eventOnPlatform: (eventId: string) => Promise<EntityKey | undefined>;
    readonly nowMs: number;
  },
): Promise<readonly EntityKey[]> {
  const found = new Map<string, EntityKey>();
  const put = (key: EntityKey) => found.set(formatKey(key), key);
  for (const text of request.objects) put(objectNamed(text));
  for (const eventId of request.events) {
    put(
      (await parts.journal.objectOf(eventId)) ??
        (await parts.eventOnPlatform(eventId)) ??
        unknownEvent(eventId),
    );
  }
  const isOfJournal = request.types.length > 0 || request.fromMs !== undefined || request.toMs !== undefined;
  if (!isOfJournal) return [...found.values()];
  const bounds = { fromMs: request.fromMs ?? 0, toMs: request.toMs ?? parts.nowMs };
  for await (const entry of parts.journal.between(bounds)) {
    if (isOfTypes(entry.eventType, request.types)) put(entry.key);
  }
  return [...found.values()];
}

export function countKinds(keys: readonly EntityKey[]): Partial<Record<EntityKind, number>> {
  const counts: Partial<Record<EntityKind, number>> = {};
  for (const { kind } of keys) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The objects of the dead letters with this code; without a code, of all dead letters. */
export async function objectsOfLetters(
  letters: DeadLetters,
  code: string | undefined,
): Promise<readonly string[]> {
  const all = await letters.all();
  const chosen =
    code === undefined ? all : all.filter(({ reasons }) => reasons.some((each) => each.code === code));
  return [...new Set(chosen.map(({ key }) => key))];
}

function isOfTypes(type: string, types: readonly string[]): boolean {
  if (types.length === 0) return true;
  return types.some((wanted) =>
    wanted.endsWith('.*') ? type.startsWith(wanted.slice(0, -1)) : type === wanted,
  );
}

function objectNamed(text: string): EntityKey {
  const key = parseKey(text);
  if (key !== undefined) return key;
  throw new TerminalError('object-not-named', `"${text}" is not an object`, {
    advice: 'Give its kind and id, such as appointment/6f1c2a9e-….',
  });
}

function unknownEvent(eventId: string): never {
  throw new TerminalError('event-unknown', `neither the worker nor the platform knows the event ${eventId}`, {
    advice: 'The platform keeps events for 30 days. Give the object instead: --object appointment/<id>.',
  });
}
