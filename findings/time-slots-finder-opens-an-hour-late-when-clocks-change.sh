#!/usr/bin/env bash
# time-slots-finder 0.5.5 (npm's newest): on the day clocks go forward, a shop of 09:00 to 12:00 is offered from 10:00 to 14:00.
# Its README: availablePeriods are in `timeZone`, "used through all the configuration", and its example is a week in Paris.
# Seen: the hour is missed both for the start and for the length of a shift. When clocks go back, 08:00 to 10:00 is offered.
# Two customers stand before a closed door, and an hour that is free cannot be booked. Other days are right, and nothing is thrown.
# Compare each slot of such a day with the hours oneself. The machine is in UTC, as servers are, and the year is far, so that now does not count.
# Its zones are those of dayjs 1.11.23. Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent time-slots-finder@0.5.5 dayjs@1.11.23
cat >run.mjs <<'JS'
import finder from 'time-slots-finder';
const local = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Paris', timeStyle: 'short' });
function offered(date, startTime, endTime) {
  const slots = finder.getAvailableTimeSlotsInCalendar({
    configuration: {
      timeSlotDuration: 60,
      timeZone: 'Europe/Paris',
      availablePeriods: [1, 2, 3, 4, 5, 6, 7].map((isoWeekDay) => ({ isoWeekDay, shifts: [{ startTime, endTime }] })),
    },
    from: new Date(`${date}T00:00:00Z`),
    to: new Date(`${date}T22:00:00Z`),
  });
  return slots.map(({ startAt, endAt }) => `${local.format(startAt)}-${local.format(endAt)}`).join(' ');
}
for (const date of ['2031-03-29', '2031-03-30', '2031-03-31', '2031-10-25', '2031-10-26', '2031-10-27']) {
  console.log(`${date}, open 09:00 to 12:00: ${offered(date, '09:00', '12:00')}`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
2031-03-29, open 09:00 to 12:00: 09:00-10:00 10:00-11:00 11:00-12:00
2031-03-30, open 09:00 to 12:00: 10:00-11:00 11:00-12:00 12:00-13:00 13:00-14:00
2031-03-31, open 09:00 to 12:00: 09:00-10:00 10:00-11:00 11:00-12:00
2031-10-25, open 09:00 to 12:00: 09:00-10:00 10:00-11:00 11:00-12:00
2031-10-26, open 09:00 to 12:00: 08:00-09:00 09:00-10:00
2031-10-27, open 09:00 to 12:00: 09:00-10:00 10:00-11:00 11:00-12:00
WANT
