/** The local date and time of a zone at an instant. */
export interface LocalTime {
  /** `2026-11-21` */
  readonly date: string;
  /** `21.11.2026` */
  readonly dottedDate: string;
  /** `09:30` */
  readonly time: string;
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Uses JavaScript's own Intl, not the library that the worker uses. */
export function judgedTime(instant: unknown, zone: string): LocalTime {
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(new Date(String(instant)))
      .map(({ type, value }) => [type, value]),
  );
  const { year, month, day, hour, minute } = parts;
  return {
    date: `${year}-${month}-${day}`,
    dottedDate: `${day}.${month}.${year}`,
    time: `${hour}:${minute}`,
  };
}

function clockOf(zone: string): Intl.DateTimeFormat {
  const known = clocks.get(zone);
  if (known !== undefined) return known;
  const clock = new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  clocks.set(zone, clock);
  return clock;
}
