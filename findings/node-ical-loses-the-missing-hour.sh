#!/bin/sh
# node-ical 0.27.2 (with rrule-temporal 2.2.8): a daily event at 02:30 has no instance on the day without that hour, and ends a day later.
# RFC 5545 (3.3.5, and 3.3.10 as its verified erratum 4271 corrects it) moves such an instance to 03:30, and COUNT counts it.
# Expected for five days from 2026-03-27 in Europe/Berlin: 27 to 31 March.
# Seen: 29 March is missing, and 1 April is added. ical.js 2.2.1 shows five days to 31 March.
# Whoever blocks time from a feed leaves one day open and closes another. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 rrule-temporal@2.2.8
cat >run.mjs <<'JS'
import ical from 'node-ical';
const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@example.com', 'DTSTAMP:20260101T000000Z',
  'DTSTART;TZID=Europe/Berlin:20260327T023000', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=5', 'SUMMARY:night shift', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
const event = Object.values(ical.sync.parseICS(text)).find((each) => each.type === 'VEVENT');
const found = ical.expandRecurringEvent(event, { from: new Date('2026-03-01T00:00:00Z'), to: new Date('2026-05-01T00:00:00Z') });
const days = found.map(({ start }) => start.toISOString().slice(5, 10)).join(' ');
console.log(days);
const same = days === '03-27 03-28 03-30 03-31 04-01';
console.log(same ? 'as seen: 29 March is missing, 1 April is added' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
