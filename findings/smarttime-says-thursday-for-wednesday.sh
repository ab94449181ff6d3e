#!/usr/bin/env bash
# @push.rocks/smarttime 4.2.3 (April 2026): Wednesday is called Thursday and Sunday Monday; half past two in Tokyo is half past two where the server is.
# Its README: exportToUnits().dayOfTheWeekName of 25.12.2024 is "Wednesday", and fromEuropeanDateAndTime() takes a "timezone context".
# Seen: the names begin with Monday, the number of the day with Sunday, so each name is one too late. The number beside it is right.
# The zone is never looked at: every zone gives one moment, that of the machine's. West of UTC, fromHyphedDate() is the evening before, too.
# A mail names the wrong day for each booking. Ask Intl.DateTimeFormat for the name, and Temporal for a moment in a zone.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @push.rocks/smarttime@4.2.3
cat >run.mjs <<'JS'
import { ExtendedDate } from '@push.rocks/smarttime';
console.log(`the machine's zone: ${process.env.TZ}`);
for (const text of ['25.12.2024', '28.12.2024', '29.12.2024']) {
  const date = ExtendedDate.fromEuropeanDate(text);
  const { dayOfTheWeek, dayOfTheWeekName } = date.exportToUnits();
  const right = new Intl.DateTimeFormat('en', { weekday: 'long' }).format(date);
  console.log(`${text}: ${dayOfTheWeekName}, day ${dayOfTheWeek} (Intl: ${right})`);
}
for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']) {
  const moment = await ExtendedDate.fromEuropeanDateAndTime('25.12.2024', '14:30:00', zone);
  console.log(`14:30 in ${zone}: ${moment.toISOString()}`);
}
console.log(`2024-12-25 there and back: ${ExtendedDate.fromHyphedDate('2024-12-25').exportToHyphedSortableDate()}`);
JS
for zone in UTC America/New_York; do TZ=$zone node run.mjs; done | tee seen
diff seen - <<'WANT'
the machine's zone: UTC
25.12.2024: Thursday, day 3 (Intl: Wednesday)
28.12.2024: Sunday, day 6 (Intl: Saturday)
29.12.2024: Monday, day 0 (Intl: Sunday)
14:30 in Europe/Berlin: 2024-12-25T14:30:00.000Z
14:30 in America/New_York: 2024-12-25T14:30:00.000Z
14:30 in Asia/Tokyo: 2024-12-25T14:30:00.000Z
2024-12-25 there and back: 2024-12-25
the machine's zone: America/New_York
25.12.2024: Thursday, day 3 (Intl: Wednesday)
28.12.2024: Sunday, day 6 (Intl: Saturday)
29.12.2024: Monday, day 0 (Intl: Sunday)
14:30 in Europe/Berlin: 2024-12-25T19:30:00.000Z
14:30 in America/New_York: 2024-12-25T19:30:00.000Z
14:30 in Asia/Tokyo: 2024-12-25T19:30:00.000Z
2024-12-25 there and back: 2024-12-24
WANT
