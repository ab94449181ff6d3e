#!/usr/bin/env bash
# adonisjs-scheduler 2.8.0 (May 2026): the last day of the month is that of the month in which the worker was started.
# Its README: `.lastDayOfMonth('15:00')` runs the task on the last day of the month at 15:00. Expected: 28 February, 31 March, 30 April.
# Seen: the number of the day is written into the cron line once, when the schedule is defined. A worker begun in January leaves out each
# shorter month. One begun in February closes every month on the 28th. Nothing is thrown or warned, and each month looks right after a restart.
# Run the task on the first day of the month for the month before. cron-parser 5.10.6 reads the lines, luxon 3.7.2 is told the day of the start.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent adonisjs-scheduler@2.8.0 @adonisjs/core@6.21.0 luxon@3.7.2 cron-parser@5.10.6
cat >run.mjs <<'JS'
import { CronExpressionParser } from 'cron-parser';
import { Scheduler } from 'adonisjs-scheduler';
import { Settings } from 'luxon';
Settings.defaultZone = 'UTC';
for (const day of ['2026-01-12', '2026-02-09', '2026-04-13']) {
  const start = new Date(`${day}T12:00:00Z`);
  Settings.now = () => start.getTime();
  const task = new Scheduler({}).call(() => {}).lastDayOfMonth('15:00').timezone('UTC');
  const dates = CronExpressionParser.parse(task.getExpression(), { currentDate: start, tz: task.config.timezone }).take(5);
  console.log(`started ${day}: ${dates.map((date) => date.toISOString().slice(5, 16)).join(', ')}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
started 2026-01-12: 01-31T15:00, 03-31T15:00, 05-31T15:00, 07-31T15:00, 08-31T15:00
started 2026-02-09: 02-28T15:00, 03-28T15:00, 04-28T15:00, 05-28T15:00, 06-28T15:00
started 2026-04-13: 04-30T15:00, 05-30T15:00, 06-30T15:00, 07-30T15:00, 08-30T15:00
WANT
