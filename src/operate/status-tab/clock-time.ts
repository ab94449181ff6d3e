import { localParts } from '../../engine/zones/parts.ts';
import type { Language } from '../../mapping/config.ts';

/** `24 November, 10:32`; in UTC, with that word, if the zone is unknown. */
export function clockTime(
  ms: number,
  { zone, language }: { readonly zone: string; readonly language: Language },
): string {
  const parts = localParts(ms, zone, {
    ...{ locale: language === 'ru' ? 'ru-RU' : 'en-GB', day: 'numeric', month: 'long' },
    ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  });
  if (parts === undefined) return zone === 'UTC' ? '' : `${clockTime(ms, { zone: 'UTC', language })} UTC`;
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${at('day')} ${at('month')}, ${at('hour')}:${at('minute')}`;
}
