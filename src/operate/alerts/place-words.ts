// Names a calendar or spreadsheet as the mapping does: by its mirror and its tabs. The owner knows those, and they name no person.

import { calendarIdsOf, type Mirror } from '../../engine/domain/mirror.ts';
import type { Config } from '../../mapping/config.ts';
import type { AlertWords } from '../codes/alert-words.ts';

/** Undefined for a target that is no place of the mapping. */
export type PlaceWords = (target: string, words: AlertWords) => string | undefined;

export function placeWords({ mirrors, bookings }: Pick<Config, 'mirrors' | 'bookings'>): PlaceWords {
  const calendars = new Map<string, (places: AlertWords['places']) => string>();
  const tabs = new Map<string, string[]>();
  const mirrored = new Map<string, string>();
  const noteTab = (spreadsheetId: string, tab: string) =>
    tabs.set(spreadsheetId, [...(tabs.get(spreadsheetId) ?? []), tab]);
  for (const booking of bookings) {
    if (booking.kind === 'sheet') noteTab(booking.spreadsheetId, booking.tab);
    else
      for (const { calendarId } of booking.calendars)
        calendars.set(calendarId, (places) => places.calendarOfBookings(booking.name));
  }
  for (const mirror of mirrors) {
    if (mirror.kind === 'calendar')
      for (const id of calendarIdsOf(mirror))
        calendars.set(id, (places) => places.calendarOfMirror(mirror.name));
    else for (const { spreadsheetId, tab } of tabsOf(mirror)) noteTab(spreadsheetId, tab);
    if (mirror.kind === 'sheet') mirrored.set(mirror.name, mirror.tab);
  }
  return (target, { places }) => {
    const at = target.indexOf(':');
    const [kind, name] = [target.slice(0, at), target.slice(at + 1)];
    if (kind === 'calendar') return calendars.get(name)?.(places);
    const tab = kind === 'tab' ? mirrored.get(name) : undefined;
    if (tab !== undefined) return places.tab(tab);
    const known = kind === 'spreadsheet' ? tabs.get(name.split('/')[0] ?? '') : undefined;
    return known && places.spreadsheet([...new Set(known)]);
  };
}

function tabsOf(mirror: Extract<Mirror, { readonly kind: 'sheet' }>) {
  return [mirror, ...(mirror.archive === undefined ? [] : [mirror.archive])];
}
