import { expect, test } from 'vitest';
import { outOfReach } from '../../src/operate/whereis.ts';
import { file, load } from '../mapping/fixture.ts';

const FEEDS = 'feeds: { anna: { resource: Anna Petrova, event: { title: "{{ customer_name }}" } } }\n';
const blocksOf = (calendarId: string) => `blocks:
  private-time:
    service: Busy
    contact: 00000000-0000-4000-8000-00000000b10c
    people: { Anna Petrova: ${calendarId} }
    hours: { daily: "09:00-18:00" }
`;
const SUBSCRIBERS = 'copies in programs and phones that read a feed, until their next refresh';
const PRIVATE = 'private events of staff in the calendars of `blocks`';

test.each([
  ['nothing', '', []],
  ['feeds', FEEDS, [SUBSCRIBERS]],
  ['private calendars', blocksOf('anna.private@example.com'), [PRIVATE]],
  ['both', FEEDS + blocksOf('anna.private@example.com'), [SUBSCRIBERS, PRIVATE]],
  // It is mirrored as well, and so looked through.
  ['a calendar of a mirror', blocksOf('anna@clinic.example'), []],
])('with %s in the YAML, what else cannot be looked through is named', (_, more, expected) => {
  const mirrors = `
mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna Petrova: anna@clinic.example } }
    event: { title: "{{ service_name }}" }
`;
  const named = outOfReach(load(file({ more, mirrors })));
  expect(named.filter((place) => place === SUBSCRIBERS || place === PRIVATE)).toEqual(expected);
  expect(named).toContain('the platform itself');
  expect(named.join()).not.toContain('example');
});
