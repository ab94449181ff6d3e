// Compares a calendar feed, as a calendar program reads it, with the platform's appointments.
import { isBlock, texts, type Wire, wireText } from './company.ts';

/** The statuses that the mapping takes into the feed. */
const STATUSES = ['pending', 'confirmed'];
/** Appointments that began earlier have left the feed. */
const SINCE_MS = 24 * 3_600_000;
/** An appointment this close to leaving may be in the feed or not. */
const LEAVES_WITHIN_MS = 60_000;

/** Missing and unexpected entries in a resource's feed, by start, end and title. Empty when the feed is right. */
export function feedDifferences(
  file: string,
  given: { readonly appointments: readonly Wire[]; readonly resourceId: string; readonly nowMs: number },
): readonly string[] {
  const since = given.nowMs - SINCE_MS;
  const leaves = new Set<string>();
  const expected: string[] = [];
  for (const appointment of given.appointments) {
    const isIts = texts(appointment['resource_ids']).includes(given.resourceId);
    if (!isIts || isBlock(appointment) || !STATUSES.includes(wireText(appointment['status']))) continue;
    const startMs = Date.parse(wireText(appointment['starts_at']));
    const line = [
      compact(appointment['starts_at']),
      compact(appointment['ends_at']),
      wireText(appointment['service_name']),
    ].join(' ');
    if (Math.abs(startMs - since) < LEAVES_WITHIN_MS) leaves.add(line);
    else if (startMs > since) expected.push(line);
  }
  const found = entriesOf(file).filter((line) => !leaves.has(line));
  return [
    ...without(expected, found).map((line) => `missing ${line}`),
    ...without(found, expected).map((line) => `not expected ${line}`),
  ];
}

function entriesOf(file: string): string[] {
  const lines = file.replaceAll(/\r\n[ \t]/g, '').split('\r\n');
  const entries: string[] = [];
  let fields = new Map<string, string>();
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT') fields = new Map();
    else if (line === 'END:VEVENT') {
      // The entry of a feed without appointments occupies no time.
      if (fields.get('TRANSP') === 'TRANSPARENT') continue;
      entries.push(['DTSTART', 'DTEND', 'SUMMARY'].map((name) => fields.get(name) ?? '').join(' '));
    } else
      fields.set(
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).replaceAll(/\\(.)/g, '$1'),
      );
  }
  return entries;
}

/** `20260912T090000Z` */
function compact(instant: unknown): string {
  return `${new Date(wireText(instant)).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Removes from the first list one line for each equal line of the second. */
function without(lines: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return lines.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
