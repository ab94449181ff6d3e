import type { EntityKind } from '../../engine/domain/object.ts';
import type { Words } from '../words/en.ts';

/** The state of an object in words. States of contacts, leads and conversations are the platform's own words. */
export function stateWord(kind: EntityKind, state: string, { story }: Words): string {
  if (kind === 'appointment') return story.statuses[state] ?? state;
  return kind === 'booking' ? (story.bookingStates[state] ?? state) : state;
}
