/** `Mon 6 May 2030, 10:00`, in the zone's local time; returns the text unchanged if it is not a time or the zone is unknown. */
export function localTime(iso: string, zone: string): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return iso;
  try {
    const format = new Intl.DateTimeFormat('en-GB', {
      ...{ timeZone: zone, weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
      ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
    });
    const parts = new Map(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
    return `${at('weekday')} ${at('day')} ${at('month')} ${at('year')}, ${at('hour')}:${at('minute')}`;
  } catch {
    return iso;
  }
}
