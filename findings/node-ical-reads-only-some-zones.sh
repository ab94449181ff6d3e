#!/bin/sh
# node-ical 0.27.2: the rules of a time zone in the file count only under some names; under others the hour is one of the machine's zone, without a word.
# RFC 5545 (3.2.19, 3.6.5): TZID names the VTIMEZONE of the same file, whatever it is called. Expected: 10:00 of a zone of UTC+1 is 09:00 UTC.
# Seen: that holds for "Customized Time Zone" of Outlook. The same rules under the name "Mitteleuropa", or under that of libical, which Evolution uses,
# are not read: in December it gives 10:00 UTC on a server in UTC, and 15:00 UTC on one in New York. ical.js 2.2.1 and ts-ics 2.4.6 read all.
# Whoever blocks time from feeds blocks wrong hours. Put IANA's names into the text first. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical.js@2.2.1 ts-ics@2.4.6
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import ical from 'node-ical';
import { convertIcsCalendar } from 'ts-ics';
const part = (name, day, from, to, month) => [`BEGIN:${name}`, `DTSTART:${day}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=-1SU`, `END:${name}`];
function read(zone) {
  const rules = ['BEGIN:VTIMEZONE', `TZID:${zone}`, ...part('STANDARD', '19701025T030000', '+0200', '+0100', 10), ...part('DAYLIGHT', '19700329T020000', '+0100', '+0200', 3), 'END:VTIMEZONE'];
  const event = (uid, day) => ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T000000Z', `DTSTART;TZID=${zone}:${day}T100000`, `DTEND;TZID=${zone}:${day}T110000`, 'SUMMARY:Class', 'END:VEVENT'];
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...rules, ...event('1@shop.example', '20260706'), ...event('2@shop.example', '20261207'), 'END:VCALENDAR', ''].join('\r\n');
  const hours = (list) => list.map((one) => new Date(one).toISOString().slice(11, 16)).join(' ');
  const parsed = ical.sync.parseICS(text);
  return [
    hours(new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one).startDate.toUnixTime() * 1000)),
    hours(convertIcsCalendar(undefined, text).events.map((one) => one.start.date)),
    hours(['1@shop.example', '2@shop.example'].map((uid) => parsed[uid].start)),
  ].join(', ');
}
const zones = ['Customized Time Zone', 'Mitteleuropa', '/freeassociation.sourceforge.net/Europe/Berlin'];
const seen = zones.map(read);
console.log(`July and December in UTC by ical.js, ts-ics, node-ical in ${process.env.TZ}`);
zones.forEach((zone, at) => console.log(`${zone}: ${seen[at]}`));
const local = process.env.TZ === 'UTC' ? '10:00 10:00' : '14:00 15:00';
const right = '08:00 09:00';
const same = seen.join('|') === `${right}, ${right}, ${right}|${right}, ${right}, ${local}|${right}, ${right}, ${local}`;
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
TZ=UTC node run.mjs
TZ=America/New_York node run.mjs
