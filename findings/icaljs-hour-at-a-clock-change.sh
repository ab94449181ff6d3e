#!/bin/sh
# ical.js 2.2.1: local times in the hour that comes twice, or not at all, mean another instant than RFC 5545 (3.3.5) says.
# The RFC takes the first of two equal hours, and for a missing hour the offset before the gap. Expected in Europe/Berlin: 02:30 on 2026-10-25 is
# 00:30 UTC, and 02:30 on 2026-03-29 is 01:30 UTC. Seen: 01:30 and 00:30 UTC, each an hour away.
# Whoever compares a feed with a calendar should leave these two hours out, or convert them with a zone library. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
const rule = (name, start, from, to, month) =>
  [`BEGIN:${name}`, `DTSTART:${start}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, `RRULE:FREQ=YEARLY;BYMONTH=${month};BYDAY=-1SU`, `END:${name}`];
const calendar = (start) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VTIMEZONE', 'TZID:Europe/Berlin',
    ...rule('DAYLIGHT', '19810329T020000', '+0100', '+0200', 3), ...rule('STANDARD', '19961027T030000', '+0200', '+0100', 10),
    'END:VTIMEZONE', 'BEGIN:VEVENT', 'UID:1@example.com', 'DTSTAMP:20260101T000000Z', `DTSTART;TZID=Europe/Berlin:${start}`, 'DURATION:PT1H',
    'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
const instant = (start) =>
  new ICAL.Event(new ICAL.Component(ICAL.parse(calendar(start))).getFirstSubcomponent('vevent')).startDate.toJSDate().toISOString();
const seen = ['20261024T023000', '20261025T023000', '20260329T023000'].map(instant);
console.log(seen.join('\n'));
const expected = ['2026-10-24T00:30:00.000Z', '2026-10-25T01:30:00.000Z', '2026-03-29T00:30:00.000Z'];
const same = JSON.stringify(seen) === JSON.stringify(expected);
console.log(same ? 'as seen: an ordinary day is right, both nights are an hour off' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
