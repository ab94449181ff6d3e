#!/bin/sh
# node-ical 0.27.2 and ical.js 2.2.1: of an event on three single dates, one reader shows the first only, the other all but the first.
# RFC 5545 (3.8.5.2) adds the dates of RDATE to DTSTART, with or without a rule. Expected: 7, 9 and 15 December.
# Seen: node-ical ignores RDATE; the iterator of ical.js leaves out DTSTART if there is no RRULE. Beside an RRULE ical.js is right, node-ical is not.
# Whoever blocks time from a calendar leaves a booked hour open. Add DTSTART and RDATE yourself. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import ical from 'node-ical';
const days = (list) => list.map((ms) => new Date(ms).toISOString().slice(8, 10)).sort().join(' ');
function read(name, lines) {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20261101T000000Z', 'DTEND:20261207T110000Z', ...lines,
    'SUMMARY:Class', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const from = new Date('2026-12-01T00:00:00Z');
  const node = days(ical.expandRecurringEvent(ical.sync.parseICS(text)['1@shop.example'], { from, to: new Date('2026-12-31T00:00:00Z') }).map((one) => +one.start));
  const steps = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).iterator();
  const js = [];
  for (let next = steps.next(); next; next = steps.next()) js.push(next.toUnixTime() * 1000);
  return `${name}: node-ical ${node}, ical.js ${days(js)}`;
}
const start = 'DTSTART:20261207T100000Z';
const dates = 'RDATE:20261209T100000Z,20261215T100000Z';
const seen = [read('dates', [start, dates]), read('rule and dates', [start, 'RRULE:FREQ=DAILY;COUNT=2', dates])];
console.log(seen.join('\n'));
const same = seen.join('|') === 'dates: node-ical 07, ical.js 09 15|rule and dates: node-ical 07 08, ical.js 07 08 09 15';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
