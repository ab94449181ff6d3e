// Renders events as an iCalendar file (RFC 5545). Pure: the same events give the same bytes, whatever their order.
import type { KeptFeedEvent } from '../../domain/feed.ts';

/** Most octets of a line without its break (RFC 5545, 3.1). */
const LINE_OCTETS_MAX = 75;
/** How often a reader should look again (RFC 7986, 5.7, and its predecessor). */
const LOOK_AGAIN = 'PT15M';

export function icalendar(name: string, events: readonly KeptFeedEvent[]): string {
  const inOrder = events.toSorted((a, b) => compare(a.startsAt, b.startsAt) || compare(a.id, b.id));
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//slotbridge//feed//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `X-WR-CALNAME:${escapeText(name)}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${LOOK_AGAIN}`,
    `X-PUBLISHED-TTL:${LOOK_AGAIN}`,
    ...inOrder.flatMap(eventLines),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function eventLines(event: KeptFeedEvent): string[] {
  const stamp = utc(event.stampMs);
  return [
    'BEGIN:VEVENT',
    // The platform's id never changes, so a moved appointment stays the same event in every reader.
    `UID:${escapeText(event.id)}@slotbridge`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTART:${utc(Date.parse(event.startsAt))}`,
    `DTEND:${utc(Date.parse(event.endsAt))}`,
    `SUMMARY:${escapeText(event.title)}`,
    ...(event.description === undefined ? [] : [`DESCRIPTION:${escapeText(event.description)}`]),
    ...(event.location === undefined ? [] : [`LOCATION:${escapeText(event.location)}`]),
    `STATUS:${event.isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
    'TRANSP:OPAQUE',
    'END:VEVENT',
  ];
}

/** `20261103T090000Z`: an instant in UTC needs no time zone in the file. */
function utc(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

/** A content line must not contain control characters other than the tab (RFC 5545, 3.1). */
const CONTROLS = /[^\P{Cc}\n\t]/gu;

function escapeText(text: string): string {
  return text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n');
}

/** Folds by octets, and never within a character. A continuation begins with a space, which counts. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= LINE_OCTETS_MAX) return line;
  const parts: string[] = [];
  let part = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > LINE_OCTETS_MAX) {
      parts.push(part);
      part = ' ';
      octets = 1;
    }
    part += character;
    octets += size;
  }
  return [...parts, part].join('\r\n');
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
