import type { EntityKey } from '../domain/entity.ts';
import type { ConsoleParts } from './parts.ts';
import { type Person, personOf } from './person.ts';
import type { Visit } from './visit.ts';

/** One object in a list, with enough to recognise it. */
export interface FoundObject {
  readonly key: EntityKey;
  readonly person: Person | undefined;
  readonly state: string;
  /** ISO 8601, or empty. */
  readonly startsAt: string;
}

export async function look(
  { story }: Pick<ConsoleParts, 'story'>,
  key: EntityKey,
  visit: Visit,
): Promise<FoundObject> {
  const claim = await story.view.peek(key);
  const { status, lifecycle, starts_at } = claim?.snapshot ?? { id: '' };
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    key,
    person: visit.may('see-people') ? personOf(claim) : undefined,
    state: text(status) || text(lifecycle),
    startsAt: text(starts_at),
  };
}
