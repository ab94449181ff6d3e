#!/bin/sh
# @microsoft/recognizers-text-date-time 1.3.2: "in an hour and a half" is in an hour, and "in a day and a half" is tomorrow.
# Expected: the moment that the recognised words name. The same package knows that "an hour and a half" lasts 5400 seconds.
# Seen: the half is part of the recognised text, so a program cannot see that it was left out; "1.5 hours" and "from now" are the same.
# "Half an hour" alone lasts 1800 seconds, but "in half an hour" has no value at all. 90 minutes are right.
# In Spanish even the duration loses its half, 3600 seconds. A bot books, or reminds, half an hour early.
# Ask for minutes, or add the duration that is recognised without "in". Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @microsoft/recognizers-text-date-time@1.3.2
cat >run.cjs <<'JS'
const { recognizeDateTime } = require('@microsoft/recognizers-text-date-time');
const now = new Date(2026, 5, 1, 12, 0);
for (const [culture, text] of [
  ['en-us', 'in 90 minutes'], ['en-us', 'in an hour'], ['en-us', 'in an hour and a half'], ['en-us', 'in 1.5 hours'], ['en-us', 'two and a half hours from now'],
  ['en-us', 'in a day and a half'], ['en-us', 'in half an hour'], ['en-us', 'an hour and a half'], ['en-us', 'half an hour'], ['es-es', 'una hora y media'],
]) {
  const [found] = recognizeDateTime(text, culture, undefined, now);
  console.log(`${found.text === text ? text : `${text} (only ${found.text})`}: ${found.resolution?.values.map(({ value }) => value).join(', ') ?? 'no value'}`);
}
JS
TZ=UTC node run.cjs | tee seen
diff seen - <<'WANT'
in 90 minutes: 2026-06-01 13:30:00
in an hour: 2026-06-01 13:00:00
in an hour and a half: 2026-06-01 13:00:00
in 1.5 hours: 2026-06-01 13:00:00
two and a half hours from now: 2026-06-01 14:00:00
in a day and a half: 2026-06-02
in half an hour: no value
an hour and a half: 5400
half an hour: 1800
una hora y media: 3600
WANT
