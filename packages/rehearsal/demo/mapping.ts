import { stringify } from 'yaml';
import { HOUSE } from './judge/company.ts';
import { OFFICE_SPREADSHEET, OFFICE_TAB, OFFICE_ZONE } from './office/appointments.ts';
import { INTAKE_TAB, INTAKE_ZONE } from './outside/rows.ts';

export interface MappingNames {
  readonly projectId: string;
  /** Resource name or id to its calendar; that of `caldav` has its address. */
  readonly calendars: ReadonlyMap<string, string>;
  /** Service name to the calendar of the team that provides it. */
  readonly teams: ReadonlyMap<string, string>;
  /** Resource name to the calendar of private events that take its time. */
  readonly privateCalendars: ReadonlyMap<string, string>;
  /** Name of the service that is held as a class. */
  readonly course: string;
  /** Name of the service whose appointments the office manages. */
  readonly kept: string;
  /** Name of the resource that has a feed. */
  readonly fed: string;
  readonly spreadsheetId: string;
  /** Calendars of people in which staff also make bookings. */
  readonly bookable: readonly string[];
  /** The account of the only calendar on a CalDAV server; its password is in the environment. Absent: all are Google's. */
  readonly caldav?: { readonly calendarId: string; readonly url: string; readonly user: string };
  /** The port that the worker listens on. */
  readonly port: number;
  readonly googleUrl: string;
}

/** The worker's Calendar quota in the demo. */
export const CALENDAR_CALLS_PER_MINUTE = 60_000;
export const FEED_EVERY_S = 2;
/** In the demo, the platform forms events within a second. */
const FEED_OVERLAP_S = 10;
export const FLUSH_EVERY_S = 2;
export const CHECK_EVERY_S = 15;
export const INTAKE_EVERY_S = 6;
const OFFICE_EVERY_S = 5;
const WATCH_EVERY_S = 5;
const BLOCKS_EVERY_S = 3;
const CALDAV_ACCOUNT = 'own-server';
export const BLOCK_SERVICE = 'Busy';
export const FEED = 'front';

/** The worker's configuration for the demo, as an operator would write it. Secrets stay in the environment. */
export function mappingYaml(names: MappingNames): string {
  const address = `http://127.0.0.1:${names.port}`;
  return `# The demo's mapping. The judge knows it by its meaning, in plain TypeScript, and reads none of this.
platform:
  base_url: \${PLATFORM_BASE_URL}
  api_key: \${PLATFORM_API_KEY}
  webhook:
    public_url: ${address}
    secrets: ["\${PLATFORM_WEBHOOK_SECRET}"]
    signature: timestamped
  feed: { every: ${FEED_EVERY_S}s, overlap: ${FEED_OVERLAP_S}s }
google:
  credentials: \${GOOGLE_APPLICATION_CREDENTIALS}
  accounts:
    office: { credentials: "\${GOOGLE_OFFICE_CREDENTIALS}" }
  calendar_root_url: ${names.googleUrl}/
  sheets_root_url: ${names.googleUrl}/
  token_url: ${names.googleUrl}/token
  # Google pings https addresses only: here every calendar is asked.
  watch: { every: ${WATCH_EVERY_S}s }
  quotas:
    # Raised here and in the sandbox, because a whole day is pressed into seconds. Google's own default is 600.
    calendar_per_minute: ${CALENDAR_CALLS_PER_MINUTE}
    # Google's real limits.
    sheets_reads_per_minute: 60
    sheets_writes_per_minute: 60
${caldavYaml(names)}redis:
  url: \${REDIS_URL}
http: { host: 127.0.0.1, port: ${names.port} }
console: { enabled: true }
worker: { flush_every: ${FLUSH_EVERY_S}s }
log: { level: info, format: json }
mirrors:
  staff-calendars:
    from: appointments
    where:
      project: ${names.projectId}
      status: [pending, confirmed, arrived, completed, no_show]
      since: 7d
    calendars:
      - by: resource
        map:
${indented(stringify(calendarLines(names)), 10)}
      # The calendar of a team: all appointments of one service.
      - by: service
        map:
${indented(stringify(Object.fromEntries(names.teams)), 10)}
    # All who come to one hour of it share an event.
    classes: { services: [${JSON.stringify(names.course)}], description: "{{ free }} free" }
    event:
      title: "{{ service_name }}, {{ customer_name | default: 'guest' }}{% if status == 'pending' %} (waiting list){% endif %}"
      description: |
        {{ starts_at | date: '%d.%m.%Y %H:%M' }}-{{ ends_at | date: '%H:%M' }}
        Phone: {{ customer_phone | default: 'none' }}
        {% if comment %}Note: {{ comment }}
        {% endif %}Price: {{ price }} {{ price_currency }}
        Booking {{ id }}
      location: "{{ branch_name }}"
      color: { pending: banana, arrived: sage, completed: graphite, no_show: tomato }
      cancelled: remove
    staff_edits: { moved: reschedule, deleted: restore, grace: 5s }
  contacts:
    from: contacts
    where: { lifecycle: [lead, mql, sql, customer], status: [active, blocked] }
    sheet: { spreadsheet: ${names.spreadsheetId}, check_every: ${CHECK_EVERY_S}s, tab: Contacts, timezone: Europe/Moscow, unmatched: clear, deleted: clear }
    columns:
      ID: "{{ id }}"
      Name: "{{ name }}"
      Phone: "{{ phone }}"
      E-mail: "{{ email }}"
      Lifecycle: "{{ lifecycle | upcase }}"
      Status: "{{ status }}"
      Since: "{{ created_at | date: '%Y-%m-%d' }}"
  # Here the office corrects names, and the platform follows.
  win-back:
    from: contacts
    where: { lifecycle: [churned], status: [active, blocked] }
    sheet: { spreadsheet: ${names.spreadsheetId}, check_every: ${CHECK_EVERY_S}s, tab: Win-back, edited: carry, edits_per_hour: 10000, answers: Answer, unmatched: clear, deleted: clear }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
  # Here the office moves appointments by a typed start, and cancels them by a tick.
  visits:
    from: appointments
    where: { project: ${names.projectId}, service: [${JSON.stringify(names.kept)}], since: 7d }
    sheet: { spreadsheet: ${OFFICE_SPREADSHEET}, account: office, check_every: ${OFFICE_EVERY_S}s, tab: ${OFFICE_TAB}, timezone: ${OFFICE_ZONE}, edited: carry, edits_per_hour: 10000, answers: Answer, cancel: Cancel }
    columns:
      ID: "{{ id }}"
      Start: { value: "{{ starts_at }}", as: datetime }
      Customer: "{{ customer_name }}"
      Phone: "{{ customer_phone }}"
      Status: "{{ status }}"
  leads:
    from: leads
    where: { project: ${names.projectId}, status: [queued, in_progress, completed, missed, scheduled, cancelled] }
    sheet: { spreadsheet: ${names.spreadsheetId}, check_every: ${CHECK_EVERY_S}s, tab: Leads, timezone: Europe/Moscow }
    columns:
      ID: "{{ id }}"
      Came: "{{ created_at | date: '%Y-%m-%d %H:%M' }}"
      Name: "{{ name }}"
      Phone: "{{ phone }}"
      # The platform sends no event for the step from queued to in_progress, so a row must not tell the two apart.
      Status: "{{ status | replace: 'queued', 'in_progress' }}"
      Seconds: "{{ call.duration_sec }}"
      Outcome: "{{ call.ai_outcome }}"
      Rating: "{{ rating }}"
      Handled: "{{ handled_at | date: '%Y-%m-%d %H:%M' }}"
  conversations:
    from: conversations
    where: { channel: [web, telegram] }
    sheet: { spreadsheet: ${names.spreadsheetId}, check_every: ${CHECK_EVERY_S}s, tab: Conversations, timezone: Europe/Moscow }
    columns:
      ID: "{{ id }}"
      Began: "{{ created_at | date: '%Y-%m-%d %H:%M' }}"
      Customer: "{{ customer_name }}"
      Channel: "{{ channel }}"
      Status: "{{ status }}"
      Messages: "{{ message_count }}"
      Last: "{{ last_message_at | date: '%Y-%m-%d %H:%M' }}"
      Closed: "{{ closed_reason }}"
  appointments:
    from: appointments
    where: { project: ${names.projectId}, since: 7d }
    sheet: { spreadsheet: ${names.spreadsheetId}, check_every: ${CHECK_EVERY_S}s, tab: Appointments }
    columns:
      ID: "{{ id }}"
      Date: "{{ starts_at | date: '%Y-%m-%d' }}"
      From: "{{ starts_at | date: '%H:%M' }}"
      To: "{{ ends_at | date: '%H:%M' }}"
      Status: "{{ status }}"
      Service: "{{ service_name }}"
      With: "{{ resource_names | join: ', ' }}"
      Branch: "{{ branch_name }}"
      Customer: "{{ customer_name }}"
      Phone: "{{ customer_phone }}"
      Guests: "{{ guests_count }}"
      Price: "{{ price }}"
      Comment: "{{ comment }}"
bookings:
  walk-ins:
    from: { calendar: ${JSON.stringify(names.bookable)} }
    when: { title: "#book *" }
    service: "{{ title | service }}"
    customer: { name: "Walk-in", phone: "{{ description | phone }}" }
    region: RU
    still_for: 2s
    refused_color: tomato
    staff_edits: { moved: reschedule, deleted: cancel, grace: 5s }
  front-desk:
    from: { spreadsheet: ${names.spreadsheetId}, tab: ${INTAKE_TAB}, timezone: ${INTAKE_ZONE}, every: ${INTAKE_EVERY_S}s, rows_per_hour: 10000 }
    columns:
      service: Service
      starts_at: Start
      resource: With
      name: Name
      phone: Phone
      ready: Ready
      cancel: Cancel
      id: Booking
      status: Status
      appointment: Appointment
    region: RU
blocks:
  private-time:
    service: ${BLOCK_SERVICE}
    contact: ${HOUSE}
    people:
${indented(stringify(Object.fromEntries(names.privateCalendars)), 6)}
    hours: { daily: "06:00-21:00" }
    every: ${BLOCKS_EVERY_S}s
feeds:
  ${FEED}:
    resource: ${JSON.stringify(names.fed)}
    where: { status: [pending, confirmed] }
    event: { title: "{{ service_name }}" }
`;
}

function caldavYaml({ caldav }: MappingNames): string {
  if (caldav === undefined) return '';
  return `caldav:
  accounts:
    ${CALDAV_ACCOUNT}: { url: ${caldav.url}, user: ${caldav.user}, password: "\${CALDAV_PASSWORD}" }
`;
}

function calendarLines({ calendars, caldav }: MappingNames) {
  const lines = [...calendars].map(([name, id]) => [
    name,
    id === caldav?.calendarId ? { id, account: CALDAV_ACCOUNT } : id,
  ]);
  return Object.fromEntries(lines);
}

function indented(text: string, by: number): string {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => ' '.repeat(by) + line)
    .join('\n');
}
