// The judge against runs in which something was done wrong on purpose: a verdict is worth what the judge would have seen.
import { describe, expect, it } from 'vitest';
import type { Settings } from './act.ts';
import { type Case, judge, type Kind, peoplesCellsOf } from './judge.ts';
import { Ledger, newSubject, pictureOf, type Wire } from './ledger.ts';
import { CALENDARS } from './names.ts';

const ANNA = 'r-anna';
const BORIS = 'r-boris';
const ROOM = 'r-room';
const A1 = '11111111-1111-4111-8111-111111111111';
const W1 = '22222222-2222-4222-8222-222222222222';
const R1 = '33333333-3333-4333-8333-333333333333';
const OTHER = '44444444-4444-4444-8444-444444444444';
const HOURS = ['2026-03-03T07:00:00.000Z', '2026-03-03T09:00:00.000Z', '2026-03-03T11:00:00.000Z'] as const;
const [TEN, NOON, TWO] = HOURS;
const LATER = '2026-03-04T07:00:00.000Z';

describe('a run in which everything is right', () => {
  it('is not complained about', () => {
    expect(judge(goodCase())).toEqual([]);
  });
});

interface Evidence {
  appointments: Record<string, unknown>[];
  contacts: Record<string, unknown>[];
  mails: { appointmentId: string; reason: string }[];
  googleMails: number;
  calendars: Map<string, Record<string, unknown>[]>;
  appointmentRows: (string | number)[][];
  intake: (string | number)[][];
  ledger: Ledger;
  deadLetters: { key: string; codes: string[] }[];
  notIdle: string[];
  crashes: string[];
  settings: Settings;
}

/** What is planted, and the one thing that the judge has to say about it. */
const PLANTED: readonly (readonly [what: string, kind: Kind, plant: (evidence: Evidence) => void])[] = [
  ['an appointment that the worker cancelled by itself', 'wrong-cancellation', (it) => cancel(it, A1, 'api')],
  [
    'the same where a person has only dragged it',
    'wrong-cancellation',
    (it) => {
      it.ledger.subject('A1').wishes.push({ by: 'calendar', resource: BORIS });
      cancel(it, A1, 'api');
    },
  ],
  [
    'the same where the platform itself was asked to cancel it, later',
    'wrong-cancellation',
    (it) => {
      it.ledger.subject('A1').cancels.push('platform');
      cancel(it, A1, 'api');
    },
  ],
  [
    'a cancellation that was taken back before anybody looked',
    'wrong-cancellation',
    (it) =>
      it.ledger.sights.push({ id: A1, start: TEN, resource: ANNA, status: 'cancelled', cancelledBy: 'api' }),
  ],
  ['an appointment at an hour that nobody wished for it', 'wrong-move', (it) => move(it, A1, TWO)],
  [
    'a contact with the name of another row',
    'wrong-contact',
    (it) => {
      it.contacts.push({ id: OTHER, name: 'Somebody else', phone: '+74954000001' });
      it.ledger.wishCell(OTHER, 'Contact P1');
      it.ledger.wishCell(OTHER, '+74954000001');
    },
  ],
  [
    'a start typed in its row that nobody has answered',
    'ignored-wish',
    (it) => it.ledger.subject('A1').wishes.push({ by: 'row', start: LATER }),
  ],
  [
    'a tick in its row that nobody has answered',
    'ignored-wish',
    (it) => it.ledger.subject('A1').cancels.push('row'),
  ],
  [
    "an appointment at a neighbour's hour, for a moment",
    'wrong-move',
    (it) =>
      it.ledger.sights.push({ id: A1, start: NOON, resource: ANNA, status: 'confirmed', cancelledBy: '' }),
  ],
  [
    'an appointment that was given to somebody whom nobody wished',
    'wrong-move',
    (it) =>
      it.ledger.sights.push({ id: R1, start: TWO, resource: ANNA, status: 'confirmed', cancelledBy: '' }),
  ],
  [
    'a second appointment of one row',
    'double-appointment',
    (it) => bookTwice(it, R1, { phone: '+74953000001' }),
  ],
  [
    'a second appointment of one event',
    'double-appointment',
    (it) => bookTwice(it, W1, { phone: '+74952000001' }),
  ],
  ['an appointment of nobody', 'unasked-appointment', (it) => bookTwice(it, A1, { phone: '+74959999999' })],
  [
    'an appointment of a row that nobody has finished',
    'unasked-appointment',
    (it) => {
      it.ledger.subject('R1').isHalfTyped = true;
    },
  ],
  [
    'an appointment for a stranger',
    'stranger',
    (it) => {
      it.ledger.strangers.set('X1', LATER);
      bookTwice(it, A1, { phone: '+74955000001', start: LATER });
    },
  ],
  [
    'an appointment for a stranger who knows the number of a customer',
    'stranger',
    (it) => {
      it.ledger.strangers.set('X1', LATER);
      bookTwice(it, W1, { phone: '+74952000001', start: LATER });
    },
  ],
  [
    'a word in the invitation of a stranger',
    'stranger',
    (it) => {
      const event = { id: 'x1', summary: '#book Haircut', description: '8 495 500-00-01' };
      keepEvent(it, event, 'invitation');
      eventsAt(it, CALENDARS.anna).push({
        ...event,
        description: `${event.description}\n────── slotbridge ──────`,
      });
    },
  ],
  ['a mail of the platform', 'mail', (it) => it.mails.push({ appointmentId: A1, reason: 'rescheduled' })],
  [
    'more mails than people have asked for',
    'mail',
    (it) => {
      it.settings = { ...it.settings, notify: true };
      it.mails.push(...['created', 'created'].map((reason) => ({ appointmentId: W1, reason })));
    },
  ],
  [
    'a mail of Google',
    'mail',
    (it) => {
      it.googleMails = 1;
    },
  ],
  ['a row without an appointment, and no reason', 'unanswered', (it) => unbook(it, R1, 'Not possible.')],
  ['an event without an appointment or a word', 'unanswered', (it) => unbook(it, W1)],
  [
    'a refusable row without a word',
    'unanswered',
    (it) => {
      it.ledger.subject('R1').isClash = true;
      unbook(it, R1, '');
    },
  ],
  ['a row that does not bear its appointment', 'false-answer', (it) => putCell(it, 10, '')],
  ['a row with the hour of another', 'false-answer', (it) => putCell(it, 11, 46_084.5)],
  [
    "a row that bears a neighbour's appointment beside its own",
    'false-answer',
    (it) => {
      it.ledger.subject('R1').isRowGone = true;
      putCell(it, 10, A1);
    },
  ],
  [
    'a drag that was neither carried nor refused',
    'ignored-wish',
    (it) => it.ledger.subject('A1').wishes.push({ by: 'calendar', start: TWO }),
  ],
  [
    'a cancel tick that was not heard',
    'ignored-wish',
    (it) => {
      const subject = it.ledger.subject('R1');
      subject.cancels.push('row');
      subject.isTicked = true;
      subject.wishes.push({ by: 'platform', start: TWO });
    },
  ],
  ['lists that were due and not read', 'missed-schedule', (it) => it.ledger.missed.push(TEN)],
  [
    'an event that is not there',
    'missing-event',
    (it) => it.calendars.set(CALENDARS.anna, eventsAt(it, CALENDARS.anna).slice(1)),
  ],
  [
    'an event that stands twice',
    'double-event',
    (it) =>
      eventsAt(it, CALENDARS.anna).push({
        ...eventsAt(it, CALENDARS.anna)[0],
        id: `sb${A1.replaceAll('-', '')}g1`,
      }),
  ],
  [
    'an event with an old title',
    'stale-event',
    (it) => Object.assign(eventsAt(it, CALENDARS.anna)[0] ?? {}, { summary: 'Haircut, Somebody' }),
  ],
  [
    'an event at an old hour',
    'stale-event',
    (it) => Object.assign(eventsAt(it, CALENDARS.anna)[0] ?? {}, { start: { dateTime: TWO } }),
  ],
  [
    'an event with a colleague who does not have the appointment',
    'stray-event',
    (it) => eventsAt(it, CALENDARS.boris).push({ ...eventsAt(it, CALENDARS.anna)[0] }),
  ],
  [
    'a booked event that was dragged to the room, and stands at home again',
    'stray-event',
    (it) => {
      it.ledger.subject('W1').isRestored = true;
      eventsAt(it, CALENDARS.room).push({ id: 'w1', summary: 'Haircut, Walk-in' });
    },
  ],
  [
    'an event that was dragged to the room before it was booked, and that nobody brought back',
    'stray-event',
    (it) => eventsAt(it, CALENDARS.room).push({ id: 'w1', summary: '#book Haircut' }),
  ],
  [
    'an event that the team does not see',
    'missing-event',
    (it) => {
      showToTeam(it);
      eventsAt(it, CALENDARS.team).shift();
    },
  ],
  [
    'an event of a person that stands with the team beside its own',
    'double-event',
    (it) => {
      showToTeam(it);
      eventsAt(it, CALENDARS.team).push({ ...eventsAt(it, CALENDARS.anna)[0] });
    },
  ],
  [
    'a customer in the calendar of a team that only shows what is taken',
    'stale-event',
    (it) => {
      showToTeam(it);
      Object.assign(eventsAt(it, CALENDARS.team)[0] ?? {}, { description: 'Phone +74951000001' });
    },
  ],
  [
    'an event with the team of another service',
    'stray-event',
    (it) => {
      showToTeam(it);
      for (const each of it.appointments.slice(1)) each['service_name'] = 'Massage';
      for (const events of it.calendars.values())
        for (const event of events)
          if (!String(event['summary']).endsWith('+74951000001') && event['summary'] !== 'Busy')
            event['summary'] = String(event['summary']).replace('Haircut', 'Massage');
      it.settings = { ...it.settings, team: { ...TEAM, by: 'service' } };
    },
  ],
  ['a row that is not there', 'missing-row', (it) => it.appointmentRows.splice(1, 1)],
  [
    'a row that stands twice',
    'double-row',
    (it) => it.appointmentRows.push([...(it.appointmentRows[1] ?? [])]),
  ],
  ['a row with an old status', 'stale-row', (it) => it.appointmentRows[1]?.splice(1, 1, 'cancelled')],
  [
    'a row of nothing',
    'stray-row',
    (it) => it.appointmentRows.push([OTHER, 'confirmed', '2026-03-03 10:00', 'Nobody']),
  ],
  [
    'an own event that was changed',
    'peoples',
    (it) => {
      keepEvent(it, { id: 'o1', summary: 'Dentist' }, 'own');
      eventsAt(it, CALENDARS.anna).push({ id: 'o1', summary: 'Haircut' });
    },
  ],
  ['a copy that is gone', 'peoples', (it) => keepEvent(it, { id: 'c1', summary: 'Haircut' }, 'copy')],
  [
    'a reminder that is gone',
    'peoples',
    (it) => {
      const eventId = String(eventsAt(it, CALENDARS.anna)[0]?.['id']);
      it.ledger.subject('A1').own = { at: { calendarId: CALENDARS.anna, eventId }, minutes: [10] };
    },
  ],
  ['a phone that somebody typed and that is gone', 'peoples', (it) => putCell(it, 7, 'changed')],
  ['a note beside another row', 'peoples', (it) => it.ledger.notes.set(A1, 'ask')],
  [
    'a dead letter',
    'dead-letter',
    (it) => it.deadLetters.push({ key: `appointment/${A1}`, codes: ['edit-loop'] }),
  ],
  ['no rest', 'not-idle', (it) => it.notIdle.push('1 object is pending')],
  ['a worker that ended by itself', 'crash', (it) => it.crashes.push('a worker ended by itself (1)')],
];

describe('the judge sees', () => {
  it.each(PLANTED)('%s', (_, kind, plant) => {
    const kinds = new Set(judge(goodCase(plant)).map((violation) => violation.kind));
    expect(kinds).toContain(kind);
  });
});

/** What people may do, and what the worker may have made of it. */
const LEGAL: readonly (readonly [what: string, plant: (evidence: Evidence) => void])[] = [
  [
    'a row that says of its appointment that it is for another customer',
    (it) => {
      it.ledger.subject('R1').isRowGone = true;
      putCell(it, 9, 'Not booked for this customer: the appointment of this row is for another customer.');
      putCell(it, 10, A1);
    },
  ],
  [
    'a drag that was carried',
    (it) => {
      it.ledger.subject('A1').wishes.push({ by: 'calendar', start: TWO });
      move(it, A1, TWO);
    },
  ],
  [
    'a drag that lost against a move on the platform',
    (it) => {
      it.ledger.subject('A1').wishes.push({ by: 'calendar', start: NOON }, { by: 'platform', start: TWO });
      move(it, A1, TWO);
    },
  ],
  [
    'a deletion that cancelled',
    (it) => {
      it.ledger.subject('A1').cancels.push('calendar');
      cancel(it, A1, 'api');
    },
  ],
  [
    'a taken hour that was refused in the row',
    (it) => {
      it.ledger.subject('R1').isClash = true;
      unbook(it, R1, 'Not possible: this time is already taken.');
    },
  ],
  [
    'an event that was dragged to the room before it was booked, and then brought back at home from the bin: that makes two of it',
    (it) => {
      it.ledger.subject('W1').isRestored = true;
      eventsAt(it, CALENDARS.room).push({
        id: 'w1',
        summary: '#book Haircut',
        description: '8 495 200-00-01',
      });
    },
  ],
  [
    'mails that the mapping wants',
    (it) => {
      it.settings = { ...it.settings, notify: true };
      it.mails.push({ appointmentId: W1, reason: 'created' });
    },
  ],
  ['a calendar of a team that shows everything', showToTeam],
];

/** Everything stands with the team, too. */
function showToTeam(it: Evidence): void {
  it.settings = { ...it.settings, team: TEAM };
  it.calendars.set(
    CALENDARS.team,
    it.appointments.map((each) => ({
      ...eventOf(each),
      ...{ id: `${eventOf(each)['id']}t0123456789`, summary: 'Busy', description: undefined },
    })),
  );
}

describe('the judge does not complain about', () => {
  it.each(LEGAL)('%s', (_, plant) => {
    expect(judge(goodCase(plant))).toEqual([]);
  });
});

const TEAM: NonNullable<Settings['team']> = { by: 'all', isOwn: true, isBusy: true, moved: 'reschedule' };

const SETTINGS: Settings = {
  ...{ workers: 1, redis: 'shared', notify: false, google: {}, platform: {} },
  edits: { moved: 'reschedule', deleted: 'cancel', conflict: 'platform', graceS: 2 },
};

/** One booking made on the platform, one by an event, one by a row; with something planted into it. */
function goodCase(plant: (evidence: Evidence) => void = () => undefined): Case {
  const ledger = new Ledger();
  ledger.add(
    newSubject(
      { name: 'A1', origin: 'platform', phone: '+74951000001', appointmentId: A1 },
      wish('platform', TEN, ANNA),
    ),
  );
  ledger.add(
    newSubject(
      { name: 'W1', origin: 'calendar', phone: '+74952000001', eventId: 'w1' },
      wish('calendar', NOON, ANNA),
    ),
  );
  ledger.add(newSubject({ name: 'R1', origin: 'row', phone: '+74953000001' }, wish('row', TWO, BORIS)));
  const appointments = [
    appointment(A1, { start: TEN, resource: ANNA, phone: '+74951000001' }),
    appointment(W1, { start: NOON, resource: ANNA, phone: '+74952000001' }),
    appointment(R1, { start: TWO, resource: BORIS, phone: '+74953000001' }),
  ];
  const evidence: Evidence = {
    ...{ appointments, contacts: [], mails: [], googleMails: 0, ledger, settings: SETTINGS },
    ...{ deadLetters: [], notIdle: [], crashes: [] },
    calendars: new Map([
      [CALENDARS.anna, [eventOf(appointments[0] ?? {}), { ...eventOf(appointments[1] ?? {}), id: 'w1' }]],
      [CALENDARS.boris, [eventOf(appointments[2] ?? {})]],
      [CALENDARS.room, []],
    ]),
    appointmentRows: [['ID', 'Status', 'Start', 'Who'], ...appointments.map(appointmentRowOf)],
    intake: [
      [
        'Service',
        'Start',
        'With',
        'Name',
        'Phone',
        'Ready',
        'Cancel',
        'Note',
        'Booking',
        'Status',
        'Appointment',
        'Booked for',
      ],
      [
        'Haircut',
        '2026-03-03 14:00',
        'Boris',
        'Guest R1',
        '8 495 300-00-01',
        'yes',
        '',
        'R1',
        'id1',
        'Booked.',
        R1,
        46_084 + 14 / 24,
      ],
    ],
  };
  ledger.peoplesCells = peoplesCellsOf(evidence.intake);
  plant(evidence);
  const { appointmentRows, intake, ledger: _, settings, ...observed } = evidence;
  return {
    observed: {
      ...observed,
      tabs: new Map([
        ['Visits', appointmentRows],
        ['Contacts', [['ID', 'Name', 'Phone'], ...observed.contacts.map(contactRowOf)]],
        ['Intake', intake],
      ]),
    },
    ledger,
    settings,
    company: {
      calendars: new Map([
        [ANNA, CALENDARS.anna],
        [BORIS, CALENDARS.boris],
        [ROOM, CALENDARS.room],
      ]),
      names: new Map([
        [ANNA, 'anna'],
        [BORIS, 'boris'],
        [ROOM, 'the room'],
      ]),
    },
  };
}

function wish(by: 'platform' | 'calendar' | 'row', start: string, resource: string) {
  return { by, start, resource };
}

function appointment(id: string, it: { start: string; resource: string; phone: string }) {
  return {
    ...{ id, status: 'confirmed', cancelled_by: null, starts_at: it.start, ends_at: endOf(it.start) },
    ...{ resource_id: it.resource, resource_ids: [it.resource], service_name: 'Haircut' },
    ...{ customer_name: `Guest ${it.phone}`, customer_phone: it.phone, contact_id: null },
  };
}

function endOf(start: string): string {
  return new Date(Date.parse(start) + 45 * 60_000).toISOString();
}

function eventOf(it: Wire): Record<string, unknown> {
  return {
    id: `sb${String(it['id']).replaceAll('-', '')}`,
    summary: `${String(it['service_name'])}, ${String(it['customer_name'])}`,
    description: `Phone ${String(it['customer_phone'])}`,
    start: { dateTime: it['starts_at'] },
    end: { dateTime: it['ends_at'] },
  };
}

function appointmentRowOf(it: Wire): string[] {
  const local = new Date(Date.parse(String(it['starts_at'])) + 3 * 3_600_000)
    .toISOString()
    .slice(0, 16)
    .replace('T', ' ');
  return [String(it['id']), String(it['status']), local, String(it['customer_name'])];
}

function contactRowOf(it: Wire): string[] {
  return ['id', 'name', 'phone'].map((field) => String(it[field]));
}

function find(it: Evidence, id: string): Record<string, unknown> {
  return it.appointments.find((each) => each['id'] === id) ?? {};
}

/** Everything agrees with it: only the judge of what people wished can tell. */
function mirror(it: Evidence, id: string): void {
  const truth = find(it, id);
  it.appointmentRows = it.appointmentRows.map((row) => (row[0] === id ? appointmentRowOf(truth) : row));
  for (const [calendarId, events] of it.calendars)
    it.calendars.set(
      calendarId,
      events.flatMap((event) => {
        if (event['id'] !== eventOf(truth)['id']) return [event];
        return truth['status'] === 'cancelled' ? [] : [eventOf(truth)];
      }),
    );
}

function cancel(it: Evidence, id: string, by: string): void {
  Object.assign(find(it, id), { status: 'cancelled', cancelled_by: by, resource_ids: [] });
  mirror(it, id);
}

function move(it: Evidence, id: string, start: string): void {
  Object.assign(find(it, id), { starts_at: start, ends_at: endOf(start) });
  mirror(it, id);
}

function bookTwice(it: Evidence, like: string, { phone, start }: { phone: string; start?: string }): void {
  const at = start === undefined ? {} : { starts_at: start, ends_at: endOf(start) };
  const second = { ...find(it, like), ...at, id: OTHER, customer_phone: phone };
  it.appointments.push(second);
  it.appointmentRows.push(appointmentRowOf(second));
  eventsAt(it, CALENDARS.anna).push(eventOf(second));
}

function unbook(it: Evidence, id: string, status = ''): void {
  cancel(it, id, 'api');
  it.appointments = it.appointments.filter((each) => each['id'] !== id);
  it.appointmentRows = it.appointmentRows.filter((row) => row[0] !== id);
  if (id !== R1) return;
  putCell(it, 9, status);
  putCell(it, 10, '');
  putCell(it, 11, '');
}

function putCell(it: Evidence, column: number, value: string | number): void {
  it.intake[1]?.splice(column, 1, value);
}

function eventsAt(it: Evidence, calendarId: string): Record<string, unknown>[] {
  return it.calendars.get(calendarId) ?? [];
}

function keepEvent(it: Evidence, event: Wire, kind: 'own' | 'copy' | 'invitation'): void {
  it.ledger.peoples.push({
    ...{
      calendarId: CALENDARS.anna,
      eventId: String(event['id']),
      kind,
      name: 'X1',
      picture: pictureOf(event),
    },
  });
}
