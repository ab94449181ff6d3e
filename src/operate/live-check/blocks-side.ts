import { randomUUID } from 'node:crypto';
import type { BlockRule, WeekHours } from '../../engine/block.ts';
import { TerminalError } from '../../engine/errors.ts';
import { findNamed } from '../../engine/extract-booking.ts';
import { findingOf, type LiveFinding } from '../../engine/finding.ts';
import { type Directory, ofKind, type Service, type ServiceLengths } from '../../engine/mirror.ts';
import type { BookingSource } from '../../engine/outside-booking.ts';
import type { Clock } from '../../engine/runtime.ts';
import type { BusyEventsApi } from '../../google/calendar-events.ts';
import type { Config } from '../../mapping/config.ts';
import { blockCalendars, carryingMirrors } from '../../mapping/needs.ts';
import type { PlatformClient } from '../../platform/client.ts';
import { isOfCredential } from './account-descriptions.ts';

const DAY_MS = 86_400_000;

/** Checks what `blocks` needs on the platform: the right to book, a rental service that all these people provide, and the house contact. */
export async function checkBlocksLive(
  client: PlatformClient,
  { blocks, bookings }: Pick<Config, 'blocks' | 'bookings'>,
  clock: Clock,
): Promise<readonly LiveFinding[]> {
  if (blocks.length === 0) return [];
  const rights = bookings.length === 0 ? [await bookRight(client)] : [];
  try {
    const directory = await client.reader.directory();
    const entries = await Promise.all(
      blocks.map((rule) => entryFindings(client, rule, { directory, clock })),
    );
    return [...rights, ...entries.flat()];
  } catch (error) {
    return [...rights, findingOf({ side: 'platform', subject: 'names in blocks' }, error)];
  }
}

/** Checks whether the worker may read a private calendar. It does not request titles. */
export async function privateCalendarFinding(
  calendarId: string,
  {
    busyEvents,
    clock,
    shareWith,
  }: { readonly busyEvents: BusyEventsApi; readonly clock: Clock; readonly shareWith: string },
): Promise<LiveFinding> {
  const about = { side: 'google', subject: `private calendar ${calendarId}` } as const;
  const fromMs = clock.now();
  try {
    await busyEvents.list(calendarId, { fromMs, untilMs: fromMs + DAY_MS }, { ruled: false });
    return { ...about, verdict: 'ok', detail: 'busy times can be read' };
  } catch (error) {
    if (isOfCredential(error)) throw error;
    const finding = findingOf(about, error);
    if (!/calendar-not-shared|calendar-forbidden/.test(finding.detail)) return finding;
    const advice = `Share ${calendarId} with ${shareWith}, "See only free/busy", or correct its id in blocks.`;
    return { ...finding, advice };
  }
}

/** Private calendars that are in no mirror. The others are checked as calendars that the worker writes to. */
export function privateCalendars(config: Config, mirrored: readonly string[]): readonly string[] {
  const known = new Set(mirrored.map((id) => id.toLowerCase()));
  return blockCalendars(config).filter((id) => !known.has(id.toLowerCase()));
}

async function entryFindings(
  client: PlatformClient,
  rule: BlockRule,
  about: { readonly directory: Directory; readonly clock: Clock },
): Promise<readonly LiveFinding[]> {
  const service = serviceFinding(rule, about.directory);
  return [
    service.finding,
    await contactFinding(client, rule, service.found?.projectId),
    ...(await Promise.all(
      rule.people.map(({ resource }) =>
        personFinding(client, rule, { ...about, resource, service: service.found }),
      ),
    )),
  ];
}

function serviceFinding(
  rule: BlockRule,
  { services }: Directory,
): { readonly finding: LiveFinding; readonly found?: Service } {
  const about = { side: 'platform', subject: `service ${rule.service} of blocks.${rule.name}` } as const;
  const found = findNamed(services, rule.service);
  const broken = (detail: string, advice: string) =>
    ({ finding: { ...about, verdict: 'broken', detail, advice } }) as const;
  if (typeof found === 'string') {
    const advice =
      found === 'unknown'
        ? 'Create a time-rental service, or correct the name. The platform lists only active services.'
        : 'Write the id instead.';
    return broken(`${found} to the platform (service-${found})`, advice);
  }
  const { lengths } = found;
  if (lengths === undefined)
    return broken(
      'is not a time-rental service (service-not-rental)',
      'Blocks need a service whose length is chosen when it is booked.',
    );
  const longestMin = longestOf(rule.hours);
  if (lengths.minMin > longestMin) {
    const detail = `its shortest length, ${lengths.minMin} min, is longer than the hours of any day (${longestMin} min)`;
    return broken(detail, 'Shorten the minimum of the service; 15 minutes fit most calendars.');
  }
  if (found.isOnline === true) {
    const detail = 'customers can book it online';
    const advice =
      'Remove the service from online booking; otherwise strangers can block the time of your staff.';
    return { finding: { ...about, verdict: 'notice', detail, advice }, found };
  }
  return { finding: { ...about, verdict: 'ok', detail: saidLengths(lengths) }, found };
}

function saidLengths({ minMin, maxMin, stepMin }: ServiceLengths): string {
  return `${minMin} to ${maxMin} min in steps of ${stepMin}`;
}

function longestOf(hours: WeekHours): number {
  const spans = Object.values(hours).flat();
  return Math.max(0, ...spans.map(([fromMin, toMin]) => toMin - fromMin));
}

async function contactFinding(
  { contacts }: PlatformClient,
  { contactId, name }: BlockRule,
  projectId: string | undefined,
): Promise<LiveFinding> {
  const about = { side: 'platform', subject: `contact of blocks.${name}` } as const;
  try {
    const contact = await contacts.get(contactId);
    if (contact === undefined || (projectId !== undefined && contact.project_id !== projectId)) {
      const detail = 'there is no such contact in the project of the service (contact-not-found)';
      const advice = 'Create a contact without phone and e-mail in that project, and write its id.';
      return { ...about, verdict: 'broken', detail, advice };
    }
    if (contact['phone'] === null && contact['email'] === null)
      return { ...about, verdict: 'ok', detail: 'known' };
    const advice = 'Use a contact that is not a real customer: one without phone and e-mail.';
    return { ...about, verdict: 'notice', detail: 'has a phone or an e-mail address', advice };
  } catch (error) {
    return findingOf(about, error);
  }
}

/**
 * Whether a resource provides a service is known only from a search for free times (platform API, GET /v1/slots, `resource-not-eligible`).
 */
async function personFinding(
  { slots }: PlatformClient,
  rule: BlockRule,
  {
    directory,
    clock,
    resource: name,
    service,
  }: {
    readonly directory: Directory;
    readonly clock: Clock;
    readonly resource: string;
    readonly service: Service | undefined;
  },
): Promise<LiveFinding> {
  const about = { side: 'platform', subject: `resource ${name} of blocks.${rule.name}` } as const;
  const found = findNamed(directory.resources, name, service?.projectId);
  if (typeof found === 'string') {
    const advice =
      found === 'unknown'
        ? 'Correct the name. The platform lists only active resources.'
        : 'Write the id instead.';
    return { ...about, verdict: 'broken', detail: `${found} to the platform (resource-${found})`, advice };
  }
  if (service === undefined) return { ...about, verdict: 'ok', detail: 'known' };
  const fromMs = clock.now();
  try {
    await slots({ serviceId: service.id, resourceId: found.id, fromMs, toMs: fromMs + DAY_MS });
    return { ...about, verdict: 'ok', detail: 'can be booked for the service' };
  } catch (error) {
    const finding = findingOf(about, error);
    if (!(error instanceof TerminalError)) return finding;
    return { ...finding, advice: `On the platform, let this resource serve ${service.name}.` };
  }
}

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
function bookRight({ appointments }: PlatformClient): Promise<LiveFinding> {
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
