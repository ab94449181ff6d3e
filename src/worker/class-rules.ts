import { createErasedWaker, type ErasedWakeParts } from '../calendar/class-erased.ts';
import type { ClassRule } from '../engine/class-slot.ts';
import { ofKind } from '../engine/mirror.ts';
import type { Config } from '../mapping/config.ts';

export function classRules(config: Pick<Config, 'mirrors'>): readonly ClassRule[] {
  return ofKind(config.mirrors, 'calendar').flatMap(({ classes }) => classes ?? []);
}

/** Reacts when an appointment that was erased here changes on the platform. */
export function openErasedWaker({
  config,
  store,
  ...parts
}: Omit<ErasedWakeParts, 'rules' | 'known'> & {
  readonly config: Pick<Config, 'mirrors'>;
  readonly store: Pick<ErasedWakeParts, 'known'>;
}): ReturnType<typeof createErasedWaker> {
  return createErasedWaker({ ...parts, rules: classRules(config), known: store.known });
}
