import type { EntityKey } from '../engine/object.ts';
import { type AppointmentTime, appointmentTimeOf } from './appointment-time.ts';
import type { ConsoleParts } from './parts.ts';
import { type Person, personOf } from './person.ts';
import type { Visit } from './visit.ts';

/** One object in a list, with enough to recognise it. */
export interface FoundObject {
  readonly key: EntityKey;
  readonly person: Person | undefined;
  readonly state: string;
  readonly time: AppointmentTime | undefined;
}

export async function look(
  parts: Pick<ConsoleParts, 'story' | 'directory' | 'zoneOf'>,
  key: EntityKey,
  visit: Visit,
): Promise<FoundObject> {
  const claim = await parts.story.view.peek(key);
  const { status, lifecycle } = claim?.snapshot ?? { id: '' };
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  return {
    key,
    person: visit.may('see-people') ? personOf(claim) : undefined,
    state: text(status) || text(lifecycle),
    time: appointmentTimeOf(parts, claim?.snapshot, visit),
  };
}
