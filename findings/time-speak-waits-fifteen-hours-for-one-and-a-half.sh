#!/usr/bin/env bash
# time-speak 1.9.0 (April 2026): "in 1.5 hours" is in fifteen hours, and "2.25 hours" are 225.
# Its README: valid inputs are "in twenty minutes" or "1 hour and 23 minutes ago" in natural language. By its types an invalid one throws.
# Expected: an hour and a half, or an error. Seen: each word loses all but letters and digits first, the decimal point as well.
# A reminder "0.5 hours" before is five hours before, and "-15 minutes" lies ahead. human-interval 2.0.1 reads the point and the sign.
# Nothing is thrown, and whole numbers are right, which is what tests see. Refuse a text with a point, a comma or a sign before the call.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent time-speak@1.9.0 human-interval@2.0.1
cat >run.mjs <<'JS'
import interval from 'human-interval';
import { parse } from 'time-speak';
const minutes = (text) => {
  const found = parse(text);
  return Math.round((found instanceof Date ? found.getTime() - Date.now() : found) / 60_000);
};
for (const text of ['90 minutes', '1.5 hours', '0.5 hours', '2.25 hours', '-15 minutes']) {
  console.log(`${text}: ${minutes(text)} min (human-interval: ${interval(text) / 60_000} min)`);
}
console.log(`in 1.5 hours: in ${minutes('in 1.5 hours')} min`);
console.log(`1.5 days ago: in ${minutes('1.5 days ago') / 1_440} days`);
try {
  console.log(minutes('half an hour'));
} catch (error) {
  console.log(`half an hour: ${error.name}`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
90 minutes: 90 min (human-interval: 90 min)
1.5 hours: 900 min (human-interval: 90 min)
0.5 hours: 300 min (human-interval: 30 min)
2.25 hours: 13500 min (human-interval: 135 min)
-15 minutes: 15 min (human-interval: -15 min)
in 1.5 hours: in 900 min
1.5 days ago: in -15 days
half an hour: InvalidInputError
WANT
