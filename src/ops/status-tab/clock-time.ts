import type { Language } from '../../config/config.ts';

/** `24 November, 10:32`. */
export function clockTime(
  ms: number,
  { zone, language }: { readonly zone: string; readonly language: Language },
): string {
  const format = new Intl.DateTimeFormat(language === 'ru' ? 'ru-RU' : 'en-GB', {
    ...{
      timeZone: zone,
      day: 'numeric',
      month: 'long',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    },
  });
  const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  return `${at('day')} ${at('month')}, ${at('hour')}:${at('minute')}`;
}
