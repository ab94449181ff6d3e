import { calendarKind } from '../calendar/kind.ts';
import type { Mirror } from '../engine/domain/mirror.ts';
import type { MirrorKind } from '../mapping/mirror-kind.ts';
import { sheetKind } from '../sheet/kind.ts';

const KINDS: { readonly [Kind in Mirror['kind']]: MirrorKind<Extract<Mirror, { readonly kind: Kind }>> } = {
  calendar: calendarKind,
  sheet: sheetKind,
};

export function kindOf<M extends Mirror>(mirror: M): MirrorKind<M> {
  return KINDS[mirror.kind] as MirrorKind<Mirror>;
}
