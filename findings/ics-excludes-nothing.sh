#!/bin/sh
# ics 3.12.0: a cancelled class of a series with floating times takes place, and a series of days with a day off cannot be read.
# RFC 5545 (3.8.5.1, 3.3.5, 3.3.4): EXDATE names a start as the series writes it: floating like DTSTART, or as a day with VALUE=DATE.
# Seen: with `startOutputType: 'local'` DTSTART floats, and EXDATE is in UTC by the writer's clock; a day is written without VALUE=DATE.
# node-ical 0.27.2 on a clock other than the writer's excludes nothing, and neither does ical.js 2.2.1. Of the days, ical.js throws at the first.
# The class that was called off is shown to everybody. Write EXDATE yourself, or series in UTC. Written in Berlin, read in New York.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ics@3.12.0 ical.js@2.2.1 node-ical@0.27.2
cat >write.mjs <<'JS'
import { createEvent } from 'ics';
const series = { title: 'Class', duration: { hours: 1 }, recurrenceRule: 'FREQ=WEEKLY;COUNT=3' };
const texts = [
  { ...series, start: [2026, 12, 7, 10, 0], startOutputType: 'local', exclusionDates: [[2026, 12, 14, 10, 0]] },
  { ...series, start: [2026, 12, 7, 10, 0], exclusionDates: [[2026, 12, 14, 10, 0]] },
  { ...series, start: [2026, 12, 7], duration: { days: 1 }, exclusionDates: [[2026, 12, 14]] },
].map((event, at) => createEvent({ ...event, uid: `${at}@shop.example` }).value);
console.log(JSON.stringify(texts));
JS
cat >read.mjs <<'JS'
import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
import ical from 'node-ical';
const from = new Date('2026-12-01');
const to = new Date('2027-01-01');
const readers = {
  'ical.js'(text) {
    const iterator = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).iterator();
    const days = [];
    for (let next = iterator.next(); next; next = iterator.next()) days.push(next.day);
    return days;
  },
  'node-ical': (text) => {
    const event = Object.values(ical.sync.parseICS(text)).find(({ type }) => type === 'VEVENT');
    return ical.expandRecurringEvent(event, { from, to }).map(({ start }) => start.getDate());
  },
};
const attempt = (read, text) => {
  try {
    return read(text).join(' ');
  } catch {
    return 'an error';
  }
};
const seen = JSON.parse(readFileSync('texts.json', 'utf8')).map((text) => {
  const lines = text.match(/^(DTSTART|EXDATE).*$/gm).map((line) => line.trim()).join(' ');
  return `${lines} -> ${Object.entries(readers).map(([name, read]) => `${name}: ${attempt(read, text)}`).join(', ')}`;
});
console.log(seen.join('\n'));
const expected = [
  'DTSTART:20261207T100000 EXDATE:20261214T090000Z -> ical.js: 7 14 21, node-ical: 7 14 21',
  'DTSTART:20261207T090000Z EXDATE:20261214T090000Z -> ical.js: 7 21, node-ical: 7 21',
  'DTSTART;VALUE=DATE:20261207 EXDATE:20261214 -> ical.js: an error, node-ical: 7 21',
];
const same = seen.join() === expected.join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
TZ=Europe/Berlin node write.mjs >texts.json
TZ=America/New_York node read.mjs
