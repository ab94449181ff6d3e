#!/usr/bin/env bash
# radicale 3.1.8 and xandikos 0.2.8 (Debian 12): asked for the events of a day, each leaves out some that take place on it.
# RFC 4791 (9.9) tells what overlaps a time range: start plus DURATION, and every instance, also one of RDATE and one that began the day before.
# Seen: radicale leaves out an event of DURATION:P14D (with DTEND it is there); xandikos leaves out RDATE, and the last night of a series past midnight.
# A client that takes the answer for all events sees free time, or deletes its copy. List all objects, and look at the times yourself.
# Needs Debian 12 as root, with apt and curl. Exit code 1 if the behaviour differs.
set -euo pipefail
for package in radicale xandikos; do
  dpkg-query -W "$package" >/dev/null 2>&1 || apt-get install -y --no-install-recommends "$package" >/dev/null
done
versions=$(dpkg-query -W -f '${Package} ${Version} ' radicale xandikos)
echo "$versions"
[ "$versions" = 'radicale 3.1.8-2 xandikos 0.2.8-1 ' ] || exit 1
dir=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$dir"' EXIT
port() { /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
one=$(port); two=$(port)
printf '[server]\nhosts = 127.0.0.1:%s\n[auth]\ntype = none\n[storage]\nfilesystem_folder = %s/radicale\n' "$one" "$dir" >"$dir/radicale.conf"
radicale --config "$dir/radicale.conf" >"$dir/radicale.log" 2>&1 & pids="$pids $!"
xandikos -d "$dir/xandikos" --defaults -l 127.0.0.1 -p "$two" >"$dir/xandikos.log" 2>&1 & pids="$pids $!"
for url in "http://127.0.0.1:$one/" "http://127.0.0.1:$two/"; do until curl -s -o /dev/null "$url"; do sleep 0.1; done; done
curl -s -f -u ann:any -X MKCALENDAR "http://127.0.0.1:$one/ann/shop/"
put() {
  local name=$1; shift
  printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//a//b//EN BEGIN:VEVENT "UID:$name" DTSTAMP:20260101T000000Z SUMMARY:Away "$@" END:VEVENT END:VCALENDAR |
    curl -s -f -o /dev/null -u ann:any -X PUT -H 'Content-Type: text/calendar' --data-binary @- "$calendar$name.ics"
}
query="<C:calendar-query xmlns:D='DAV:' xmlns:C='urn:ietf:params:xml:ns:caldav'><D:prop><D:getetag/></D:prop><C:filter><C:comp-filter name='VCALENDAR'><C:comp-filter name='VEVENT'>
<C:time-range start='20260901T000000Z' end='20260902T000000Z'/></C:comp-filter></C:comp-filter></C:filter></C:calendar-query>"
for place in "radicale http://127.0.0.1:$one/ann/shop/" "xandikos http://127.0.0.1:$two/user/calendars/calendar/"; do
  read -r server calendar <<<"$place"
  put noon DTSTART:20260901T100000Z DTEND:20260901T110000Z
  put fortnight-end DTSTART:20260825T100000Z DTEND:20260908T100000Z
  put fortnight-duration DTSTART:20260825T100000Z DURATION:P14D
  put night DTSTART:20260831T220000Z DTEND:20260901T020000Z
  put nights DTSTART:20260801T220000Z DTEND:20260802T020000Z 'RRULE:FREQ=DAILY;COUNT=31'
  put rdate DTSTART:20260601T100000Z DTEND:20260601T110000Z RDATE:20260901T100000Z
  put other-day DTSTART:20260905T100000Z DTEND:20260905T110000Z
  echo "$server:" $(curl -s -f -u ann:any -X REPORT -H 'Depth: 1' -H 'Content-Type: application/xml' -d "$query" "$calendar" | grep -oE '[a-z-]+\.ics' | sed 's/\.ics//' | sort -u)
done | tee "$dir/out"
diff "$dir/out" - <<'WANT'
radicale: fortnight-end night nights noon rdate
xandikos: fortnight-duration fortnight-end night noon
WANT
