#!/bin/sh
# ts-ics 2.4.6: an event that holds a place of its own (VLOCATION) gets the UID of the place.
# RFC 9073 (7.2) puts VLOCATION, with a UID that it must have, into VEVENT. Expected: the event keeps its UID, as ical.js 2.2.1 reads it.
# Seen: two events in one room have the same UID, so a mirror takes them for one, and what is written back has lost both identities.
# Take out what stands between BEGIN and END of components you do not know before ts-ics reads the text. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ts-ics@2.4.6 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { convertIcsCalendar, generateIcsCalendar } from 'ts-ics';
const event = (uid, hour) => ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20261101T000000Z', `DTSTART:20261215T${hour}0000Z`, `DTEND:20261215T${hour}3000Z`, `SUMMARY:Haircut ${hour}`,
  'BEGIN:VLOCATION', 'UID:room@shop.example', 'NAME:Room 1', 'END:VLOCATION', 'END:VEVENT'];
const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...event('one@shop.example', 10), ...event('two@shop.example', 12), 'END:VCALENDAR', ''].join('\r\n');
const right = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => one.getFirstPropertyValue('uid')).join(' ');
const calendar = convertIcsCalendar(undefined, text);
const read = calendar.events.map((one) => one.uid).join(' ');
const written = generateIcsCalendar(calendar).match(/^UID:.*$/gm).map((line) => line.trim().slice(4)).join(' ');
console.log(`ical.js reads ${right}\nts-ics reads ${read}\nts-ics writes ${written}`);
const room = 'room@shop.example room@shop.example';
const same = right === 'one@shop.example two@shop.example' && read === room && written === room;
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
