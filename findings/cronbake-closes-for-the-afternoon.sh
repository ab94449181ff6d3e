#!/bin/sh
# cronbake 0.4.0: "0 0 9-12,14-17 * * *" never rings in the afternoon, and "0 0 9,14-17 * * *" rings through noon as well.
# POSIX (crontab) makes a field a list of elements, each of them a number or a range. The README has ranges, steps and lists, and no limit.
# Seen: a field with a hyphen is split at its hyphens before its commas. The rest of the list is lost, or the gap in it is filled.
# "*/15,50" loses the 50 in the same way. Plain lists and plain ranges are right, and croner 11.0.1 reads all of them. Nothing is thrown.
# Reminders of a shop with a break at noon stay away all afternoon. Write the hours out: "9,10,11,12,14,15,16,17".
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent cronbake@0.4.0 croner@11.0.1 @sinonjs/fake-timers@15.5.0
cat >run.mjs <<'JS'
import FakeTimers from '@sinonjs/fake-timers';
import { CronParser } from 'cronbake';
import { Cron } from 'croner';
const clock = FakeTimers.install({ toFake: ['Date'], now: Date.UTC(2026, 11, 7) });
const short = (date) => `${date.getUTCDate()} December ${date.toISOString().slice(11, 16)}`;
// The first time after each of the given ones, on 7 December.
function after(expression, times) {
  return times.map((time) => {
    clock.setSystemTime(new Date(`2026-12-07T${time}:30Z`));
    const right = short(new Cron(expression, { timezone: 'UTC' }).nextRun(new Date()));
    const seen = short(new CronParser(expression).getNext());
    return `after ${time} ${seen}${seen === right ? '' : ` (croner: ${right})`}`;
  }).join(', ');
}
for (const [expression, times] of [
  ['0 0 9-17 * * *', ['12:00']],
  ['0 0 9,10,11,12,14,15,16,17 * * *', ['12:00']],
  ['0 0 9-12,14-17 * * *', ['08:00', '12:00', '14:00']],
  ['0 0 9,14-17 * * *', ['09:00', '14:00']],
  ['0 */15,50 9 * * *', ['09:30', '09:45']],
]) console.log(`${expression}: ${after(expression, times)}`);
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
0 0 9-17 * * *: after 12:00 7 December 13:00
0 0 9,10,11,12,14,15,16,17 * * *: after 12:00 7 December 14:00
0 0 9-12,14-17 * * *: after 08:00 7 December 09:00, after 12:00 8 December 09:00 (croner: 7 December 14:00), after 14:00 8 December 09:00 (croner: 7 December 15:00)
0 0 9,14-17 * * *: after 09:00 7 December 10:00 (croner: 7 December 14:00), after 14:00 7 December 15:00
0 */15,50 9 * * *: after 09:30 7 December 09:45, after 09:45 8 December 09:00 (croner: 7 December 09:50)
WANT
