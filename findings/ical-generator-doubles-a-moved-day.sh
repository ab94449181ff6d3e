#!/bin/sh
# ical-generator 11.1.2: a whole day that was moved out of a series stands in the calendar twice, on the old date and on the new one.
# RFC 5545 (3.8.4.4) gives RECURRENCE-ID the type of the series' DTSTART: a date. Seen: RECURRENCE-ID:20260329T000000Z beside DTSTART;VALUE=DATE, so
# ical.js 2.2.1, which Thunderbird uses, finds no day that it replaces. A day off that was moved blocks two days. The same change of a series
# with hours is found. Write the series out as single events. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ical-generator@11.1.2 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import ical from 'ical-generator';
function shown(allDay, hour) {
  const at = (day) => new Date(`2026-${day}T${hour}:00:00Z`);
  const calendar = ical({ name: 'Shop' });
  calendar.createEvent({ id: '1@shop.example', allDay, start: at('03-27'), summary: 'Away', repeating: { freq: 'DAILY', count: 4 } });
  calendar.createEvent({ id: '1@shop.example', allDay, start: at('04-05'), summary: 'Away, moved', recurrenceId: at('03-29') });
  const text = calendar.toString();
  const [series, moved] = new ICAL.Component(ICAL.parse(text)).getAllSubcomponents('vevent').map((one) => new ICAL.Event(one));
  series.relateException(moved);
  const steps = series.iterator();
  const days = [];
  for (let next = steps.next(); next; next = steps.next()) days.push(series.getOccurrenceDetails(next).startDate);
  const dates = [...days, ...(days.some((one) => one.compare(moved.startDate) === 0) ? [] : [moved.startDate])];
  return { line: /^RECURRENCE-ID.*$/m.exec(text)[0].trim(), days: dates.map((one) => one.toString().slice(5, 10)).sort().join(' ') };
}
const seen = { 'whole days': shown(true, '00'), 'with hours': shown(false, '09') };
for (const [name, one] of Object.entries(seen)) console.log(`${name}: ${one.line} gives ${one.days}`);
const same =
  seen['whole days'].line === 'RECURRENCE-ID:20260329T000000Z' && seen['whole days'].days === '03-27 03-28 03-29 03-30 04-05' && seen['with hours'].days === '03-27 03-28 03-30 04-05';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
TZ=UTC node run.mjs
