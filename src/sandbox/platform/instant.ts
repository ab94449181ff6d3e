/** Times on the wire: ISO 8601 in UTC going out, RFC 3339 with an offset coming in (platform API, general rule 5). */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/i;

export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/** ms since 1970, or undefined when the text is no RFC 3339 date-time with an offset, or names no real moment. */
export function parseInstant(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return undefined;
  // Date.parse turns 30 February into 2 March; the document wants a real date.
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}
