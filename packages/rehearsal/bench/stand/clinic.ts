// A clinic on the platform sandbox for the benches: many people, each with a calendar, and room for every appointment.

import { defaultAccount, type GoogleSandbox } from '@slotbridge/sandbox/google/sandbox';
import { everyDay } from '@slotbridge/sandbox/platform/dashboard/catalogue';
import { PlatformSandbox } from '@slotbridge/sandbox/platform/sandbox';

const HOUR_MS = 3_600_000;
const APPOINTMENT_MIN = 30;
const REQUESTS_PER_MINUTE = 1_000_000;

export interface Clinic {
  readonly platform: PlatformSandbox;
  readonly apiKey: string;
  readonly projectId: string;
  readonly people: readonly { readonly id: string; readonly calendarId: string }[];
  readonly contactId: string;
  /** Books the n-th appointment and returns its id. Each appointment has its own hour to be moved in. */
  book(index: number): string;
  /** Moves an appointment within its hour: to `tenMinutes` (0, 1 or 2) times ten minutes past the hour. */
  move(id: string, place: { readonly index: number; readonly tenMinutes: number }): void;
  /** Creates the webhook endpoint and returns its secret. */
  subscribe(address: string): Promise<string>;
}

export async function openClinic(google: GoogleSandbox, peopleCount: number): Promise<Clinic> {
  const platform = await PlatformSandbox.start({
    seed: 1,
    eventDelayMs: [0, 0],
    rateLimitPerMinute: REQUESTS_PER_MINUTE,
  });
  const { dashboard } = platform;
  const projectId = dashboard.createProject({ name: 'Clinic' });
  const branchId = dashboard.createBranch({
    projectId,
    name: 'Central',
    timezone: 'Europe/Moscow',
    schedule: everyDay('00:00', '24:00'),
  });
  const people = Array.from({ length: peopleCount }, (_, index) => ({
    id: dashboard.createResource({ branchId, name: `Person ${index + 1}` }),
    calendarId: `person-${index + 1}@clinic.example`,
  }));
  for (const { calendarId } of people) google.addCalendar(calendarId, { shareWith: [defaultAccount] });
  const serviceId = dashboard.createService({
    projectId,
    name: 'Haircut',
    durationMin: APPOINTMENT_MIN,
    resourceIds: people.map(({ id }) => id),
  });
  const contactId = dashboard.createContact({ projectId, name: 'Vera Orlova', phone: '+74950001101' });
  const firstHourMs = (Math.ceil(Date.now() / HOUR_MS) + 24) * HOUR_MS;
  const hourOf = (index: number) => firstHourMs + Math.floor(index / peopleCount) * HOUR_MS;
  const apiKey = platform.createKey();
  return {
    platform,
    apiKey,
    projectId,
    people,
    contactId,
    book: (index) =>
      dashboard.bookAs('lk', {
        serviceId,
        resourceId: people[index % peopleCount]?.id ?? '',
        startsAt: hourOf(index),
        customerName: 'Vera Orlova',
        customerPhone: '+74950001101',
      }),
    move: (id, { index, tenMinutes }) =>
      dashboard.reschedule(id, { startsAt: hourOf(index) + tenMinutes * 10 * 60_000 }),
    async subscribe(address) {
      const answer = await fetch(`${platform.url}/webhook_endpoints`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'idempotency-key': 'bench-endpoint',
        },
        body: JSON.stringify({ url: address, enabled_events: ['*'] }),
      });
      if (!answer.ok) throw new Error(`the sandbox refuses the endpoint: ${await answer.text()}`);
      return ((await answer.json()) as { secret: string }).secret;
    },
  };
}

/** The mapping of the clinic's calendars, as an operator would write it. */
export function calendarMirror(people: Clinic['people']): string {
  const lines = people.map(({ calendarId }, index) => `        Person ${index + 1}: ${calendarId}`);
  return `
mirrors:
  staff-calendars:
    from: appointments
    where: { since: 7d }
    calendars:
      map:
${lines.join('\n')}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "{{ customer_phone }}"
`;
}
