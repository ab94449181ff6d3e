import type { Settings } from './act.ts';
import { BOOK, BOOK_COLUMN, CALENDARS } from './names.ts';

/** How often the worker looks, in seconds: as short as the configuration allows. */
export const WATCH_EVERY_S = 5;
export const INTAKE_EVERY_S = 5;
export const CHECK_EVERY_S = 2;
export const STILL_FOR_S = 1;
export const GOOGLE_TIMEOUT_S = 3;

/** The YAML of every worker of a run. Two mirrors of appointments, so that events can be dragged from one into the other. */
export function mappingYaml(
  { edits, notify, team, carries = false, caldav = false }: Settings,
  at: {
    readonly platformUrl: string;
    readonly apiKey: string;
    readonly secret: string;
    readonly publicUrl: string;
    readonly googleUrl: string;
    readonly keyFile: string;
    /** The account of Galina's calendar, and its address; absent: the calendar is Google's. */
    readonly galina?: {
      readonly calendarId: string;
      readonly account: { readonly url: string; readonly user: string; readonly password: string };
    };
    /** The value of `redis`. */
    readonly redis: string;
    /** When the lists are due, epoch milliseconds: a whole minute. */
    readonly dueMs: number;
  },
): string {
  const staffEdits = `{ moved: ${edits.moved}, deleted: ${edits.deleted}, conflict: ${edits.conflict}, grace: ${edits.graceS}s, notify_customer: ${notify} }`;
  const event = `event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "Phone {{ customer_phone }}"
    staff_edits: ${staffEdits}`;
  const ofGalina =
    at.galina === undefined ? CALENDARS.galina : `{ id: "${at.galina.calendarId}", account: own-server }`;
  return `
platform:
  base_url: ${at.platformUrl}
  api_key: ${at.apiKey}
  timeout: ${GOOGLE_TIMEOUT_S}s
  webhook: { public_url: "${at.publicUrl}", secrets: ["${at.secret}"] }
  feed: { every: 1s, overlap: 30s }
  resync: { schedule: "${dailyAt(new Date(at.dueMs))}", timezone: Etc/UTC }
google:
  credentials: ${at.keyFile}
  calendar_root_url: ${at.googleUrl}/
  sheets_root_url: ${at.googleUrl}/
  token_url: ${at.googleUrl}/token
  timeout: ${GOOGLE_TIMEOUT_S}s
  watch: { every: ${WATCH_EVERY_S}s, settle: 100ms }
  quotas: { calendar_per_minute: 100000, sheets_reads_per_minute: 100000, sheets_writes_per_minute: 100000 }
${at.galina === undefined ? '' : `caldav: { timeout: ${GOOGLE_TIMEOUT_S}s, accounts: { own-server: ${JSON.stringify(at.galina.account)} } }`}
redis: ${at.redis}
http: { port: 0 }
worker: { flush_every: 50ms, shutdown: 4s }
log: { level: info, format: json }
mirrors:
  staff:
    from: appointments
    where: { since: 7d }
    calendars:
      - map: { Anna Petrova: ${CALENDARS.anna}, Boris Ivanov: ${CALENDARS.boris}, Room 1: ${CALENDARS.room} }${
        team && !team.isOwn
          ? `
      - ${teamLine(team)}`
          : ''
      }
    ${event}
  others:
    from: appointments
    where: { since: 7d }
    calendars: { map: { Vera Orlova: ${CALENDARS.vera}${caldav ? `, Galina Belova: ${ofGalina}` : ''} } }
    ${event}
${
  team?.isOwn
    ? `
  team:
    from: appointments
    where: { since: 7d }
    calendars: ${teamLine(team)}
    event:
      title: "{{ service_name }}, {{ customer_name }}"
      description: "Phone {{ customer_phone }}"
    staff_edits: { moved: ${team.moved}, deleted: restore, conflict: ${edits.conflict}, grace: ${edits.graceS}s, notify_customer: ${notify} }`
    : ''
}
  contacts:
    from: contacts
    sheet: { spreadsheet: ${BOOK}, tab: Contacts, check_every: ${CHECK_EVERY_S}s, deleted: clear${carries ? ', edited: carry, edits_per_hour: 10000, answers: Answer' : ''} }
    columns: { ID: "{{ id }}", Name: "{{ name }}", Phone: "{{ phone }}" }
  visits:
    from: appointments
    where: { since: 7d }
    sheet: { spreadsheet: ${BOOK}, tab: Visits, check_every: ${CHECK_EVERY_S}s${carries ? ', edited: carry, edits_per_hour: 10000, answers: Answer, cancel: Cancel, timezone: Europe/Moscow' : ''} }
    columns: { ID: "{{ id }}", Status: "{{ status }}", Start: ${carries ? '{ value: "{{ starts_at }}", as: datetime }' : `"{{ starts_at | date: '%Y-%m-%d %H:%M' }}"`}, Who: "{{ customer_name }}" }
bookings:
  walk-ins:
    from: { calendar: [${CALENDARS.anna}, ${CALENDARS.boris}, ${CALENDARS.vera}] }
    when: { title: "#book *" }
    service: "{{ title | service }}"
    customer: { name: "Walk-in", phone: "{{ description | phone }}" }
    region: RU
    still_for: ${STILL_FOR_S}s
    notify_customer: ${notify}
    staff_edits: ${staffEdits}
  front-desk:
    from: { spreadsheet: ${BOOK}, tab: Intake, timezone: Europe/Moscow, every: ${INTAKE_EVERY_S}s, rows_per_hour: 10000 }
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
      booked_at: ${BOOK_COLUMN}
    region: RU
    notify_customer: ${notify}
    staff_edits: { conflict: ${edits.conflict} }
`;
}

function dailyAt(due: Date): string {
  return `${due.getUTCMinutes()} ${due.getUTCHours()} * * *`;
}

function teamLine({ by, isBusy }: NonNullable<Settings['team']>): string {
  const calendar = `{ id: ${CALENDARS.team}, show: ${isBusy ? 'busy' : 'details'} }`;
  if (by === 'all') return `{ by: all, calendar: ${calendar} }`;
  return `{ by: ${by}, map: { ${by === 'branch' ? 'Central' : 'Massage'}: ${calendar} } }`;
}
