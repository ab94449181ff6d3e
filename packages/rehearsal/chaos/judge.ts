// The verdict over a run: what stands in the end against the platform's truth and what people did. It knows the mapping by its meaning
// and nothing of the worker. Everything it says cites the promise that was broken.
import type { Settings } from './act.ts';
import { type Cell, type Ledger, pictureOf, type Subject, type Wire } from './ledger.ts';
import { BOOK_COLUMN, CALENDARS, type CompanyIds, INTAKE_HEADERS, PEOPLES_COLUMNS } from './names.ts';

export interface Observed {
  readonly appointments: readonly Wire[];
  readonly contacts: readonly Wire[];
  /** Mails of the platform to customers. */
  readonly mails: readonly { readonly appointmentId: string; readonly reason: string }[];
  /** Mails of Google caused by calls of the API. */
  readonly googleMails: number;
  /** Live events by calendar id. */
  readonly calendars: ReadonlyMap<string, readonly Wire[]>;
  readonly tabs: ReadonlyMap<string, readonly (readonly Cell[])[]>;
  readonly deadLetters: readonly { readonly key: string; readonly codes: readonly string[] }[];
  /** Why no worker came to rest; empty when one did. */
  readonly notIdle: readonly string[];
  /** Workers that ended by themselves. */
  readonly crashes: readonly string[];
}

export type Kind =
  | 'wrong-cancellation'
  | 'wrong-move'
  | 'wrong-contact'
  | 'double-appointment'
  | 'unasked-appointment'
  | 'stranger'
  | 'mail'
  | 'unanswered'
  | 'false-answer'
  | 'ignored-wish'
  | 'missing-event'
  | 'double-event'
  | 'stale-event'
  | 'stray-event'
  | 'missing-row'
  | 'double-row'
  | 'stale-row'
  | 'stray-row'
  | 'peoples'
  | 'dead-letter'
  /** Found by the audit where the judge finds nothing wrong. */
  | 'false-finding'
  | 'missed-schedule'
  | 'not-idle'
  | 'crash';

export interface Violation {
  readonly kind: Kind;
  readonly promise: string;
  /** Whose booking, or which place. */
  readonly subject: string;
  readonly text: string;
}

/** What cannot be mended by waiting: it is wrong at the moment at which it is seen. */
export const FINAL: ReadonlySet<Kind> = new Set([
  ...(['wrong-cancellation', 'wrong-move', 'wrong-contact', 'double-appointment'] as const),
  ...(['unasked-appointment', 'stranger', 'mail', 'peoples', 'crash'] as const),
  'missed-schedule',
]);

export interface Case {
  readonly observed: Observed;
  readonly ledger: Ledger;
  readonly settings: Settings;
  readonly company: CompanyIds;
}

export function judge(about: Case): Violation[] {
  const found: Violation[] = [];
  const say = (kind: Kind, subject: string, said: string) =>
    found.push({ kind, promise: PROMISES[kind], subject, text: said });
  const court: Court = { ...about, ...indexed(about), say };
  judgeAppointments(court);
  judgeContacts(court);
  judgeMails(court);
  judgeAnswers(court);
  judgeEvents(court);
  judgePeoples(court);
  judgeMirrorRows(court);
  judgeWork(court);
  return found;
}

export const PROMISES: Readonly<Record<Kind, string>> = {
  'wrong-cancellation': 'P7',
  'wrong-move': 'P7',
  'wrong-contact': 'P7',
  'double-appointment': 'P2',
  'unasked-appointment': 'P9',
  stranger: 'P9',
  mail: 'P5',
  unanswered: 'P4',
  'false-answer': 'P4',
  'ignored-wish': 'P1',
  'missing-event': 'P1',
  'double-event': 'P2',
  'stale-event': 'P3',
  'stray-event': 'P1',
  'missing-row': 'P1',
  'double-row': 'P2',
  'stale-row': 'P3',
  'stray-row': 'P1',
  peoples: 'P6',
  'dead-letter': 'P1',
  'false-finding': 'P8',
  'missed-schedule': 'P1',
  'not-idle': 'P8',
  crash: 'P1',
};

interface Court extends Case {
  readonly say: (kind: Kind, subject: string, text: string) => void;
  /** Appointments of each subject, cancelled ones among them. */
  readonly appointmentsOf: ReadonlyMap<string, readonly Wire[]>;
  readonly subjectOf: ReadonlyMap<string, Subject>;
}

function indexed({ observed, ledger }: Case): Pick<Court, 'appointmentsOf' | 'subjectOf'> {
  const phones = new Map(observed.contacts.map((each) => [text(each['id']), text(each['phone'])]));
  const byPhone = new Map<string, Subject>();
  const byId = new Map<string, Subject>();
  for (const subject of ledger.subjects.values()) {
    if (subject.appointmentId === undefined) byPhone.set(subject.phone, subject);
    else byId.set(subject.appointmentId, subject);
  }
  const appointmentsOf = new Map<string, Wire[]>();
  const subjectOf = new Map<string, Subject>();
  for (const appointment of observed.appointments) {
    const phone = text(appointment['customer_phone']) || (phones.get(text(appointment['contact_id'])) ?? '');
    const subject = byId.get(text(appointment['id'])) ?? byPhone.get(phone);
    // A stranger may know the number of a customer, but asks for an hour that is nobody else's.
    if (subject === undefined || strangerOf(appointment, ledger) !== undefined) continue;
    subjectOf.set(text(appointment['id']), subject);
    appointmentsOf.set(subject.name, [...(appointmentsOf.get(subject.name) ?? []), appointment]);
  }
  return { appointmentsOf, subjectOf };
}

function strangerOf(appointment: Wire, { strangers }: Ledger): string | undefined {
  return [...strangers].find(
    ([, start]) => Date.parse(start) === Date.parse(text(appointment['starts_at'])),
  )?.[0];
}

/** Nothing moved, cancelled or booked that nobody has moved, cancelled or booked. */
function judgeAppointments({ observed, ledger, company, appointmentsOf, subjectOf, say }: Court): void {
  for (const appointment of observed.appointments) {
    const id = text(appointment['id']);
    if (subjectOf.has(id)) continue;
    const stranger = strangerOf(appointment, ledger);
    if (stranger === undefined) say('unasked-appointment', id, 'nobody has asked for this appointment');
    else say('stranger', stranger, `the invitation became the appointment ${id}`);
  }
  const sights = [
    ...ledger.sights,
    ...observed.appointments.map((each) => ({
      id: text(each['id']),
      start: text(each['starts_at']),
      resource: text(each['resource_id']),
      status: text(each['status']),
      cancelledBy: text(each['cancelled_by']),
    })),
  ];
  const told = new Set<string>();
  const once = (kind: Kind, subject: Subject, said: string) => {
    if (!told.has(`${kind} ${subject.name} ${said}`)) say(kind, subject.name, said);
    told.add(`${kind} ${subject.name} ${said}`);
  };
  for (const sight of sights) {
    const subject = subjectOf.get(sight.id);
    if (subject === undefined) continue;
    const starts = subject.wishes.flatMap(({ start }) => (start === undefined ? [] : [Date.parse(start)]));
    const resources = subject.wishes.flatMap(({ resource }) => (resource === undefined ? [] : [resource]));
    if (!starts.includes(Date.parse(sight.start)))
      once('wrong-move', subject, `${sight.id} stood at ${sight.start}, which nobody wished for it`);
    if (!resources.includes(sight.resource))
      once(
        'wrong-move',
        subject,
        `${sight.id} was given to ${company.names.get(sight.resource) ?? sight.resource}, which nobody wished`,
      );
    if (sight.status !== 'cancelled') continue;
    const hands = subject.cancels.filter((by) => by !== 'platform');
    const isByWorker = sight.cancelledBy === 'api';
    if (isByWorker && hands.length === 0)
      once(
        'wrong-cancellation',
        subject,
        `${sight.id} was cancelled by the worker, and nobody has asked for that`,
      );
    if (!isByWorker && !subject.cancels.includes('platform'))
      once(
        'wrong-cancellation',
        subject,
        `${sight.id} was cancelled (${sight.cancelledBy}), and nobody has done that`,
      );
  }
  for (const subject of ledger.subjects.values()) {
    const all = appointmentsOf.get(subject.name) ?? [];
    const live = all.filter(isLive);
    // A row that changes after its appointment was cancelled is a new wish.
    const allMax = subject.origin === 'row' ? 1 + subject.cancels.length : 1;
    if (live.length > 1 || all.length > allMax)
      say('double-appointment', subject.name, `${all.length} appointments, ${live.length} of them live`);
  }
}

/** No contact has a name or phone that nobody has given it. */
function judgeContacts({ observed, ledger, say }: Court): void {
  for (const contact of observed.contacts) {
    const id = text(contact['id']);
    for (const field of ['name', 'phone'])
      if (ledger.cells.get(id)?.has(text(contact[field])) === false)
        say('wrong-contact', id, `has the ${field} "${text(contact[field])}", which nobody has asked for`);
  }
}

/** The platform and Google mail nobody, unless the mapping says so. */
function judgeMails({ observed, settings, subjectOf, say }: Court): void {
  if (observed.googleMails > 0) say('mail', 'google', `${observed.googleMails} mails to guests`);
  const counted = new Map<string, number>();
  for (const { appointmentId, reason } of observed.mails) {
    const key = `${appointmentId} ${reason}`;
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  for (const [key, count] of counted) {
    const [id = '', reason = ''] = key.split(' ');
    const subject = subjectOf.get(id);
    const max = subject === undefined || !settings.notify ? 0 : mailsMax(subject, reason);
    if (count > max)
      say('mail', subject?.name ?? id, `${count} mails "${reason}", at most ${max} were asked for`);
  }
}

function mailsMax(subject: Subject, reason: string): number {
  const hands = subject.wishes.slice(1).filter(({ by }) => by !== 'platform').length;
  const cancels = subject.cancels.filter((by) => by !== 'platform').length;
  switch (reason) {
    case 'created':
      return subject.origin === 'platform' ? 0 : 1 + (subject.origin === 'row' ? subject.cancels.length : 0);
    case 'rescheduled':
      // A move of the platform's may be put back to what staff wished, if the mapping says that staff wins.
      return hands * 2;
    case 'cancelled':
      return cancels;
    default:
      return 0;
  }
}

/** Every wish made outside has its appointment, or a word where it was made; and the word is true. */
function judgeAnswers(court: Court): void {
  for (const subject of court.ledger.subjects.values()) {
    const live = (court.appointmentsOf.get(subject.name) ?? []).filter(isLive);
    judgeOutcome(court, subject, live);
    if (subject.origin === 'row' && !subject.isRowGone) judgeRow(court, subject, live);
  }
  judgeTrueRows(court);
}

function judgeOutcome(court: Court, subject: Subject, live: readonly Wire[]): void {
  const { say, settings, ledger } = court;
  if (subject.isHalfTyped) {
    if (live.length > 0) say('unasked-appointment', subject.name, 'nobody has finished typing it');
    return;
  }
  if (live.length === 0) {
    if (subject.origin === 'platform' || subject.isTakenBack || subject.cancels.length > 0) return;
    if (subject.origin === 'calendar' && isOutOfReach(court, subject)) return;
    if (subject.isClash || subject.isMuddled) {
      if (!isAnswered(court, subject))
        say('unanswered', subject.name, 'neither an appointment nor a refusal');
    } else
      say('unanswered', subject.name, `not booked, and nothing stood in its way: ${wordOf(court, subject)}`);
    return;
  }
  if (subject.isTicked && subject.wishes.at(-1)?.by !== 'row' && !subject.isMuddled && !subject.isRowGone)
    say('ignored-wish', subject.name, 'its cancel cell is ticked, and the appointment stands');
  if (isUnheard(court, subject, live))
    say('ignored-wish', subject.name, 'what the office did in its row was neither done nor answered');
  const moves = subject.wishes.slice(1);
  const last = moves.at(-1);
  const isPlain = moves.every(({ by }) => by === 'calendar') && subject.cancels.length === 0;
  if (last === undefined || !isPlain || ledger.isRedisLost || settings.edits.moved !== 'reschedule') return;
  if (subject.isTakenBack || subject.isDragLost || isRefused(court, subject)) return;
  const start = moves.findLast((wish) => wish.start !== undefined)?.start;
  if (start !== undefined && Date.parse(text(live[0]?.['starts_at'])) !== Date.parse(start))
    say(
      'ignored-wish',
      subject.name,
      `was dragged to ${start} and stands at ${text(live[0]?.['starts_at'])}`,
    );
}

/** The last thing that anybody did to it was done in its row of the tab Visits, and neither the platform nor the row tells of it. */
function isUnheard({ observed, ledger }: Court, subject: Subject, [live]: readonly Wire[]): boolean {
  const id = text(live?.['id']);
  const [, ...wishes] = subject.wishes;
  const isOffices =
    subject.origin !== 'row' &&
    [...wishes, ...subject.cancels.map((by) => ({ by }))].every(({ by }) => by === 'row');
  if (!isOffices || ledger.isRedisLost || ledger.isTorn || ledger.goneLines.has(id)) return false;
  const isMoved = wishes.some(
    ({ start = '' }) => Date.parse(start) === Date.parse(text(live?.['starts_at'])),
  );
  if (subject.cancels.length === 0 && (wishes.length === 0 || isMoved)) return false;
  const [headers = [], ...rows] = observed.tabs.get('Visits') ?? [];
  return text(rows.find((row) => text(row[0]) === id)?.[headers.indexOf('Answer')]) === '';
}

/** Where nobody books. */
const OUT_OF_REACH: ReadonlySet<string> = new Set([CALENDARS.room, CALENDARS.team]);

/** Before it was booked, its event was dragged to where nobody can book: there it asks for nothing. */
function isOutOfReach({ observed }: Court, subject: Subject): boolean {
  const calendars = [...observed.calendars.entries()].filter(([, events]) =>
    events.some(({ id }) => text(id) === subject.eventId),
  );
  return calendars.length > 0 && calendars.every(([calendarId]) => OUT_OF_REACH.has(calendarId));
}

function eventsOf({ observed, appointmentsOf }: Court, subject: Subject): readonly Wire[] {
  const stems = (appointmentsOf.get(subject.name) ?? []).map((each) => stemOf(text(each['id'])));
  return [...observed.calendars.values()]
    .flat()
    .filter(({ id }) => text(id) === subject.eventId || stems.some((stem) => text(id).includes(stem)));
}

/** What the worker says in an event stands below such a line. */
const SAID = /─{6}/;

function isRefused(court: Court, subject: Subject): boolean {
  return eventsOf(court, subject).some((event) => SAID.test(text(event['description'])));
}

function isAnswered(court: Court, subject: Subject): boolean {
  return subject.origin === 'row' ? wordOf(court, subject) !== '' : isRefused(court, subject);
}

function wordOf(court: Court, subject: Subject): string {
  if (subject.origin !== 'row')
    return isRefused(court, subject) ? 'a refusal in the event' : 'no word in the event';
  return rowsOf(court, subject)
    .map((row) => text(row[COLUMN.status]))
    .join(' / ');
}

const COLUMN = {
  name: INTAKE_HEADERS.indexOf('Name'),
  phone: INTAKE_HEADERS.indexOf('Phone'),
  ready: INTAKE_HEADERS.indexOf('Ready'),
  status: INTAKE_HEADERS.indexOf('Status'),
  appointment: INTAKE_HEADERS.indexOf('Appointment'),
  bookedFor: INTAKE_HEADERS.indexOf(BOOK_COLUMN),
} as const;

function intakeRows({ observed }: Court): readonly (readonly Cell[])[] {
  return (observed.tabs.get('Intake') ?? []).slice(1).filter((row) => text(row[COLUMN.phone]) !== '');
}

function rowsOf(court: Court, { phone }: Subject): readonly (readonly Cell[])[] {
  return intakeRows(court).filter((row) => digits(row[COLUMN.phone]) === phone.slice(2));
}

const ASKS = /copy|which of these rows|is this row a new booking|for another customer/i;

/** The row of a live appointment says so, once. */
function judgeRow(court: Court, subject: Subject, live: readonly Wire[]): void {
  const { say } = court;
  const rows = rowsOf(court, subject);
  if (subject.isHalfTyped || rows.length === 0) return;
  const id = text(live[0]?.['id']);
  // A row that asks a person shows what stood in it.
  if (rows.some((row) => ASKS.test(text(row[COLUMN.status])))) return;
  const bearing = rows.filter((row) => text(row[COLUMN.appointment]) === id);
  if (live.length === 1 && bearing.length === 0)
    say('false-answer', subject.name, `${id} is booked, and its row says "${wordOf(court, subject)}"`);
  if (live.length === 1 && bearing.length > 1)
    say('double-row', subject.name, `${bearing.length} rows bear ${id}`);
  const shown = bearing[0]?.[COLUMN.bookedFor];
  if (live.length === 1 && bearing.length === 1 && !isSerialOf(shown, text(live[0]?.['starts_at'])))
    say(
      'false-answer',
      subject.name,
      `its row says ${shown} of an appointment at ${text(live[0]?.['starts_at'])}`,
    );
}

/** No row speaks of an appointment that is not its own. */
function judgeTrueRows(court: Court): void {
  const subjects = new Map([...court.ledger.subjects.values()].map((each) => [each.phone, each]));
  for (const row of intakeRows(court)) {
    const subject = subjects.get(`+7${digits(row[COLUMN.phone])}`);
    if (subject === undefined) continue;
    const own = (court.appointmentsOf.get(subject.name) ?? []).filter(isLive).map((each) => text(each['id']));
    const borne = text(row[COLUMN.appointment]);
    const all = (court.appointmentsOf.get(subject.name) ?? []).map((each) => text(each['id']));
    if (/^Booked/.test(text(row[COLUMN.status])) && !own.includes(borne))
      court.say('false-answer', subject.name, `its row says "Booked." of ${borne || 'no appointment'}`);
    // What a copy was copied with stays in it, and it says that it is a copy, or asks.
    else if (borne !== '' && !all.includes(borne) && !ASKS.test(text(row[COLUMN.status])))
      court.say('false-answer', subject.name, `its row bears the appointment ${borne} of somebody else`);
  }
}

/** A calendar in which appointments have to stand. */
interface Board {
  readonly calendarId: string;
  readonly where: string;
  readonly isShown: (appointment: Wire) => boolean;
  /** Whether people's own event, by which it was booked, may be the one that stands there. */
  readonly isMain: (appointment: Wire) => boolean;
  readonly isBusy: boolean;
}

function boardsOf({ company, settings: { team } }: Court): readonly Board[] {
  const ofResources = [...company.calendars].map(([resourceId, calendarId]) => ({
    ...{ calendarId, where: company.names.get(resourceId) ?? calendarId, isBusy: false },
    isShown: (appointment: Wire) => texts(appointment['resource_ids']).includes(resourceId),
    isMain: (appointment: Wire) => text(appointment['resource_id']) === resourceId,
  }));
  const ofTeam = {
    ...{ calendarId: CALENDARS.team, where: 'the team', isBusy: team?.isBusy === true, isMain: () => false },
    isShown: (appointment: Wire) =>
      team !== undefined && (team.by !== 'service' || text(appointment['service_name']) === 'Massage'),
  };
  return [...ofResources, ofTeam];
}

/** One event for each live appointment and calendar, as the mapping says; and no others of the worker's. */
function judgeEvents(court: Court): void {
  const { observed, ledger, subjectOf, appointmentsOf, say } = court;
  const peoples = new Set(ledger.peoples.map(({ calendarId, eventId }) => `${calendarId} ${eventId}`));
  const pending = new Set(
    [...ledger.subjects.values()].flatMap((subject) => {
      const isBooked = (appointmentsOf.get(subject.name) ?? []).some(isLive);
      return subject.eventId === undefined || isBooked ? [] : [subject.eventId];
    }),
  );
  for (const { calendarId, where, isShown, isMain, isBusy } of boardsOf(court)) {
    const events = (observed.calendars.get(calendarId) ?? []).filter(
      ({ id }) => !peoples.has(`${calendarId} ${text(id)}`),
    );
    const claimed = new Set<Wire>();
    for (const appointment of observed.appointments) {
      if (!isLive(appointment) || !isShown(appointment)) continue;
      if (strangerOf(appointment, ledger) !== undefined) continue;
      const id = text(appointment['id']);
      const subject = subjectOf.get(id);
      const name = subject?.name ?? id;
      const own = events.filter(
        (event) =>
          text(event['id']).includes(stemOf(id)) ||
          (isMain(appointment) && text(event['id']) === subject?.eventId),
      );
      for (const event of own) claimed.add(event);
      if (own.length === 0) say('missing-event', name, `${id} has no event with ${where}`);
      if (own.length > 1) say('double-event', name, `${id} has ${own.length} events with ${where}`);
      const wrong = own.length === 1 && own[0] !== undefined ? staleIn(own[0], appointment, isBusy) : '';
      if (wrong !== '') say('stale-event', name, `${id} with ${where}: ${wrong}`);
    }
    for (const event of events) {
      const id = text(event['id']);
      if (claimed.has(event) || pending.has(id)) continue;
      const owner = [...ledger.subjects.values()].find(
        (subject) =>
          subject.eventId === id ||
          (appointmentsOf.get(subject.name) ?? []).some((each) => id.includes(stemOf(text(each['id'])))),
      );
      if (owner !== undefined && isPeoplesTwin(owner, event, calendarId)) continue;
      say('stray-event', owner?.name ?? id, `${id} should not stand with ${where}`);
    }
  }
}

/**
 * People dragged it to the room, or the team, before it was booked, where nobody can book, and brought it back at home from the bin: two events of one
 * id. The one at home was booked. The other was never the worker's, and an id alone proves nothing: it has to stay.
 */
function isPeoplesTwin({ eventId, isRestored }: Subject, event: Wire, calendarId: string): boolean {
  const isUntouched = text(event['summary']).startsWith('#book ') && !SAID.test(text(event['description']));
  return isRestored && isUntouched && OUT_OF_REACH.has(calendarId) && text(event['id']) === eventId;
}

function staleIn(event: Wire, appointment: Wire, isBusy: boolean): string {
  const at = (side: string) => Date.parse(text((event[side] as Wire | undefined)?.['dateTime']));
  const [title, about] = isBusy
    ? ['Busy', '']
    : [
        `${text(appointment['service_name'])}, ${text(appointment['customer_name'])}`,
        `Phone ${text(appointment['customer_phone'])}`,
      ];
  if (at('start') !== Date.parse(text(appointment['starts_at'])))
    return `it begins at ${JSON.stringify(event['start'])} and not at ${text(appointment['starts_at'])}`;
  if (at('end') !== Date.parse(text(appointment['ends_at']))) return 'its end is wrong';
  if (text(event['summary']) !== title) return `its title is "${text(event['summary'])}" and not "${title}"`;
  const [description = ''] = text(event['description']).split(/\n*─/);
  if (description !== about) return 'its description is wrong';
  return '';
}

/** What is people's own is as they left it. */
function judgePeoples({ observed, ledger, settings, appointmentsOf, say }: Court): void {
  for (const line of ledger.caught) say('peoples', 'Intake', line);
  const find = (calendarId: string, eventId: string) =>
    observed.calendars.get(calendarId)?.find(({ id }) => text(id) === eventId);
  for (const { calendarId, eventId, picture, name, kind } of ledger.peoples) {
    const event = find(calendarId, eventId);
    if (event !== undefined && pictureOf(event) === picture) continue;
    const said = event === undefined ? 'is gone' : 'was changed';
    say(kind === 'invitation' ? 'stranger' : 'peoples', name, `the event (${kind}) ${said}`);
  }
  for (const subject of ledger.subjects.values()) {
    const { color, minutes, at } = subject.own;
    if (at === undefined || !(appointmentsOf.get(subject.name) ?? []).some(isLive)) continue;
    const event = find(at.calendarId, at.eventId);
    if (event === undefined) continue;
    if (color !== undefined && text(event['colorId']) !== color)
      say('peoples', subject.name, 'lost its colour');
    const reminders = ((event['reminders'] as Wire | undefined)?.['overrides'] ?? []) as Wire[];
    if ((minutes ?? []).some((minute) => !reminders.some((each) => each['minutes'] === minute)))
      say('peoples', subject.name, 'lost a reminder');
  }
  const now = peoplesCellsOf(observed.tabs.get('Intake') ?? []);
  const lost = ledger.peoplesCells.filter((row) => !now.includes(row));
  if (lost.length > 0 || now.length !== ledger.peoplesCells.length)
    say('peoples', 'Intake', `cells that people typed are gone or changed: ${lost.join(' | ')}`);
  const appointmentRows = observed.tabs.get('Visits') ?? [];
  const ids = new Map(appointmentRows.map((row) => [text(row[0]), text(row[noteColumn(settings)])]));
  for (const [id, word] of ledger.notes)
    if (ids.get(id) !== word) say('peoples', 'Visits', `the word beside ${id} is not where it was written`);
}

/** People's own column of the tab Visits: behind those of the mirror, which are six where it carries. */
export function noteColumn({ carries }: Settings): number {
  return carries === true ? 6 : 4;
}

/** People's cells of the booking rows that hold anything of theirs. */
export function peoplesCellsOf(rows: readonly (readonly Cell[])[]): string[] {
  return rows
    .slice(1)
    .map((row) => JSON.stringify(PEOPLES_COLUMNS.map((column) => row[column] ?? '')))
    .filter((row) => /[^[\]",]/.test(row))
    .sort();
}

const HOUR_MS = 3_600_000;
/** Moscow has had no other offset since 2014. */
const ZONE_MS = 3 * HOUR_MS;

function judgeMirrorRows(court: Court): void {
  const { observed } = court;
  judgeTab(
    court,
    'Visits',
    observed.appointments.map((each) => [
      text(each['id']),
      text(each['status']),
      new Date(Date.parse(text(each['starts_at'])) + ZONE_MS).toISOString().slice(0, 16).replace('T', ' '),
      text(each['customer_name']),
    ]),
  );
  judgeTab(
    court,
    'Contacts',
    observed.contacts.map((each) => [text(each['id']), text(each['name']), text(each['phone'])]),
  );
}

function judgeTab({ observed, say }: Court, tab: string, wanted: readonly (readonly string[])[]): void {
  const width = wanted[0]?.length ?? 0;
  const seen = new Map<string, string[][]>();
  for (const row of (observed.tabs.get(tab) ?? []).slice(1)) {
    const cells = Array.from({ length: width }, (_, column) => shown(row[column]));
    const [id = ''] = cells;
    // Without an id it is people's.
    if (id !== '') seen.set(id, [...(seen.get(id) ?? []), cells]);
  }
  for (const row of wanted) {
    const [id = ''] = row;
    const rows = seen.get(id) ?? [];
    if (rows.length === 0) say('missing-row', tab, `${id} is missing`);
    else if (rows.length > 1) say('double-row', tab, `${id} stands ${rows.length} times`);
    else if (JSON.stringify(rows[0]) !== JSON.stringify(row))
      say('stale-row', tab, `${JSON.stringify(rows[0])} stands for ${JSON.stringify(row)}`);
    seen.delete(id);
  }
  for (const id of seen.keys()) say('stray-row', tab, `${id} should not be there`);
}

/** As people see it. The only numbers in these tabs are moments. */
function shown(cell: Cell | undefined): string {
  if (typeof cell !== 'number') return text(cell);
  const ms = Math.round(cell * 24 * 60) * 60_000 + Date.UTC(1899, 11, 30);
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}

function judgeWork({ observed, ledger, say }: Court): void {
  for (const due of ledger.missed)
    say('missed-schedule', 'worker', `the lists were due at ${due} and not read`);
  for (const line of observed.crashes) say('crash', 'worker', line);
  for (const { key, codes } of observed.deadLetters) say('dead-letter', key, codes.join(', '));
  if (observed.notIdle.length > 0) say('not-idle', 'worker', observed.notIdle.join('; '));
}

function isLive(appointment: Wire): boolean {
  return appointment['status'] !== 'cancelled';
}

/** The id of an event of the worker holds the digits of its appointment's. */
function stemOf(appointmentId: string): string {
  return appointmentId.replaceAll('-', '');
}

/** A spreadsheet keeps a moment as days since the end of 1899, here on the clock of Moscow. */
function isSerialOf(shown: Cell | undefined, iso: string): boolean {
  const days = (Date.parse(iso) + ZONE_MS - Date.UTC(1899, 11, 30)) / (24 * HOUR_MS);
  return typeof shown === 'number' && Math.abs(shown - days) < 1e-6;
}

/** Without the 8 or 7 in front. */
function digits(phone: unknown): string {
  return text(phone).replace(/\D/g, '').slice(1);
}

function text(value: unknown): string {
  return value === undefined || value === null ? '' : String(value);
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
