#!/bin/sh
# @nextcloud/calendar-js 8.1.6, the core of Nextcloud's calendar: "this and all future events" makes a class that nobody gave, or loses one.
# RFC 5545 (3.8.5.1, 3.8.5.2, 3.3.10): COUNT counts what the rule makes; EXDATE and RDATE take from that and add to it. Six weeks, split: six in all.
# Seen: the second series gets COUNT less the dates shown before it. A date that was taken out is thus given back at the end, as a seventh week; a date
# that was added costs the last week; an added date after the split is in neither series. Without such dates the split is right.
# Whoever mirrors such calendars sees a booking come or go at the far end of a series that somebody only renamed. A series that ends by UNTIL keeps
# its last week. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @nextcloud/calendar-js@8.1.6 ical.js@2.2.1
cat >run.mjs <<'JS'
import { DateTimeValue, getParserManager } from '@nextcloud/calendar-js';
import ICAL from 'ical.js';
const [from, until] = ['2026-12-01', '2027-03-01'].map((day) => DateTimeValue.fromJSDate(new Date(day), true));
function days(text) {
  const found = [];
  const steps = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).iterator();
  for (let next = steps.next(); next; next = steps.next()) found.push(next.toString().slice(5, 10));
  return found.join(' ');
}
function split(name, lines) {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20261101T000000Z',
    'DTSTART:20261203T090000Z', 'DTEND:20261203T100000Z', ...lines, 'SUMMARY:Class', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const parser = getParserManager().getParserForFileType('text/calendar');
  parser.parse(text);
  const [event] = [...[...parser.getItemIterator()][0].getVObjectIterator()];
  const at = event.recurrenceManager.getAllOccurrencesBetween(from, until).find(({ startDate }) => startDate.jsDate.toISOString().startsWith('2026-12-24'));
  const [first, second] = at.createRecurrenceException(true).map((part) => days(part.root.toICS()));
  return `${name}: ${days(text)}, then ${first} and ${second}`;
}
const seen = [
  split('as ruled', ['RRULE:FREQ=WEEKLY;COUNT=6']),
  split('one taken out', ['RRULE:FREQ=WEEKLY;COUNT=6', 'EXDATE:20261210T090000Z']),
  split('two added', ['RRULE:FREQ=WEEKLY;COUNT=6', 'RDATE:20261204T090000Z,20270104T090000Z']),
  split('one taken out, UNTIL', ['RRULE:FREQ=WEEKLY;UNTIL=20270107T090000Z', 'EXDATE:20261210T090000Z']),
];
console.log(seen.join('\n'));
const expected = [
  'as ruled: 12-03 12-10 12-17 12-24 12-31 01-07, then 12-03 12-10 12-17 and 12-24 12-31 01-07',
  'one taken out: 12-03 12-17 12-24 12-31 01-07, then 12-03 12-17 and 12-24 12-31 01-07 01-14',
  'two added: 12-03 12-04 12-10 12-17 12-24 12-31 01-04 01-07, then 12-03 12-04 12-10 12-17 and 12-24 12-31',
  'one taken out, UNTIL: 12-03 12-17 12-24 12-31 01-07, then 12-03 12-17 and 12-24 12-31 01-07',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
