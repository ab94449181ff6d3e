#!/bin/sh
# ts-ics 2.4.6: whoever is busy for a whole day, or for a week, is busy until an invalid date, and so never found busy.
# RFC 5545 (3.3.9, 3.3.6): a period is a start and an end, or a start and a duration, which may be P1D or P1W. ical.js 2.2.1 reads all of them.
# Seen: only what begins with PT counts as a duration. P1D is taken for an end, without an error, and every comparison with that end is false.
# Where a component that it does not know (RFC 7953) follows an event, METHOD gets a line break. `=== 'PUBLISH'` is then false.
# A holiday answered as free/busy leaves its hours to be booked. Ask for periods with both ends, or read free/busy with another parser.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ts-ics@2.4.6 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { convertIcsCalendar, getEventEndFromDuration } from 'ts-ics';
const calendar = (method, ...lines) => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', `METHOD:${method}`, ...lines, 'END:VCALENDAR', ''].join('\r\n');
const noon = new Date('2026-12-21T12:00:00Z');
for (const rest of ['PT8H', '20261221T170000Z', 'P1D', 'P1DT8H', 'P1W']) {
  const text = calendar('REPLY', 'BEGIN:VFREEBUSY', 'UID:1@shop.example', 'DTSTAMP:20261201T000000Z', 'DTSTART:20261201T000000Z', 'DTEND:20270101T000000Z',
    'ORGANIZER:mailto:shop@shop.example', 'ATTENDEE:mailto:ann@shop.example', `FREEBUSY:20261221T090000Z/${rest}`, 'END:VFREEBUSY');
  const { start, duration, end = getEventEndFromDuration(start, duration) } = convertIcsCalendar(undefined, text).freeBusy[0].freeBusy[0].values[0];
  const period = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vfreebusy').getFirstPropertyValue('freebusy');
  const right = period.getEnd().toJSDate();
  console.log(`${rest}: busy at noon ${start <= noon && noon < end} (right: ${period.start.toJSDate() <= noon && noon < right}), until ${Number.isNaN(end.getTime()) ? 'an invalid date' : end.toISOString()}`);
}
const event = ['BEGIN:VEVENT', 'UID:2@shop.example', 'DTSTAMP:20261201T000000Z', 'ORGANIZER:mailto:shop@shop.example', 'SEQUENCE:0',
  'DTSTART:20261221T090000Z', 'SUMMARY:Advice', 'END:VEVENT'];
const hours = ['BEGIN:VAVAILABILITY', 'UID:3@shop.example', 'DTSTAMP:20261201T000000Z', 'END:VAVAILABILITY'];
for (const lines of [event, [...hours, ...event], [...event, ...hours]]) console.log(`METHOD: ${JSON.stringify(convertIcsCalendar(undefined, calendar('PUBLISH', ...lines)).method)}`);
JS
node run.mjs | tee seen
diff seen - <<'WANT'
PT8H: busy at noon true (right: true), until 2026-12-21T17:00:00.000Z
20261221T170000Z: busy at noon true (right: true), until 2026-12-21T17:00:00.000Z
P1D: busy at noon false (right: true), until an invalid date
P1DT8H: busy at noon false (right: true), until an invalid date
P1W: busy at noon false (right: true), until an invalid date
METHOD: "PUBLISH"
METHOD: "PUBLISH"
METHOD: "PUBLISH\n"
WANT
