#!/bin/sh
# opening_hours 3.15.0 (September 2026): "Feb 20-28 10:00-12:00" is not open on any day of a year with 28 days in February.
# OpenStreetMap's specification has month, day, hyphen and day, and both days belong to it. "Feb 20-Feb 28" is right here, and so is "Dec 20-31".
# Seen: the day after the end has to exist in February. So "Feb 20-28" holds in leap years alone, "Feb 20-29" never, and getNextChange() finds nothing.
# Written with the month twice, "Feb 20-Feb 29" takes 1 March in years without a 29th. None of them gives a warning.
# A shop that closes for the last week of February ("Feb 20-28 off") stands as open, and a fair in that week is never found.
# Write the month twice, and end with Feb 28 or Mar 1. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent opening_hours@3.15.0
cat >run.cjs <<'JS'
const OpeningHours = require('opening_hours');
const ranges = ['Feb 20-27', 'Feb 20-28', 'Feb 20-Feb 28', 'Feb 20-29', 'Feb 20-Feb 29', 'Dec 20-31'];
for (const text of [...ranges.map((range) => `${range} 10:00-12:00`), '10:00-12:00; Feb 20-28 off']) {
  const hours = new OpeningHours(text);
  const month = text.startsWith('Dec') ? 11 : 1;
  const years = [2027, 2028].map((year) => {
    const days = hours.getOpenIntervals(new Date(year, month, 20), new Date(year, month + 1, 3)).map(([start]) => start.toISOString().slice(5, 10));
    return `${year} ${days.length === 0 ? 'never' : `${days.length} days, ${days[0]} to ${days.at(-1)}`}`;
  });
  console.log(`${text}: ${years.join('; ')}; warnings ${hours.getWarnings().length}`);
}
const next = (text) => new OpeningHours(text).getNextChange(new Date(2026, 11, 1));
console.log(`next change: ${next('Feb 20-28 10:00-12:00')}, with the month twice on ${next('Feb 20-Feb 28 10:00-12:00').toDateString()}`);
JS
TZ=UTC node run.cjs | tee seen
diff seen - <<'WANT'
Feb 20-27 10:00-12:00: 2027 8 days, 02-20 to 02-27; 2028 8 days, 02-20 to 02-27; warnings 0
Feb 20-28 10:00-12:00: 2027 never; 2028 9 days, 02-20 to 02-28; warnings 0
Feb 20-Feb 28 10:00-12:00: 2027 9 days, 02-20 to 02-28; 2028 9 days, 02-20 to 02-28; warnings 0
Feb 20-29 10:00-12:00: 2027 never; 2028 never; warnings 0
Feb 20-Feb 29 10:00-12:00: 2027 10 days, 02-20 to 03-01; 2028 10 days, 02-20 to 02-29; warnings 0
Dec 20-31 10:00-12:00: 2027 12 days, 12-20 to 12-31; 2028 12 days, 12-20 to 12-31; warnings 0
10:00-12:00; Feb 20-28 off: 2027 11 days, 02-20 to 03-02; 2028 3 days, 02-29 to 03-02; warnings 0
next change: undefined, with the month twice on Sat Feb 20 2027
WANT
