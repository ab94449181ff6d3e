#!/bin/sh
# @webresto/worktime 2.4.0 (September 2026): open from 10:00 to 23:00 is open until 19:00 in New York, and from 11:00 to midnight in Berlin's summer.
# Its README: `timezone` is the zone of the business, with 'America/New_York' as a name for it, and `break` its lunch break.
# Seen: each zone has one fixed offset, that of winter, so summer is an hour late. West of the server's clock, hours before its midnight
# are less than zero, and the business counts as closed. The break is never looked at: at half past one it is open.
# A shop in UTC, and one east of it in winter, are right, which is what tests see. Nothing is thrown.
# Nobody in New York can book the last four hours of a day. Ask Intl.DateTimeFormat for the local day and hour instead.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @webresto/worktime@2.4.0
cat >run.mjs <<'JS'
import { WorkTimeValidator } from '@webresto/worktime';
const STEP_MS = 15 * 60_000;
const dayOfWeek = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const worktime = [{ dayOfWeek, start: '10:00', stop: '23:00', break: '13:00-14:00' }];
// When it is open on a local day, asked a minute after each quarter of an hour.
function open(timezone, date) {
  const local = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'short', timeStyle: 'short' });
  const spans = [];
  for (let moment = Date.parse(`${date}T00:01:00Z`) - 86_400_000, from = ''; moment < Date.parse(`${date}T00:01:00Z`) + 2 * 86_400_000; moment += STEP_MS) {
    const [day, hour] = local.format(moment).split(', ');
    if (day !== date.split('-').reverse().join('/')) continue;
    const { workNow } = WorkTimeValidator.isWorkNow({ timezone, worktime }, new Date(moment));
    if (workNow && !from) from = hour;
    if (from && (!workNow || hour === '23:46')) {
      spans.push(`${from} to ${hour}`);
      from = '';
    }
  }
  return spans.join(', ');
}
for (const [zone, date] of [['UTC', '2026-12-08'], ['Europe/Berlin', '2026-12-08'], ['Europe/Berlin', '2026-07-07'], ['America/New_York', '2026-12-08'], ['America/New_York', '2026-07-07']]) {
  console.log(`${zone}, ${date}: ${open(zone, date)}`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
UTC, 2026-12-08: 10:01 to 23:01
Europe/Berlin, 2026-12-08: 10:01 to 23:01
Europe/Berlin, 2026-07-07: 11:01 to 23:46
America/New_York, 2026-12-08: 10:01 to 19:01
America/New_York, 2026-07-07: 11:01 to 20:01
WANT
