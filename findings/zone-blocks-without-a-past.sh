#!/bin/sh
# timezones-ical-library 2.3.2 (rules of IANA's 2026c): the newest rules of a zone count for every date, also for those before the change.
# RFC 5545 (3.6.5): a VTIMEZONE holds the rules for the time it is used for. tzlib_get_offset() takes a date and promises the offset of that day.
# Seen: Vancouver and Edmonton, whose clocks stay on summer time since 2026, have had no winter: 15 January 2026 is an hour off, in the offset and,
# read by ical.js 2.2.1, in the block; so are other zones before their last change. Zones without a change are right. A past visit, or a series begun
# before the change, moves by an hour. Use it for coming dates only. moment-timezone 0.6.6 carries the past. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent timezones-ical-library@2.3.2 moment-timezone@0.6.6 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import moment from 'moment-timezone';
import { tzlib_get_ical_block, tzlib_get_offset } from 'timezones-ical-library';
function show(zone, day) {
  const [block, tzid] = tzlib_get_ical_block(zone);
  const lines = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', block, 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20260101T000000Z',
    `DTSTART;${tzid}:${day.replaceAll('-', '')}T120000`, 'DURATION:PT1H', 'END:VEVENT', 'END:VCALENDAR', ''];
  const event = new ICAL.Event(new ICAL.Component(ICAL.parse(lines.join('\r\n'))).getFirstSubcomponent('vevent'));
  const read = moment.utc(event.startDate.toJSDate()).format('HH:mm');
  const right = moment.tz(`${day}T12:00`, zone);
  return `${zone} ${day}: offset ${tzlib_get_offset(zone, day, '12:00')}, noon is ${read} UTC; right is ${right.format('ZZ')}, ${right.utc().format('HH:mm')}`;
}
const seen = [
  show('America/Vancouver', '2026-01-15'),
  show('America/Edmonton', '2026-01-15'),
  show('America/Mexico_City', '2022-07-01'),
  show('Asia/Almaty', '2024-01-15'),
  show('Europe/Berlin', '2026-01-15'),
];
console.log(seen.join('\n'));
const expected = [
  'America/Vancouver 2026-01-15: offset -0700, noon is 19:00 UTC; right is -0800, 20:00',
  'America/Edmonton 2026-01-15: offset -0600, noon is 18:00 UTC; right is -0700, 19:00',
  'America/Mexico_City 2022-07-01: offset -0600, noon is 18:00 UTC; right is -0500, 17:00',
  'Asia/Almaty 2024-01-15: offset +0500, noon is 07:00 UTC; right is +0600, 06:00',
  'Europe/Berlin 2026-01-15: offset +0100, noon is 11:00 UTC; right is +0100, 11:00',
];
const same = seen.join('|') === expected.join('|');
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
