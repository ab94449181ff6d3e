#!/bin/sh
# @schedule-x/event-recurrence 4.8.0 (with @schedule-x/calendar 4.9.1): a class of every second week is on other Sundays, and may lose its last date.
# RFC 5545 (3.3.10): weeks begin on Monday unless WKST says otherwise, and UNTIL is in UTC where the event has a zone. rrule-temporal 2.2.8 agrees.
# Seen: BYDAY=MO,SU with INTERVAL=2 takes the Sundays of the off weeks, as weeks begin on Sunday; with WKST=MO written out it is right.
# UNTIL is read on the clock of the calendar. In Berlin a series until 10:00Z, its last class at 11:00, thus ends a week earlier.
# Write WKST into such rules, and COUNT or a later UNTIL. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @schedule-x/calendar@4.9.1 @schedule-x/event-recurrence@4.8.0 preact@10.29.2 @preact/signals@2.11.4 \
  temporal-polyfill@0.3.2 happy-dom@21.0.4 rrule-temporal@2.2.8
cat >run.mjs <<'JS'
import 'temporal-polyfill/global';
import { Window } from 'happy-dom';
import { RRuleTemporal } from 'rrule-temporal';
globalThis.window = new Window();
globalThis.document = window.document;
const { createCalendar, createViewMonthGrid } = await import('@schedule-x/calendar');
const { createEventRecurrencePlugin, createEventsServicePlugin } = await import('@schedule-x/event-recurrence');
const timezone = 'Europe/Berlin';
const days = (moments) => moments.map((each) => each.toPlainDate().toString().slice(5)).join(' ');
function shown(rrule) {
  const events = createEventsServicePlugin();
  const start = Temporal.ZonedDateTime.from(`2026-12-07T11:00[${timezone}]`);
  createCalendar({
    views: [createViewMonthGrid()],
    timezone,
    selectedDate: start.toPlainDate(),
    events: [{ id: 1, title: 'Class', start, end: start.add({ hours: 1 }), rrule }],
    plugins: [events, createEventRecurrencePlugin()],
  });
  const right = new RRuleTemporal({ rruleString: `DTSTART;TZID=${timezone}:20261207T110000\nRRULE:${rrule}` }).all();
  return `${rrule}: ${days(events.$app.calendarEvents.list.value.map((each) => each.start))} (RFC 5545: ${days(right)})`;
}
const seen = [
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;COUNT=4',
  'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU;COUNT=4;WKST=MO',
  'FREQ=WEEKLY;UNTIL=20261221T100000Z',
].map(shown);
console.log(seen.join('\n'));
const expected = ['12-07 12-20 12-21 01-03 (RFC 5545: 12-07 12-13 12-21 12-27)', '12-07 12-13 12-21 12-27 (RFC 5545: 12-07 12-13 12-21 12-27)', '12-07 12-14 (RFC 5545: 12-07 12-14 12-21)'];
const same = seen.every((each, at) => each.endsWith(`: ${expected[at]}`));
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
