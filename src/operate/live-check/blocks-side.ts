import type { BlockRule, WeekHours } from '../../engine/domain/block.ts';
import type { Directory, Service, ServiceLengths } from '../../engine/domain/directory.ts';
import { TerminalError } from '../../engine/domain/errors.ts';
import type { LiveFinding } from '../../engine/domain/live-finding.ts';
import { findNamed } from '../../engine/outside/names.ts';
import type { BusyCalendars } from '../../engine/ports/blocks.ts';
import type { Clock } from '../../engine/ports/runtime.ts';
import type { Config } from '../../mapping/config.ts';
import { blockCalendars } from '../../mapping/needs.ts';
import type { PlatformClient } from '../../platform/client.ts';
import { bookRight } from './bookings-side.ts';
import { findingOf, isOfCredential } from './finding.ts';

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
  }: { readonly busyEvents: BusyCalendars; readonly clock: Clock; readonly shareWith: string },
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
  const [from, to] = [clock.now(), clock.now() + DAY_MS].map((ms) => new Date(ms).toISOString());
  try {
    await slots.find({ service_id: service.id, resource_id: found.id, from: from ?? '', to: to ?? '' });
    return { ...about, verdict: 'ok', detail: 'can be booked for the service' };
  } catch (error) {
    const finding = findingOf(about, error);
    if (!(error instanceof TerminalError)) return finding;
    return { ...finding, advice: `On the platform, let this resource serve ${service.name}.` };
  }
}
