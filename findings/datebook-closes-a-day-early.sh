#!/bin/sh
# datebook 8.0.1: the links of a whole day for Google and Outlook are a day early wherever clocks are ahead of UTC.
# Expected: an event without an end is the whole day of its start, the same in the file and in all links. Seen in Berlin: 24 December in the file and
# for Yahoo, 23 for Google and Outlook, which get the day of UTC: local midnight is still the evening before there. In New York all are right, and
# so are events with hours. A shop closes a day early in the calendars of those who click, and is open on the day itself. Pass noon as the start.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent datebook@8.0.1
cat >run.mjs <<'JS'
import { GoogleCalendar, ICalendar, OutlookCalendar, YahooCalendar } from 'datebook';
function days(start) {
  const options = { title: 'Closed', start };
  const link = (Kind) => new URL(new Kind(options).render()).searchParams;
  return [
    /^DTSTART;VALUE=DATE:(\d+)/m.exec(new ICalendar(options).render())[1],
    link(GoogleCalendar).get('dates').slice(0, 8),
    link(OutlookCalendar).get('startdt').replaceAll('-', ''),
    link(YahooCalendar).get('st'),
  ].map((day) => day.slice(6)).join(' ');
}
console.log(`${process.env.TZ}: midnight ${days(new Date(2026, 11, 24))}, noon ${days(new Date(2026, 11, 24, 12))}`);
JS
for zone in UTC America/New_York Europe/Berlin Asia/Tokyo; do TZ=$zone node run.mjs; done | tee seen
diff seen - <<'WANT'
UTC: midnight 24 24 24 24, noon 24 24 24 24
America/New_York: midnight 24 24 24 24, noon 24 24 24 24
Europe/Berlin: midnight 24 23 23 24, noon 24 24 24 24
Asia/Tokyo: midnight 24 23 23 24, noon 24 24 24 24
WANT
