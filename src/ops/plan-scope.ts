import { lineName, type Mirror } from '../domain/mirror.ts';
import { calendarPlace, sheetPlace } from '../domain/standing.ts';
import type { PlanChange, PlanCount } from './plan-text.ts';

/** What of a plan is meant by one word: everything of a mirror, a calendar, a tab, or a kind of object. */
export type Scope = (
  each: Pick<PlanCount, 'mirror' | 'place'> & Partial<Pick<PlanChange, 'from'>>,
) => boolean;

/** Undefined when the word names nothing of the YAML. */
export function scopeOf(word: string, mirrors: readonly Mirror[]): Scope | undefined {
  if (mirrors.some(({ name }) => name === word)) return ({ mirror }) => mirror === word;
  const kind = word.replace(/s$/, '');
  const ofKind = mirrors.filter(({ from }) => from === kind).map(({ name }) => name);
  if (ofKind.length > 0) return ({ mirror }) => ofKind.includes(mirror);
  const places = mirrors.flatMap(placesOf).filter(({ names }) => names.includes(word));
  if (places.length === 0) return undefined;
  const meant = places.map(({ place }) => place);
  return ({ place, from }) => meant.includes(place) || (from !== undefined && meant.includes(from));
}

/** Each place with the words that mean it. */
function placesOf(mirror: Mirror): readonly { readonly place: string; readonly names: readonly string[] }[] {
  if (mirror.kind === 'calendar') {
    return mirror.calendars.map((line) => {
      const { calendarId } = line;
      const place = calendarPlace(calendarId);
      return { place, names: [place, calendarId, lineName(line).name] };
    });
  }
  return [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])].map((tab) => {
    const place = sheetPlace(tab);
    return { place, names: [place, tab.tab, tab.spreadsheetId] };
  });
}
