import { expect, test } from 'vitest';
import { file, load, problemOf, problemsOf, STAFF } from './fixture.ts';

const ANNA = '"Anna Petrova": anna@clinic.example';
const mapped = (entry: string) => file({ mirrors: `mirrors:\n${STAFF.replace(ANNA, `"Room 1": ${entry}`)}` });
const calendars = (entry: string) => {
  const [mirror] = load(mapped(entry)).mirrors;
  return mirror?.kind === 'calendar' ? mirror.calendars : undefined;
};
const withEvent = (lines: string) => file({ mirrors: `mirrors:\n${STAFF}${lines}` });
const event = (lines: string) => {
  const [mirror] = load(withEvent(lines)).mirrors;
  return mirror?.kind === 'calendar' ? mirror.event : undefined;
};

test('a calendar may show that the time is taken, and no more (case 26)', () => {
  expect(calendars('{ id: room@x.example, show: busy }')).toEqual([
    { resource: 'Room 1', calendarId: 'room@x.example', busyTitle: 'Busy' },
  ]);
  expect(calendars('{ id: room@x.example, show: busy, title: "{{ service_name }}" }')).toMatchObject([
    { busyTitle: '{{ service_name }}' },
  ]);
});

test('a calendar that shows details is the same as one that is named by its id alone', () => {
  const plain = calendars('room@x.example');
  expect(calendars('{ id: room@x.example }')).toEqual(plain);
  expect(calendars('{ id: room@x.example, show: details }')).toEqual(plain);
});

test('what is wrong inside a calendar’s group is told in its own place', () => {
  const at = 'mirrors.staff.calendars.map."Room 1"';
  expect(problemOf(mapped('{ id: primary, show: busy }'))).toMatchObject({
    path: `${at}.id`,
    line: 9,
    what: '"primary" is not the id of a calendar',
  });
  expect(problemOf(mapped('{ id: r@x.example, show: bussy }')).fix).toContain('did you mean busy?');
  expect(problemOf(mapped('{ id: r@x.example, shows: busy }'))).toMatchObject({
    path: `${at}.shows`,
    what: 'is not a setting',
  });
  expect(problemOf(mapped('{ show: busy }')).path).toBe(`${at}.id`);
  expect(problemOf(mapped('[ r@x.example ]'))).toMatchObject({
    path: at,
    what: 'is neither the id of a calendar nor a group of settings',
  });
});

test('a title without show: busy is refused: somebody would believe that the rest is hidden', () => {
  expect(problemOf(mapped('{ id: r@x.example, title: Taken }'))).toMatchObject({
    path: 'mirrors.staff.calendars.map."Room 1".title',
    what: 'belongs to a calendar with show: busy',
  });
});

test('the title of a busy calendar is checked as a template', () => {
  expect(problemOf(mapped('{ id: r@x.example, show: busy, title: "{{ a" }'))).toMatchObject({
    path: 'mirrors.staff.calendars.map."Room 1".title',
    what: expect.stringContaining('the template cannot be used'),
  });
});

test.each([
  ['other texts', '{ id: anna@clinic.example, show: busy }', 'the calendar has other settings by'],
  ['another spelling', 'ANNA@clinic.example', 'the calendar id is written differently by'],
])('two lines for one calendar with %s are refused', (_, entry, what) => {
  const map = `${ANNA}\n        "Room 1": ${entry}`;
  const text = file({ mirrors: `mirrors:\n${STAFF.replace(ANNA, map)}` });
  expect(problemOf(text).what).toContain(`${what} mirrors.staff.calendars.map."Anna Petrova" in line`);
});

test('a calendar of two mirrors is refused, however it is spelt there', () => {
  const other = STAFF.replace('staff:', 'others:').replace('anna@', 'ANNA@');
  expect(problemOf(file({ mirrors: `mirrors:\n${STAFF}${other}` }))).toMatchObject({
    path: 'mirrors.others.calendars.map."Anna Petrova"',
    what: expect.stringContaining('already belongs to another mirror, by mirrors.staff.calendars.map'),
    fix: expect.stringContaining('into one mirror'),
  });
});

test('visibility and the time that events take are owned only where the file says so', () => {
  expect(event('')).not.toHaveProperty('visibility');
  expect(event('')).not.toHaveProperty('busy');
  expect(event('      visibility: private\n      busy: { no_show: false, pending: true }\n')).toMatchObject({
    visibility: 'private',
    busy: { no_show: false, pending: true },
  });
  expect(problemOf(withEvent('      visibility: public\n')).fix).toContain('default, private');
  expect(problemOf(withEvent('      busy: { noshow: false }\n')).fix).toContain('did you mean no_show?');
  expect(problemOf(withEvent('      busy: { no_show: free }\n')).what).toBe(
    '"free" is neither true nor false',
  );
});

test('a link begins with the address itself, so that no value decides where it leads', () => {
  expect(event('      link: "https://app.example/{{ id }}"\n')?.link).toBe('https://app.example/{{ id }}');
  for (const link of [
    'app.example/{{ id }}',
    'javascript:alert(1)',
    'https://{{ customer_name }}/',
    '{{ comment }}',
  ]) {
    const problem = problemsOf(withEvent(`      link: "${link}"\n`))[0];
    expect(problem?.path).toBe('mirrors.staff.event.link');
    expect(problem?.what).toContain('is not a template of a web address');
  }
  expect(problemOf(withEvent('      link: "https://app.example/{{ id"\n')).what).toContain('cannot be used');
});

/** A mirror for each address, and an entry of bookings for the last. */
const inMirrors = (...addresses: readonly string[]) => {
  const lines = addresses.map((address, at) =>
    STAFF.replace('staff', `staff-${at}`).replace(
      ANNA,
      `"Room ${at}": { id: "${address}", account: office }`,
    ),
  );
  const login = 'caldav: { accounts: { office: { url: cloud.example, user: office, password: secret } } }';
  const booked = `bookings: { walk-ins: { from: { calendar: "${addresses.at(-1)}" }, when: { title: "#book *" }, service: Cut, customer: { phone: "{{ description | phone }}" } } }`;
  return file({ mirrors: `${login}\nmirrors:\n${lines.join('')}${booked}\n` });
};

test.each([
  ['without its last slash', 'https://cloud.example/a@b/work'],
  ['with @ as %40', 'https://cloud.example/a%40b/work/'],
  ['with another case of the host and its port', 'https://Cloud.example:443/a@b/work/'],
  ['with letters in percent encoding', 'https://cloud.example/a@b/w%6frk/'],
])('an address of a CalDAV calendar %s is the same calendar (P2)', (_, other) => {
  expect(problemOf(inMirrors('https://cloud.example/a@b/work/', other)).what).toContain(
    'already belongs to another mirror',
  );
});

test('a booking entry finds its CalDAV calendar in any spelling', () => {
  const text = inMirrors('https://cloud.example/a@b/work/').replace(
    'calendar: "https://cloud.example/a@b/work/"',
    'calendar: "https://Cloud.example/a%40b/work"',
  );
  expect(load(text).bookings).toMatchObject([
    { calendars: [{ calendarId: 'https://cloud.example/a%40b/work/', mirror: 'staff-0' }] },
  ]);
});

test.each([
  ['https://anna:hunter2@cloud.example/work/', 'contains a login or a password'],
  ['http://cloud.example/work/', 'is plain http, which would expose the key to the network'],
  ['https://cloud.example/work/?export', 'contains a query or a fragment'],
  ['webcal://cloud.example/work/', 'is not the id of a calendar'],
  [
    'https://calendar.google.com/calendar/ical/anna%40clinic.example/public/basic.ics',
    'is not the id of a calendar',
  ],
  ['“anna@clinic.example”', 'is not the id of a calendar'],
  ['mailto:anna@clinic.example', 'is not the id of a calendar'],
  ['<anna@clinic.example>', 'is not the id of a calendar'],
])('%s is refused with its reason, and no password is shown (P9)', (address, why) => {
  const text = inMirrors('https://cloud.example/work/').replace('https://cloud.example/work/', address);
  const problems = problemsOf(text);
  expect(problems.map(({ what }) => what)).toContainEqual(expect.stringContaining(why));
  expect(JSON.stringify(problems)).not.toContain('hunter2');
});

test.each([
  "o'neil@x.example",
  'de.german#holiday@group.v.calendar.google.com',
  'a+b_c-1%2@import.calendar.google.com',
])('%s is the id of a Google calendar', (id) => {
  expect(calendars(`"${id}"`)).toMatchObject([{ calendarId: id }]);
});
