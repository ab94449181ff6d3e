#!/bin/sh
# ical-expander 3.2.0 (October 2025): one class of a series that was moved far away hides the classes after it, and one that was moved nearer is not shown.
# Expected of between(): every event that takes place in the range. node-ical 0.27.2 gives both (expandRecurringEvent).
# Seen: the walk through the series ends at the first instance that begins after the range, by its new time. The second of four Tuesdays
# is moved into January: the third is gone. The fourth is moved to the first Thursday: that Thursday has nothing, as the walk ended before it.
# A calendar shows free hours where people are booked. Ask for a range that reaches far beyond, and filter. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical-expander@3.2.0 node-ical@0.27.2
cat >run.mjs <<'JS'
import IcalExpander from 'ical-expander';
import ical from 'node-ical';
const hour = (day) => [`DTSTART:202${day}T100000Z`, `DTEND:202${day}T110000Z`];
const event = (...lines) => ['BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20261101T000000Z', 'SUMMARY:Class', ...lines, 'END:VEVENT'];
const series = event(...hour('61201'), 'RRULE:FREQ=WEEKLY;COUNT=4');
function show(from, to, moved, onto) {
  const change = moved ? event(`RECURRENCE-ID:202${moved}T100000Z`, ...hour(onto)) : [];
  const ics = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...series, ...change, 'END:VCALENDAR', ''].join('\r\n');
  const range = [new Date(from), new Date(to)];
  const { events, occurrences } = new IcalExpander({ ics }).between(...range);
  const master = Object.values(ical.sync.parseICS(ics)).find((each) => each.type === 'VEVENT');
  const right = ical.expandRecurringEvent(master, { from: range[0], to: range[1] });
  const days = (dates) => dates.map((each) => each.toISOString().slice(5, 10)).sort().join(' ') || 'nothing';
  return `${days([...events, ...occurrences].map((each) => each.startDate.toJSDate()))} (node-ical: ${days(right.map((each) => each.start))})`;
}
const seen = [
  `unchanged, 2 to 20 December: ${show('2026-12-02', '2026-12-20')}`,
  `8 December moved to 3 January: ${show('2026-12-02', '2026-12-20', '61208', '70103')}`,
  `22 December moved to 3 December, 2 to 5 December: ${show('2026-12-02', '2026-12-05', '61222', '61203')}`,
];
console.log(seen.join('\n'));
const expected = ['12-08 12-15 (node-ical: 12-08 12-15)', 'nothing (node-ical: 12-15)', 'nothing (node-ical: 12-03)'];
const same = seen.every((each, at) => each.endsWith(`: ${expected[at]}`));
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
