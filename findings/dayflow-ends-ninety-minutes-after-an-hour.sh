#!/bin/sh
# @dayflow/core 3.6.3: parseICS() ends a class of 90 minutes after one hour, and its title and note become those of its reminder.
# RFC 5545 (3.6.1, 3.6.6): an event has DTEND or DURATION, and the texts inside a VALARM belong to the alarm. ical.js 2.2.1 agrees.
# Seen: DURATION is not read. Each timed event without DTEND gets one hour, and two closed days (P2D) become one. `errors` stays empty.
# SUMMARY and DESCRIPTION of an alarm overwrite those of the event. Each shown alarm must have a DESCRIPTION, so most notes are lost.
# A room counts as free while its class goes on, and "Bring your dog" reads "Reminder". Writing it back by generateICS() makes that the file's text.
# Give every event a DTEND and leave alarms out before reading, or read with another parser. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @dayflow/core@3.6.3 ical.js@2.2.1
cat >run.mjs <<'JS'
import { parseICS } from '@dayflow/core';
import ICAL from 'ical.js';
const cases = {
  'with DTEND': ['DTSTART:20260601T090000Z', 'DTEND:20260601T103000Z'],
  'with DURATION': ['DTSTART:20260601T090000Z', 'DURATION:PT1H30M'],
  'two days': ['DTSTART;VALUE=DATE:20260601', 'DURATION:P2D'],
  'with an alarm': ['DTSTART:20260601T090000Z', 'DTEND:20260601T103000Z', 'BEGIN:VALARM', 'ACTION:EMAIL', 'TRIGGER:-PT15M', 'ATTENDEE:mailto:ann@shop.example', 'SUMMARY:Soon', 'DESCRIPTION:Reminder', 'END:VALARM'],
};
for (const [name, lines] of Object.entries(cases)) {
  const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//a//b//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20260101T000000Z', 'SUMMARY:Class', 'DESCRIPTION:Bring your dog', ...lines, 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
  const { events: [event], errors } = parseICS(text);
  const right = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent'));
  const hours = event.allDay ? event.end.since(event.start).days * 24 + 24 : event.end.since(event.start).total('hours');
  console.log(`${name}: ${hours} hours, ${event.title}, ${event.description}, ${errors.length} errors (right: ${right.duration.toSeconds() / 3600} hours, ${right.summary}, ${right.description})`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
with DTEND: 1.5 hours, Class, Bring your dog, 0 errors (right: 1.5 hours, Class, Bring your dog)
with DURATION: 1 hours, Class, Bring your dog, 0 errors (right: 1.5 hours, Class, Bring your dog)
two days: 24 hours, Class, Bring your dog, 0 errors (right: 48 hours, Class, Bring your dog)
with an alarm: 1.5 hours, Soon, Reminder, 0 errors (right: 1.5 hours, Class, Bring your dog)
WANT
