#!/bin/sh
# @0dep/piso 5.1.2 (September 2026): repeated every day and a half, P1.5D, the third time is after eight and a half days.
# ISO 8601 allows a fraction in the smallest unit. The README counts days in UTC, and `repetition` is how often the duration is applied.
# Expected: four and a half days, as PT36H gives here and luxon 3.7.2 gives for both. Seen: each odd time from the third on is too late, so the
# third comes after the fourth. Even times are right, and so are fractions of hours. The same for half weeks and half months.
# What waits for the end of the running period misses one: asked on 18 January, it answers the 23rd, and not the 19th.
# Write a fraction in a smaller unit, PT36H. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @0dep/piso@5.1.2 luxon@3.7.2
cat >run.mjs <<'JS'
import { parseDuration, parseInterval } from '@0dep/piso';
import { DateTime, Duration } from 'luxon';
const start = new Date('2026-01-15T00:00:00Z');
const minute = (date) => date.toISOString().slice(5, 16);
for (const text of ['PT36H', 'P1.5D', 'P0.5W']) {
  const seen = [1, 2, 3, 4, 5].map((times) => minute(parseDuration(text).getExpireAt(start, times)));
  const right = [1, 2, 3, 4, 5].map((times) => minute(DateTime.fromJSDate(start, { zone: 'utc' }).plus(Duration.fromISO(text).mapUnits((count) => count * times)).toJSDate()));
  console.log(`${text}: ${seen.join(' ')}\n  (luxon: ${right.join(' ')})`);
  console.log(`  asked on 18 January: ${minute(parseInterval(`R-1/2026-01-15T00:00:00Z/${text}`).getExpireAt(new Date('2026-01-18T06:00:00Z')))}`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
PT36H: 01-16T12:00 01-18T00:00 01-19T12:00 01-21T00:00 01-22T12:00
  (luxon: 01-16T12:00 01-18T00:00 01-19T12:00 01-21T00:00 01-22T12:00)
  asked on 18 January: 01-19T12:00
P1.5D: 01-16T12:00 01-18T00:00 01-23T12:00 01-21T00:00 02-03T12:00
  (luxon: 01-16T12:00 01-18T00:00 01-19T12:00 01-21T00:00 01-22T12:00)
  asked on 18 January: 01-23T12:00
P0.5W: 01-18T12:00 01-22T00:00 01-29T12:00 01-29T00:00 02-13T12:00
  (luxon: 01-18T12:00 01-22T00:00 01-25T12:00 01-29T00:00 02-01T12:00)
  asked on 18 January: 01-18T12:00
WANT
