#!/bin/sh
# ts-ics 2.4.6: a category that holds a comma is read as two, and a guest called "Doe, Jane" is written without quotes.
# RFC 5545 (3.3.11) escapes a comma in text as \, and 3.2 asks for quotes around a parameter with a comma. Expected: categories A and "B, C"; quotes kept.
# Seen: A, "B\" and " C"; CN=Doe, Jane. A client that reads and writes an event back changes what other people entered.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ts-ics@2.4.6
cat >run.mjs <<'JS'
import { convertIcsCalendar, generateIcsCalendar } from 'ts-ics';
const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@example.com', 'DTSTAMP:20260101T000000Z', 'DTSTART:20260601T100000Z',
  'DTEND:20260601T110000Z', 'SUMMARY:x', 'CATEGORIES:A,B\\, C', 'ATTENDEE;CN="Doe, Jane":mailto:jane@example.com', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
const calendar = convertIcsCalendar(undefined, text);
const categories = JSON.stringify(calendar.events[0].categories);
const guest = generateIcsCalendar(calendar).split(/\r?\n/).find((line) => line.startsWith('ATTENDEE'));
console.log(`${categories}\n${guest}`);
const same = categories.startsWith('["A","B\\\\"') && /CN=Doe, Jane[;:]/.test(guest);
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
