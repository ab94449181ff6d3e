// Renders events as an iCalendar file (RFC 5545). Pure: the same events give the same bytes, whatever their order.
import type { KeptFeedEvent } from '../../engine/domain/feed.ts';
import { unbroken, withLineFeeds } from '../../engine/domain/text-lines.ts';

/** Most octets of a line without its break (RFC 5545, 3.1). */
const LINE_OCTETS_MAX = 75;
/** How often a reader should look again (RFC 7986, 5.7, and its predecessor). */
const LOOK_AGAIN = 'PT15M';

/** Whatever the feed is called, and however often it is read, the same entry. */
const EMPTY_FEED = {
  ...{ id: 'empty', sequence: 0, stampMs: Date.UTC(2000, 0, 1) },
  ...{ startsAt: '2000-01-01T00:00:00Z', endsAt: '2000-01-01T00:01:00Z', isTentative: false },
};

/**
 * A feed without appointments has one entry in the past that occupies no time. A calendar needs a component (RFC 5545, 3.6), and some
 * programs keep their last appointment when a feed becomes empty.
 */
export function icalendar(name: string, events: readonly KeptFeedEvent[]): string {
  const inOrder = events.toSorted((a, b) => compare(a.startsAt, b.startsAt) || compare(a.id, b.id));
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//slotbridge//feed//EN',
    'CALSCALE:GREGORIAN',
    ...textLine('X-WR-CALNAME', name),
    `REFRESH-INTERVAL;VALUE=DURATION:${LOOK_AGAIN}`,
    `X-PUBLISHED-TTL:${LOOK_AGAIN}`,
    ...inOrder.flatMap((event) => eventLines(event, 'OPAQUE')),
    ...(events.length === 0 ? eventLines({ ...EMPTY_FEED, title: name }, 'TRANSPARENT') : []),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function eventLines(event: KeptFeedEvent, transparency: 'OPAQUE' | 'TRANSPARENT'): string[] {
  const stamp = utc(event.stampMs);
  return [
    'BEGIN:VEVENT',
    // The platform's id never changes, so a moved appointment stays the same event in every reader.
    `UID:${escapeText(event.id)}@slotbridge`,
    // vdirsyncer looks neither at the UID nor at stamps: two appointments that look the same were one there.
    `X-SLOTBRIDGE-ID:${escapeText(event.id)}`,
    `DTSTAMP:${stamp}`,
    `LAST-MODIFIED:${stamp}`,
    `SEQUENCE:${event.sequence}`,
    `DTSTART:${utc(Date.parse(event.startsAt))}`,
    `DTEND:${utc(Date.parse(event.endsAt))}`,
    ...textLine('SUMMARY', event.title),
    ...textLine('DESCRIPTION', event.description),
    ...textLine('LOCATION', event.location),
    `STATUS:${event.isTentative ? 'TENTATIVE' : 'CONFIRMED'}`,
    `TRANSP:${transparency}`,
    'END:VEVENT',
  ];
}

/** `20261103T090000Z`: an instant in UTC needs no time zone in the file. */
function utc(atMs: number): string {
  return new Date(atMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
}

/** Readers complain about a property without a value. */
function textLine(name: string, text = ''): string[] {
  const isEmpty = unbroken(text).trim() === '';
  return isEmpty ? [] : [`${name}:${escapeText(text)}`];
}

/** RFC 5545, 3.3.11. Some readers split lines at any line break of Unicode, so no control character leaves the feed. */
function escapeText(text: string): string {
  return withLineFeeds(text)
    .split('\n')
    .map((line) => unbroken(line).replaceAll(/[\\;,]/g, (character) => `\\${character}`))
    .join('\\n');
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
