import type { Config } from '../config/config.ts';
import type { PlatformKind } from '../domain/entity.ts';

/** Kinds of platform object whose events the worker needs. What becomes of an outside booking is told by its appointment. */
export function mirroredKinds({ mirrors, bookings }: Config): readonly PlatformKind[] {
  const kinds = new Set(mirrors.map((mirror) => mirror.from));
  return [...(bookings.length === 0 ? kinds : kinds.add('appointment'))];
}
