#!/bin/sh
# ical2html 3.0 (Debian 12, over libical3 3.0.16): the page of a calendar shows a class on the day that was taken out of its series.
# RFC 5545 (3.8.5.1): EXDATE takes dates out of a series, RDATE (3.8.5.2) adds some, and RECURRENCE-ID (3.8.4.4) puts one in another's place.
# Its manual says that it makes an HTML table from iCalendar data, and names no such limit. ical.js 2.2.1 agrees with the RFC.
# Seen: EXDATE counts for nothing, in UTC, with a zone and for whole days. A moved day stands at its old date too, and added dates are missing.
# People come to a class that was called off, or miss one. The exit code is 0. Write single events into a file for it, without series.
# Needs Debian 12 with apt, node and npm; unpacks the packages into a temporary folder. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -q ical2html=3.0-1 libical3=3.0.16-1+b1 libicu72 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" program; done
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical.js@2.2.1
cat >run.mjs <<'JS'
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import ICAL from 'ical.js';
const zone = 'BEGIN:VTIMEZONE,TZID:Europe/Berlin,BEGIN:DAYLIGHT,TZOFFSETFROM:+0100,TZOFFSETTO:+0200,DTSTART:19810329T020000,RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU,END:DAYLIGHT,BEGIN:STANDARD,TZOFFSETFROM:+0200,TZOFFSETTO:+0100,DTSTART:19961027T030000,RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU,END:STANDARD,END:VTIMEZONE'.split(',');
const cases = {
  'weekly': [['DTSTART:20260601T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4']],
  'one taken out': [['DTSTART:20260601T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE:20260615T090000Z']],
  'one taken out, Berlin': [['DTSTART;TZID=Europe/Berlin:20260601T090000', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20260615T090000']],
  'one taken out, whole days': [['DTSTART;VALUE=DATE:20260601', 'RRULE:FREQ=WEEKLY;COUNT=4', 'EXDATE;VALUE=DATE:20260615']],
  'one added': [['DTSTART:20260601T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4', 'RDATE:20260603T090000Z']],
  'one moved': [
    ['DTSTART:20260601T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=WEEKLY;COUNT=4'],
    ['RECURRENCE-ID:20260615T090000Z', 'DTSTART:20260617T090000Z', 'DURATION:PT1H'],
  ],
};
for (const [name, events] of Object.entries(cases)) {
  const lines = events.flatMap((event) => ['BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Class', ...event, 'END:VEVENT']);
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//a//b//EN', ...zone, ...lines, 'END:VCALENDAR', ''].join('\r\n');
  writeFileSync('class.ics', text);
  const page = execFileSync('program/usr/bin/ical2html', ['20260601', 'P30D', 'class.ics'], { encoding: 'utf8', env: { ...process.env, LD_LIBRARY_PATH: 'program/usr/lib/x86_64-linux-gnu' } });
  const shown = [...page.matchAll(/class="dtstart"\s+title="202606(\d\d)/g)].map((match) => match[1]);
  const event = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent'));
  const days = [];
  for (let steps = event.iterator(), day = steps.next(); day; day = steps.next()) days.push(event.getOccurrenceDetails(day).startDate.toString().slice(8, 10));
  console.log(`${name}: ${shown.join(' ')} (right: ${days.join(' ')})`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
weekly: 01 08 15 22 (right: 01 08 15 22)
one taken out: 01 08 15 22 (right: 01 08 22)
one taken out, Berlin: 01 08 15 22 (right: 01 08 22)
one taken out, whole days: 01 08 15 22 (right: 01 08 22)
one added: 01 08 15 22 (right: 01 03 08 15 22)
one moved: 01 08 15 17 22 (right: 01 08 17 22)
WANT
