import { createErasedBell, type ErasedBellParts } from '../calendar/class-erased.ts';
import type { ClassRule } from '../engine/class-slot.ts';
import { ofKind } from '../engine/mirror.ts';
import type { Config } from '../mapping/config.ts';

export function classRules(config: Pick<Config, 'mirrors'>): readonly ClassRule[] {
  return ofKind(config.mirrors, 'calendar').flatMap(({ classes }) => classes ?? []);
}

/** Reacts when an appointment that was erased here changes on the platform. */
export function openErasedBell({
  config,
  store,
  ...parts
}: Omit<ErasedBellParts, 'rules' | 'known'> & {
  readonly config: Pick<Config, 'mirrors'>;
  readonly store: Pick<ErasedBellParts, 'known'>;
}): ReturnType<typeof createErasedBell> {
  return createErasedBell({ ...parts, rules: classRules(config), known: store.known });
}
