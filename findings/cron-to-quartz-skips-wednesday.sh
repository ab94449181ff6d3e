#!/bin/sh
# cron-to-quartz 1.4.15: a job of Monday, Wednesday and Friday (1-5/2) is done on Monday and Thursday.
# crontab(5): the number behind / is a step through the range. Quartz counts weekdays from 1, for Sunday, and its steps are steps as well, so only the
# days move by one: 2-6/2. croner 11.0.1 reads both kinds (alternativeWeekdays).
# Seen: every number of the weekday field gets one more, the step too: 2-6/3. */2 becomes */3, so Tuesday and Thursday are missing. Lists and
# ranges without a step are right, and so are steps of other fields. Write days as a list, 1,3,5. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent cron-to-quartz@1.4.15 croner@11.0.1
cat >run.mjs <<'JS'
import quartz from 'cron-to-quartz';
import { Cron } from 'croner';
const names = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
function week(line, alternativeWeekdays) {
  const moments = new Cron(line, { timezone: 'UTC', alternativeWeekdays }).nextRuns(8, '2026-12-06T00:00:00Z');
  return moments.filter((moment) => moment < new Date('2026-12-13T00:00:00Z')).map((moment) => names[moment.getUTCDay()]).join(' ');
}
for (const line of ['0 9 * * 1,3,5', '0 9 * * 1-5', '0 9 * * 1-5/2', '0 9 * * */2', '0 9 * * 1-6/3']) {
  const [fields] = quartz.getQuartz(line);
  console.log(`${line}: ${fields.join(' ')}: ${week(fields.join(' '), true)} (right: ${week(line, false)})`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
0 9 * * 1,3,5: 0 0 9 ? * 2,4,6 *: Mon Wed Fri (right: Mon Wed Fri)
0 9 * * 1-5: 0 0 9 ? * 2-6 *: Mon Tue Wed Thu Fri (right: Mon Tue Wed Thu Fri)
0 9 * * 1-5/2: 0 0 9 ? * 2-6/3 *: Mon Thu (right: Mon Wed Fri)
0 9 * * */2: 0 0 9 ? * */3 *: Sun Wed Sat (right: Sun Tue Thu Sat)
0 9 * * 1-6/3: 0 0 9 ? * 2-7/4 *: Mon Fri (right: Mon Thu)
WANT
