#!/bin/sh
# calcurse 4.7.1 (Debian 12): a series of four weeks of which one is excluded ends a week later.
# RFC 5545 (3.3.10, 3.8.5.1): COUNT bounds what the rule makes, and EXDATE takes from that. Expected: 1, 15 and 22 June, as node-ical 0.27.2 and ical.js 2.2.1 read it.
# Seen: 29 June too; it stays in an export as UNTIL=20260629. An appointment that nobody made stands in the calendar.
# Feeds for its users should name the end of a series by UNTIL. Needs Debian 12 with apt, node and npm; unpacks the package into a temporary folder.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -q calcurse=4.7.1-1 >/dev/null 2>&1
dpkg -x calcurse_*.deb program
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical.js@2.2.1
feed() {
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//example//example//EN BEGIN:VEVENT UID:1@shop.example DTSTAMP:20260101T000000Z 'DTSTART;VALUE=DATE:20260601' \
    'DTEND;VALUE=DATE:20260602' SUMMARY:Closed "RRULE:FREQ=WEEKLY;$1" 'EXDATE;VALUE=DATE:20260608' END:VEVENT END:VCALENDAR
}
days() { # the days that calcurse shows for a feed
  feed "$1" >"$2.ics"
  mkdir "$2"
  TZ=UTC program/usr/bin/calcurse -q -D "$2" -i "$2.ics" </dev/null >/dev/null
  TZ=UTC program/usr/bin/calcurse -D "$2" -Q --from 06/01/2026 --to 07/31/2026 --input-datefmt 1 --output-datefmt %m/%d --format-event '' </dev/null | grep -oE '^[0-9]+/[0-9]+' | tr '\n' ' '
}
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
import ical from 'node-ical';
const text = readFileSync('count.ics', 'utf8');
const iterator = new ICAL.Event(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent')).iterator();
const days = [];
for (let next = iterator.next(); next; next = iterator.next()) days.push(next.toString());
const others = ical.expandRecurringEvent(ical.sync.parseICS(text)['1@shop.example'], { from: new Date('2026-05-01'), to: new Date('2026-09-01') });
const short = (list) => list.map((day) => day.slice(5, 10).replace('-', '/')).join(' ');
console.log(`ical.js: ${short(days)}\nnode-ical: ${short(others.map((one) => one.start.toISOString()))}`);
JS
{
  echo "calcurse, COUNT=4: $(days COUNT=4 count)"
  echo "calcurse, UNTIL=20260622: $(days UNTIL=20260622 until)"
  TZ=UTC node run.mjs
} >out
cat out
sed 's/ *$//' out >seen
diff seen - <<'WANT'
calcurse, COUNT=4: 06/01 06/15 06/22 06/29
calcurse, UNTIL=20260622: 06/01 06/15 06/22
ical.js: 06/01 06/15 06/22
node-ical: 06/01 06/15 06/22
WANT
