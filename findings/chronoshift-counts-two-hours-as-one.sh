#!/bin/sh
# chronoshift 1.2.3 (August 2026): when clocks go back, the start of the repeated hour is the start of the hour before it.
# Its README: hour.floor() and Duration('PT1H').floor() give the start of the hour in a zone.
# Seen: what happens in the second of the two hours is counted from the first: the start is up to two hours back, a bucket of 120 minutes.
# materialize() gives both hours, so the second bucket stays empty. Quarters of an hour are right, and so is UTC.
# A report of that night has twice the bookings in one hour, and none in the next. Floor the instant itself: such zones differ by whole hours.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent chronoshift@1.2.3
cat >run.mjs <<'JS'
import chronoshift from 'chronoshift';
const { Duration, Timezone } = chronoshift;
const show = (at) => at.toISOString().slice(11, 16);
const [hour, quarter] = [new Duration('PT1H'), new Duration('PT15M')];
for (const [name, first] of [
  ['Europe/Berlin', '2026-10-25T00:00:00Z'],
  ['America/New_York', '2026-11-01T05:00:00Z'],
  ['Etc/UTC', '2026-10-25T00:00:00Z'],
]) {
  const zone = Timezone.fromJS(name);
  const after = (minutes) => new Date(Date.parse(first) + minutes * 60_000);
  const hours = hour.materialize(after(0), after(120), zone);
  console.log(`${name}: hours from ${hours.map(show).join(' ')}`);
  for (const minutes of [10, 70, 100]) {
    const at = after(minutes);
    console.log(`  ${show(at)} is in the hour from ${show(hour.floor(at, zone))}, the quarter from ${show(quarter.floor(at, zone))}`);
  }
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
Europe/Berlin: hours from 00:00 01:00 02:00
  00:10 is in the hour from 00:00, the quarter from 00:00
  01:10 is in the hour from 00:00, the quarter from 01:00
  01:40 is in the hour from 00:00, the quarter from 01:30
America/New_York: hours from 05:00 06:00 07:00
  05:10 is in the hour from 05:00, the quarter from 05:00
  06:10 is in the hour from 05:00, the quarter from 06:00
  06:40 is in the hour from 05:00, the quarter from 06:30
Etc/UTC: hours from 00:00 01:00 02:00
  00:10 is in the hour from 00:00, the quarter from 00:00
  01:10 is in the hour from 01:00, the quarter from 01:00
  01:40 is in the hour from 01:00, the quarter from 01:30
WANT
