#!/bin/sh
# calendar-link 2.11.5: its file of a whole day has no day for two of three readers, also not for the one in Thunderbird.
# RFC 5545 (3.3.4, 3.8.2.4): a date needs VALUE=DATE, as without it the value is a time. Expected of `allDay: true`: DTSTART;VALUE=DATE:20261224.
# Seen: DTSTART:20261224. ical.js 2.2.1, which Thunderbird uses, throws when the start is read (kewisch/ical.js#620). ts-ics 2.4.6 gives an invalid
# date. node-ical 0.27.2 takes it for a day. The closed day of a shop blocks nothing in the calendars of those who open the file.
# Put VALUE=DATE into the text, or use another library. Readers should take eight figures for a day. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent calendar-link@2.11.5 ical.js@2.2.1 ts-ics@2.4.6 node-ical@0.27.2
cat >run.mjs <<'JS'
import { ics } from 'calendar-link';
import ICAL from 'ical.js';
import ical from 'node-ical';
import { convertIcsCalendar } from 'ts-ics';
const link = ics({ uid: 'one@shop.example', title: 'Closed', start: '2026-12-24', allDay: true });
const text = decodeURIComponent(link).slice('data:text/calendar;charset=utf8,'.length);
const readers = {
  'ical.js': () => new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).startDate.toString(),
  'ts-ics': () => convertIcsCalendar(undefined, text).events[0].start.date.toISOString(),
  'node-ical': () => ical.sync.parseICS(text)['one@shop.example'].datetype,
};
const seen = Object.entries(readers).map(([name, read]) => {
  try {
    return `${name}: ${read()}`;
  } catch (error) {
    return `${name}: ${error.message}`;
  }
});
seen.unshift(/^DTSTART.*$/m.exec(text)[0].trim());
console.log(seen.join('\n'));
const same = seen.join() === ['DTSTART:20261224', 'ical.js: invalid date-time value: "2026-12-24T::"', 'ts-ics: Invalid time value', 'node-ical: date'].join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
