#!/bin/sh
# time-slots-finder 0.5.5 (with dayjs 1.11.23): a shop that closes each Christmas is open at the second one, and 9 to 12 becomes 10 to 14 in March.
# Its README: a closed period without years repeats every year. Shifts are hours of the day in the time zone of the configuration.
# Seen: such a period is laid into the year of the machine's clock only. In December the holidays of January, and all of next year, are open.
# On the day of the clock change, a shift is an hour late and an hour longer in March. In October it is early and shorter.
# Customers book hours in which nobody is there, without a warning.
# State the years, for each year that can be booked, and check the hours of each slot. The clock stands still here (@sinonjs/fake-timers 15.5.0).
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent time-slots-finder@0.5.5 dayjs@1.11.23 @sinonjs/fake-timers@15.5.0
cat >run.mjs <<'JS'
import FakeTimers from '@sinonjs/fake-timers';
import finder from 'time-slots-finder';
FakeTimers.install({ now: new Date('2026-12-01T00:00:00Z'), toFake: ['Date'] });
const timeZone = 'Europe/Berlin';
const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
const open = [1, 2, 3, 4, 5, 6, 7].map((isoWeekDay) => ({ isoWeekDay, shifts: [{ startTime: '09:00', endTime: '12:00' }] }));
function slots(from, to, unavailablePeriods = []) {
  const configuration = { timeSlotDuration: 60, availablePeriods: open, unavailablePeriods, timeZone };
  return finder.getAvailableTimeSlotsInCalendar({ configuration, from: new Date(from), to: new Date(to) }).map(({ startAt }) => clock.format(startAt));
}
const days = (list) => [...new Set(list.map((slot) => slot.slice(5, 10)))].join(' ');
const hours = (list) => list.map((slot) => slot.slice(11)).join(' ');
const christmas = [{ startAt: { month: 11, day: 24 }, endAt: { month: 11, day: 26 } }];
const epiphany = [{ startAt: { month: 0, day: 6 }, endAt: { month: 0, day: 6 } }];
console.log(`Christmas 2026: ${days(slots('2026-12-23T00:00+01:00', '2026-12-27T23:00+01:00', christmas))} (right: 12-23 12-27)`);
console.log(`Christmas 2027: ${days(slots('2027-12-23T00:00+01:00', '2027-12-27T23:00+01:00', christmas))} (right: 12-23 12-27)`);
console.log(`Epiphany 2027: ${days(slots('2027-01-05T00:00+01:00', '2027-01-07T23:00+01:00', epiphany))} (right: 01-05 01-07)`);
console.log(`27 March 2027: ${hours(slots('2027-03-27T00:00+01:00', '2027-03-27T23:00+01:00'))} (right: 09:00 10:00 11:00)`);
console.log(`28 March 2027: ${hours(slots('2027-03-28T00:00+01:00', '2027-03-28T23:00+02:00'))} (right: 09:00 10:00 11:00)`);
console.log(`27 and 28 March: ${hours(slots('2027-03-27T00:00+01:00', '2027-03-28T23:00+02:00'))} (right: 09:00 10:00 11:00 09:00 10:00 11:00)`);
console.log(`31 October 2027: ${hours(slots('2027-10-31T00:00+02:00', '2027-10-31T23:00+01:00'))} (right: 09:00 10:00 11:00)`);
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
Christmas 2026: 12-23 12-27 (right: 12-23 12-27)
Christmas 2027: 12-23 12-24 12-25 12-26 12-27 (right: 12-23 12-27)
Epiphany 2027: 01-05 01-06 01-07 (right: 01-05 01-07)
27 March 2027: 09:00 10:00 11:00 (right: 09:00 10:00 11:00)
28 March 2027: 10:00 11:00 12:00 13:00 (right: 09:00 10:00 11:00)
27 and 28 March: 09:00 10:00 11:00 10:00 11:00 12:00 13:00 (right: 09:00 10:00 11:00 09:00 10:00 11:00)
31 October 2027: 08:00 09:00 (right: 09:00 10:00 11:00)
WANT
