#!/bin/sh
# ical.js 2.2.1: a date that is excluded twice brings the next excluded date of a series back.
# RFC 5545 (3.8.5.1) makes the recurrence set of what remains once all EXDATE are taken out; naming one twice changes nothing.
# Seen: each step passes at most one EXDATE. The second of two equal ones is still being passed when the next excluded date comes, so that date takes
# place. Programs that merge two copies of an event write an EXDATE twice. A cancelled class is shown, and its hour is blocked, for everybody who reads
# the series with ICAL.Event or ICAL.RecurExpansion. Remove equal EXDATE before. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
function days(...excluded) {
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20260101T000000Z',
    'DTSTART:20261203T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=4', ...excluded.map((day) => `EXDATE:202612${day}T090000Z`), 'END:VEVENT',
    'END:VCALENDAR', ''];
  const steps = new ICAL.Event(new ICAL.Component(ICAL.parse(lines.join('\r\n'))).getFirstSubcomponent('vevent')).iterator();
  const found = [];
  for (let step = steps.next(); step; step = steps.next()) found.push(step.toString().slice(8, 10));
  return found.join(' ');
}
const seen = [`04, 05: ${days('04', '05')}`, `04, 04, 05: ${days('04', '04', '05')}`];
console.log(seen.join('\n'));
const expected = ['04, 05: 03 06', '04, 04, 05: 03 05 06'];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
