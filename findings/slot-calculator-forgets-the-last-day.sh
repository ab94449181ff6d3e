#!/bin/sh
# slot-calculator 2.2.1: asked in the evening for the slots until tomorrow noon, it knows no hours of tomorrow, and no break either.
# Its types say of `from` and `to` that input slots outside are ignored. Expected: "Tuesday 09:00-11:00" counts where Tuesday morning lies inside.
# Seen: weekdays are found by whole days from `from` on. The last day is left out if `to` is earlier in the day.
# As availability the day is never offered. As unavailability, a closed morning is offered and booked. A `to` later in the day is right.
# Nothing is thrown or warned. Whoever asks for "the next days from now" loses the last one. Set `to` to the end of its day, and cut afterwards.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent slot-calculator@2.2.1
cat >run.mjs <<'JS'
import { getSlots } from 'slot-calculator';
const morning = { day: 'Tuesday', from: '09:00', to: '11:00', timezone: 'UTC' };
// The same hours as moments, which need no weekday.
const moments = { from: '2026-12-08T09:00:00Z', to: '2026-12-08T11:00:00Z' };
const tuesday = (to, options) =>
  getSlots({ from: '2026-12-07T18:00:00Z', to, duration: 60, ...options })
    .availableSlots.map(({ from }) => from)
    .filter((from) => from >= '2026-12-08T08' && from < '2026-12-08T12')
    .map((from) => from.slice(11, 16))
    .join(' ') || 'none';
for (const [name, to] of [['noon', '2026-12-08T12:00:00Z'], ['20:00', '2026-12-08T20:00:00Z']]) {
  console.log(`until ${name}, open: ${tuesday(to, { availability: [morning] })} (as moments: ${tuesday(to, { availability: [moments] })})`);
  console.log(`until ${name}, closed: ${tuesday(to, { unavailability: [morning] })} (as moments: ${tuesday(to, { unavailability: [moments] })})`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
until noon, open: none (as moments: 09:00 10:00)
until noon, closed: 08:00 09:00 10:00 11:00 (as moments: 08:00 11:00)
until 20:00, open: 09:00 10:00 (as moments: 09:00 10:00)
until 20:00, closed: 08:00 11:00 (as moments: 08:00 11:00)
WANT
