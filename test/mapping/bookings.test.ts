import { expect, test } from 'vitest';
import { warnOfBookings } from '../../src/mapping/booking-warnings.ts';
import { typedBounds } from '../../src/mapping/needs.ts';
import { file, load, problemOf, problemsOf, STAFF } from './fixture.ts';

const WALK_INS = `bookings:
  walk-ins:
    from: { calendar: anna@clinic.example }
    when: { title: "#book *" }
    service: Haircut
    customer: { name: "{{ title }}", phone: "{{ description }}" }
`;
const DESK = `bookings:
  front-desk:
    from: { spreadsheet: 1AbC, tab: Intake }
    columns: { service: Service, starts_at: Start, name: Name, phone: Phone, id: Booking, status: Status }
`;
const mirrors = (edits = '') => `mirrors:\n${STAFF}${edits}`;
const withBookings = (bookings: string, edits = '') => file({ mirrors: mirrors(edits), more: bookings });

test('a calendar entry says which events are bookings and what is read out of them', () => {
  const [booking] = load(withBookings(WALK_INS)).bookings;
  expect(booking).toEqual({
    kind: 'calendar',
    name: 'walk-ins',
    calendars: [{ calendarId: 'anna@clinic.example', mirror: 'staff' }],
    when: { title: '#book *' },
    service: 'Haircut',
    customer: { name: '{{ title }}', phone: '{{ description }}', create: true },
    notifyCustomer: false,
    language: 'en',
    stillForMs: 30_000,
    staffEdits: { staff: expect.objectContaining({ moved: 'reschedule', deleted: 'cancel' }) },
  });
});

test('a calendar is spelled as its mirror spells it: two spellings would be two calendars to the worker', () => {
  const [booking] = load(withBookings(WALK_INS.replace('anna@clinic', 'Anna@Clinic'))).bookings;
  expect(booking).toMatchObject({ calendars: [{ calendarId: 'anna@clinic.example', mirror: 'staff' }] });
});

test('a sheet entry reads what its columns mean', () => {
  const [booking] = load(withBookings(DESK)).bookings;
  expect(booking).toMatchObject({
    kind: 'sheet',
    spreadsheetId: '1AbC',
    tab: 'Intake',
    service: '{{ service }}',
    customer: { name: '{{ name }}', phone: '{{ phone | phone }}', create: true },
    columns: { starts_at: 'Start', id: 'Booking', status: 'Status' },
    everyMs: 30_000,
  });
});

test('the bound on rows of an hour is read and told, and the standard one is no edit of the YAML', () => {
  const bounded = (more: string) => load(withBookings(DESK.replace('tab: Intake }', `tab: Intake${more} }`)));
  expect(bounded('').bookings[0]).not.toHaveProperty('rowsPerHour');
  expect(bounded(', rows_per_hour: 40')).toEqual(bounded(''));
  expect([...typedBounds(bounded('')), ...typedBounds(bounded(', rows_per_hour: 7'))]).toMatchObject([
    { rows: 'booked', perHour: 40 },
    { rows: 'booked', perHour: 7 },
  ]);
  const [problem] = problemsOf(
    withBookings(DESK.replace('tab: Intake }', 'tab: Intake, rows_per_hour: 0 }')),
  );
  expect(problem?.path).toMatch(/\.from\.rows_per_hour$/);
});

test('times that are typed the way of the house are read by its patterns, and a pattern without an hour is refused', () => {
  const withFormat = (format: string) =>
    withBookings(DESK.replace('tab: Intake }', `tab: Intake, date_format: ${format} }`));
  const formatsOf = (text: string) => {
    const [booking] = load(text).bookings;
    return booking?.kind === 'sheet' ? booking.dateFormats : undefined;
  };
  expect(formatsOf(withBookings(DESK))).toBeUndefined();
  expect(formatsOf(withFormat('d/M/yyyy H:mm'))).toEqual(['d/M/yyyy H:mm']);
  expect(formatsOf(withFormat('["M/d/yyyy h:mm a", "d/M/yy H:mm"]'))).toEqual([
    'M/d/yyyy h:mm a',
    'd/M/yy H:mm',
  ]);
  for (const format of ['d/M/yyyy', '"M/d/yyyy h:mm"'])
    expect(problemOf(withFormat(format)).what).toContain('does not say day, month, year, hour and minute');
});

test('two entries that read one tab are refused: they would write over each other', () => {
  const twice =
    DESK + DESK.replace('bookings:\n', '').replace('front-desk', 'back-desk').replace('Intake', 'intake');
  expect(problemOf(withBookings(twice))).toMatchObject({
    path: 'bookings.back-desk.from.tab',
    what: 'front-desk reads the same tab',
  });
});

test('a series is refused unless each of its events is asked for, sixty days ahead where nothing is said', () => {
  const seriesOf = (more: string) => {
    const [booking] = load(withBookings(`${WALK_INS}${more}`)).bookings;
    return booking?.kind === 'calendar' ? booking.series : undefined;
  };
  expect(seriesOf('')).toBeUndefined();
  expect(seriesOf('    recurring: refuse\n')).toBeUndefined();
  expect(seriesOf('    recurring: each\n')).toEqual({ horizonMs: 60 * 86_400_000 });
  expect(seriesOf('    recurring: each\n    horizon: 10d\n')).toEqual({ horizonMs: 10 * 86_400_000 });
});

const when = (rule: string) => withBookings(WALK_INS.replace('{ title: "#book *" }', rule));

test('organizers are addresses or domains, and say nothing about which events are bookings', () => {
  const [booking] = load(
    when('{ title: "#book *", organizer: [desk@agency.example, "@agency.example"] }'),
  ).bookings;
  expect(booking).toMatchObject({ when: { organizers: ['desk@agency.example', '@agency.example'] } });
  expect(problemOf(when('{ organizer: "@agency.example" }'))).toMatchObject({
    path: 'bookings.walk-ins.when',
  });
  expect(problemOf(when('{ title: x, organizer: agency.example }'))).toMatchObject({
    path: 'bookings.walk-ins.when.organizer',
  });
});

test.each([
  ['{ title: "#book *" }', [/depends only on title,.*only events that the calendar itself organizes/]],
  ['{ attendee: desk@clinic.example, property: { a: b } }', [/depends only on attendee, property,/]],
  ['{ title: "#book *", organizer: "@agency.example" }', [/only people named under organizer/]],
  ['{ title: x, creator: anna@clinic.example }', []],
  ['{ creator: anna@clinic.example, organizer: ["@Gmail.com", "@agency.example"] }', [/anybody.*Gmail\.com/]],
])('check warns of %s', (rule, warnings) => {
  const told = warnOfBookings(load(when(rule)).bookings);
  expect(told).toHaveLength(warnings.length);
  for (const [at, words] of warnings.entries()) expect(told[at]).toMatch(words);
});

test('check warns that a private mirror leaves events of series as they are', () => {
  const warned = (more: string, visibility: string) => {
    const text = withBookings(`${WALK_INS}${more}`, `      visibility: ${visibility}\n`);
    const { bookings, mirrors } = load(text);
    return warnOfBookings(bookings, mirrors).filter((line) => line.includes('visibility'));
  };
  const [told, ...others] = warned('    recurring: each\n', 'private');
  expect([told, others]).toEqual([expect.stringMatching(/^mirrors\.staff\.event\.visibility: /), []]);
  expect(warned('    recurring: each\n', 'default')).toEqual([]);
  expect(warned('    recurring: refuse\n', 'private')).toEqual([]);
});

test('a file without bookings carries nothing back', () => {
  expect(load(file({})).bookings).toEqual([]);
});

test('changes to booked events follow the entry, else the mirror where it speaks of them', () => {
  const editsOf = (text: string) => {
    const [booking] = load(text).bookings;
    return booking?.kind === 'calendar' ? booking.staffEdits['staff'] : undefined;
  };
  const ofMirror = '    staff_edits: { moved: revert, deleted: restore }\n';
  expect(editsOf(withBookings(WALK_INS, ofMirror))).toMatchObject({ moved: 'revert', deleted: 'restore' });
  const own = `${WALK_INS}    staff_edits: { moved: ignore }\n`;
  expect(editsOf(withBookings(own, ofMirror))).toMatchObject({ moved: 'ignore', deleted: 'restore' });
});

test('the platform wins over a row unless the entry says otherwise, and nothing else of staff_edits is said of rows', () => {
  const conflictOf = (more: string) => {
    const [booking] = load(withBookings(`${DESK}${more}`)).bookings;
    return booking?.kind === 'sheet' ? booking.conflict : 'none';
  };
  expect(conflictOf('')).toBeUndefined();
  expect(conflictOf('    staff_edits: { conflict: platform }\n')).toBeUndefined();
  expect(conflictOf('    staff_edits: { conflict: latest }\n')).toBe('latest');
  expect(problemOf(withBookings(`${DESK}    staff_edits: { deleted: cancel }\n`))).toMatchObject({
    path: 'bookings.front-desk.staff_edits.deleted',
    what: 'belongs to bookings from a calendar',
  });
});

test('a calendar that no mirror maps is an error with the way out', () => {
  const text = withBookings(WALK_INS.replace('anna@clinic.example', 'boris@clinic.example'));
  expect(problemOf(text)).toMatchObject({
    path: 'bookings.walk-ins.from.calendar',
    fix: expect.stringContaining('map it in a mirror'),
  });
});

test.each([
  ['no rule', WALK_INS.replace('    when: { title: "#book *" }\n', ''), 'bookings.walk-ins'],
  ['no customer', WALK_INS.replace(/ {4}customer.*\n/, ''), 'bookings.walk-ins'],
  ['no service', WALK_INS.replace('    service: Haircut\n', ''), 'bookings.walk-ins'],
  ['the name of a mirror', WALK_INS.replace('walk-ins', 'staff'), 'bookings.staff'],
  ['both places', WALK_INS.replace('{ calendar', '{ tab: A, calendar'), 'bookings.walk-ins.from'],
  ['neither place', WALK_INS.replace('calendar: anna@clinic.example', ''), 'bookings.walk-ins.from'],
  ['no such country', `${WALK_INS}    region: XX\n`, 'bookings.walk-ins.region'],
  ['columns of a sheet', `${WALK_INS}    columns: { id: A }\n`, 'bookings.walk-ins.columns'],
  ['no status column', DESK.replace(', status: Status', ''), 'bookings.front-desk.columns'],
  [
    'two meanings of a column',
    DESK.replace('status: Status', 'status: name'),
    'bookings.front-desk.columns.status',
  ],
  ['a horizon without a series', `${WALK_INS}    horizon: 10d\n`, 'bookings.walk-ins.horizon'],
  ['a horizon of years', `${WALK_INS}    recurring: each\n    horizon: 800d\n`, 'bookings.walk-ins.horizon'],
  ['series of a sheet', `${DESK}    recurring: each\n`, 'bookings.front-desk.recurring'],
  ['rules of a calendar', `${DESK}    when: { title: x }\n`, 'bookings.front-desk.when'],
])('%s is an error in its own place', (_, bookings, path) => {
  expect(problemsOf(withBookings(bookings)).map((problem) => problem.path)).toContain(path);
});

test('a misspelt field of a template is told with its place', () => {
  const text = withBookings(WALK_INS.replace('{{ title }}', '{% if %}'));
  expect(problemOf(text).path).toBe('bookings.walk-ins.customer.name');
});

test('drop-downs are for columns of a booking sheet that can have one', () => {
  const dropDownsOf = (more: string) => {
    const [booking] = load(withBookings(`${DESK}${more}`)).bookings;
    return booking?.kind === 'sheet' ? booking.dropDowns : undefined;
  };
  expect(dropDownsOf('')).toBeUndefined();
  expect(dropDownsOf('    drop_downs: service\n')).toEqual(['service']);
  expect(dropDownsOf('    drop_downs: [starts_at, service]\n')).toEqual(['service', 'starts_at']);
  expect(problemOf(withBookings(`${DESK}    drop_downs: [service, resource]\n`))).toMatchObject({
    path: 'bookings.front-desk.drop_downs',
    what: 'names resource, which has no column',
  });
  expect(problemOf(withBookings(`${DESK}    drop_downs: name\n`))).toMatchObject({
    path: 'bookings.front-desk.drop_downs',
  });
  expect(problemOf(withBookings(`${WALK_INS}    drop_downs: service\n`))).toMatchObject({
    what: 'belongs to bookings from a sheet',
  });
});
