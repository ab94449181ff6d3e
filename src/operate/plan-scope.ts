import { type Mirror, namedPlaces } from '../engine/domain/mirror.ts';
import type { PlanChange, PlanCount } from './plan-text.ts';

/** Selects the part of a plan that one word names: a mirror, a calendar, a tab, or a kind of object. */
export type Scope = (
  each: Pick<PlanCount, 'mirror' | 'place'> & Partial<Pick<PlanChange, 'from'>>,
) => boolean;

/** Undefined when the word names nothing in the YAML. */
export function scopeOf(word: string, mirrors: readonly Mirror[]): Scope | undefined {
  if (mirrors.some(({ name }) => name === word)) return ({ mirror }) => mirror === word;
  const kind = word.replace(/s$/, '');
  const ofKind = mirrors.filter(({ from }) => from === kind).map(({ name }) => name);
  if (ofKind.length > 0) return ({ mirror }) => ofKind.includes(mirror);
  const places = mirrors.flatMap(namedPlaces).filter(({ names }) => names.includes(word));
  if (places.length === 0) return undefined;
  const meant = places.map(({ place }) => place);
  return ({ place, from }) => meant.includes(place) || (from !== undefined && meant.includes(from));
}
