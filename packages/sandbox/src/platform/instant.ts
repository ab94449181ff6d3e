/** Times on the wire: ISO 8601 in UTC outgoing, RFC 3339 with an offset incoming (platform API, general rule 5). */
const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/i;

export function utc(ms: number): string {
  return new Date(ms).toISOString();
}

/** ms since 1970; undefined for a text that is not an RFC 3339 date-time with an offset, or not a real moment. */
export function parseInstant(text: string): number | undefined {
  const parts = RFC_3339.exec(text);
  if (!parts) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zoneHour = 0, zoneMinute = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 23 || zoneMinute > 59) return undefined;
  // Date.parse turns 30 February into 2 March; the document requires a real date.
  if (month < 1 || month > 12 || day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate())
    return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}
