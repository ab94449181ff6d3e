import { randomUUID } from 'node:crypto';
import type { Directory } from '../../engine/domain/directory.ts';
import { TerminalError } from '../../engine/domain/errors.ts';
import type { LiveFinding } from '../../engine/domain/live-finding.ts';
import { ofKind } from '../../engine/domain/mirror.ts';
import type { BookingSource } from '../../engine/domain/outside-booking.ts';
import { findNamed } from '../../engine/outside/names.ts';
import type { Config } from '../../mapping/config.ts';
import { carryingMirrors } from '../../mapping/needs.ts';
import type { PlatformClient } from '../../platform/client.ts';
import { findingOf } from './finding.ts';

type Names = ReadonlyMap<string, { readonly id: string; readonly projectId: string; readonly name: string }>;

/**
 * Checks what the entries of `bookings`, and tabs whose cells people may edit, need on the platform. That is the rights to write, and the
 * services, people and branches that they name.
 */
export async function checkBookingsLive(
  client: PlatformClient,
  { bookings, mirrors }: Pick<Config, 'bookings' | 'mirrors'>,
): Promise<readonly LiveFinding[]> {
  const carries = (from: 'contact' | 'appointment') =>
    carryingMirrors({ mirrors }).some((mirror) => mirror.from === from);
  const rights: Promise<LiveFinding>[] = [];
  if (bookings.length > 0 || carries('appointment')) rights.push(bookRight(client));
  if (carries('contact') || bookings.some(({ customer }) => customer.create))
    rights.push(contactRight(client));
  const named = bookings.length === 0 ? [] : await names(client, { bookings, mirrors });
  return [...(await Promise.all(rights)), ...named];
}

/**
 * Only a write shows the right to write. These requests lack required fields, so they create nothing: the platform answers 403 without the
 * right, and 422 with it (platform API, Authentication, Errors).
 */
export function bookRight({ appointments }: PlatformClient): Promise<LiveFinding> {
  const body = { service_id: '', starts_at: '', notify_customer: false };
  return askedToWrite('right to book (appointments:write)', () =>
    appointments.create({ body, idempotencyKey: `check-${randomUUID()}` }),
  );
}

function contactRight({ contacts }: PlatformClient): Promise<LiveFinding> {
  return askedToWrite('right to write contacts (contacts:write)', () =>
    contacts.create({ body: { name: '' }, idempotencyKey: `check-${randomUUID()}` }),
  );
}

async function askedToWrite(subject: string, ask: () => Promise<unknown>): Promise<LiveFinding> {
  const about = { side: 'platform', subject } as const;
  try {
    await ask();
    return { ...about, verdict: 'ok', detail: 'granted' };
  } catch (error) {
    if (error instanceof TerminalError && (error.status === 422 || error.status === 400))
      return { ...about, verdict: 'ok', detail: 'granted' };
    const finding = findingOf(about, error);
    return finding.verdict === 'broken' && finding.advice === undefined
      ? { ...finding, advice: NEW_KEY }
      : finding;
  }
}

const NEW_KEY = 'Rights are fixed when a key is created: create a new key.';

async function names(
  { reader }: PlatformClient,
  { bookings, mirrors }: Pick<Config, 'bookings' | 'mirrors'>,
): Promise<readonly LiveFinding[]> {
  try {
    const directory = await reader.directory();
    const lines = ofKind(mirrors, 'calendar').flatMap((mirror) => mirror.calendars);
    // With calendars of branches, services or everything, a resource needs no calendar of its own to be visible.
    const named = lines.every((line) => 'resource' in line) ? lines : [];
    const shown = new Set(
      named.map((line) =>
        'resource' in line ? idOf(findNamed(directory.resources, line.resource)) : undefined,
      ),
    );
    return bookings.flatMap((entry) => [
      ...namesOf(entry, directory),
      ...shownNowhere(entry, { directory, shown }),
    ]);
  } catch (error) {
    return [findingOf({ side: 'platform', subject: 'names in bookings' }, error)];
  }
}

/** Templates are skipped: a name that people write into an event or a cell is unknown until then. */
function namesOf(entry: BookingSource, directory: Directory): readonly LiveFinding[] {
  const asked: readonly (readonly [string, string | undefined, Names])[] = [
    ['service', entry.service, directory.services],
    ['resource', entry.resource, directory.resources],
    ['branch', entry.branch, directory.branches],
  ];
  return asked.flatMap(([what, text, things]): readonly LiveFinding[] => {
    if (text === undefined || text === '' || /\{[{%]/.test(text)) return [];
    const about = { side: 'platform', subject: `${what} ${text} of bookings.${entry.name}` } as const;
    const found = findNamed(things, text);
    if (typeof found !== 'string') return [{ ...about, verdict: 'ok', detail: 'known' }];
    const advice =
      found === 'unknown'
        ? `Correct the name, or check that the key covers its project. The platform lists only what is active.`
        : 'Write the id instead.';
    return [{ ...about, verdict: 'broken', detail: `${found} to the platform (${what}-${found})`, advice }];
  });
}

/**
 * A booking event for a resource without a calendar can never become the mirror of its appointment. An appointment booked by a row would be
 * visible in no calendar.
 */
function shownNowhere(
  entry: BookingSource,
  parts: { readonly directory: Directory; readonly shown: ReadonlySet<string | undefined> },
): readonly LiveFinding[] {
  const { resource, name } = entry;
  if (resource === undefined || parts.shown.size === 0) return [];
  const id = idOf(findNamed(parts.directory.resources, resource));
  if (id === undefined || parts.shown.has(id)) return [];
  return [
    {
      ...{ side: 'platform', subject: `calendar of ${resource} of bookings.${name}` },
      verdict: entry.kind === 'calendar' ? 'broken' : 'notice',
      detail: 'no mirror has a calendar for this resource: its appointments would appear in no calendar',
      advice: 'Map the resource to a calendar in a mirror, or name another one in the entry.',
    },
  ];
}

function idOf(found: { readonly id: string } | string): string | undefined {
  return typeof found === 'string' ? undefined : found.id;
}
