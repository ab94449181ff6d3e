#!/bin/sh
# @ilamy/calendar 3.0.1 (September 2026): a class that was moved is lost to one of two readers of its file, and a day off breaks it.
# Its README: "robust handling of EXDATE and modified instances", and an export with "strict RFC 5545 compliance".
# Seen: "only this event" writes an EXDATE for the old hour beside the RECURRENCE-ID of the new one. RFC 5545 (3.8.5.1) takes an EXDATE out of
# the series, so there is nothing left to replace. For whole days, EXDATE:20261208 lacks VALUE=DATE (3.2.20), and ical.js refuses the whole calendar.
# node-ical 0.27.2 shows both as meant. A booking moved to Wednesday is gone from some phones. Before it is given away, take out of the file each
# EXDATE that has a RECURRENCE-ID, and add the type of the days.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
# Its peers beyond these are style sheets. Its modules are for bundlers, so esbuild makes one file of them.
npm install --no-audit --no-fund --silent --legacy-peer-deps @ilamy/calendar@3.0.1 react@19.2.0 react-dom@19.2.0 dayjs@1.11.23 \
  esbuild@0.25.12 ical.js@2.2.1 node-ical@0.27.2
cat >events.mjs <<'JS'
export { dayjs } from '@ilamy/calendar';
export { RRule, recurrenceICalProperties, recurrencePlugin } from '@ilamy/calendar/plugins/recurrence';
JS
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import nodeIcal from 'node-ical';
import { dayjs, RRule, recurrenceICalProperties, recurrencePlugin } from './events.js';
const plugin = recurrencePlugin();
const [from, to] = [dayjs('2026-11-30'), dayjs('2027-01-31')];
const day = (date) => dayjs(date).format('D MMMM HH:mm');
// Its own lines about the series, around them the ones that every event has.
const written = (events) => ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...events.flatMap((event) => {
  const at = (name, moment) => (event.allDay ? `${name};VALUE=DATE:${moment.format('YYYYMMDD')}` : `${name}:${moment.format('YYYYMMDD[T]HHmmss[Z]')}`);
  return ['BEGIN:VEVENT', 'UID:1', 'DTSTAMP:20261101T000000Z', at('DTSTART', event.start), at('DTEND', event.end), 'SUMMARY:Class', ...recurrenceICalProperties(event), 'END:VEVENT'];
}), 'END:VCALENDAR', ''].join('\r\n');
function byIcalJs(text) {
  const main = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent'));
  const all = main.iterator();
  const seen = [];
  for (let next = all.next(); next; next = all.next()) seen.push(day(main.getOccurrenceDetails(next).startDate.toJSDate()));
  return seen;
}
function byNodeIcal(text) {
  const event = Object.values(nodeIcal.sync.parseICS(text)).find(({ type }) => type === 'VEVENT');
  return nodeIcal.expandRecurringEvent(event, { from: from.toDate(), to: to.toDate() }).map(({ start }) => day(start));
}
function tell(name, events) {
  const text = written(events);
  console.log(`${name}: ${text.match(/^(EXDATE|RECURRENCE-ID).*$/gm).map((line) => line.trim()).join(' ')}`);
  console.log(`  its own screen: ${plugin.transformEvents(events, { start: from, end: to }).map(({ start }) => day(start)).join(', ')}`);
  for (const [reader, read] of [['ical.js', byIcalJs], ['node-ical', byNodeIcal]]) {
    try { console.log(`  ${reader}: ${read(text).join(', ')}`); } catch (error) { console.log(`  ${reader}: ${error.message}`); }
  }
}
const series = (start, hours, more) => ({ id: '1', title: 'Class', start, end: start.add(hours, 'hour'), rrule: { freq: RRule.WEEKLY, count: 3, dtstart: start.toDate() }, ...more });
const classes = series(dayjs('2026-12-01T10:00:00'), 1);
const second = plugin.transformEvents([classes], { start: from, end: to })[1];
const updates = { start: second.start.add(1, 'day'), end: second.end.add(1, 'day') };
tell('one moved to the next day', plugin.applyEdit({ event: second, updates, currentEvents: [classes], scope: 'this' }).events);
const days = series(dayjs('2026-12-01'), 24, { allDay: true });
const free = plugin.transformEvents([days], { start: from, end: to })[1];
tell('whole days, one deleted', plugin.applyDelete({ event: free, currentEvents: [days], scope: 'this' }).events);
JS
node_modules/.bin/esbuild events.mjs --bundle --platform=node --format=cjs --outfile=events.js --log-level=error
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
one moved to the next day: EXDATE:20261208T100000Z RECURRENCE-ID:20261208T100000Z
  its own screen: 1 December 10:00, 15 December 10:00, 9 December 10:00
  ical.js: 1 December 10:00, 15 December 10:00
  node-ical: 1 December 10:00, 9 December 10:00, 15 December 10:00
whole days, one deleted: EXDATE:20261208
  its own screen: 1 December 00:00, 15 December 00:00
  ical.js: invalid date-time value: "2026-12-08T::"
  node-ical: 1 December 00:00, 15 December 00:00
WANT
