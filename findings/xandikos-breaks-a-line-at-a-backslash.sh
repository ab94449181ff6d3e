#!/usr/bin/env bash
# xandikos 0.2.8 (Debian 12, over python3-icalendar 4.0.3): a backslash before an n in an event's text comes back as a line break.
# RFC 5545 (3.3.11) writes the folder C:\new as C:\\new. xandikos answers 201 with an ETag, and stores C:\new, which means C: and, in the next line, ew.
# A client that takes 201 for "stored as sent" sees a change by somebody else at its next read, and one that then writes its own text back never
# comes to an end. radicale 3.1.8 keeps it.
# Needs Debian 12 as root, with apt and curl. Exit code 1 if the behaviour differs.
set -euo pipefail
for package in radicale xandikos; do
  dpkg-query -W "$package" >/dev/null 2>&1 || apt-get install -y --no-install-recommends "$package" >/dev/null
done
versions=$(dpkg-query -W -f '${Package} ${Version} ' radicale xandikos python3-icalendar)
echo "$versions"
[ "$versions" = 'python3-icalendar 4.0.3-5 radicale 3.1.8-2 xandikos 0.2.8-1 ' ] || exit 1
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
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//a//b//EN BEGIN:VEVENT UID:one@shop.example DTSTAMP:20261101T000000Z DTSTART:20261215T100000Z DTEND:20261215T110000Z \
  'SUMMARY:Folder C:\\new' END:VEVENT END:VCALENDAR >"$dir/one.ics"
for place in "radicale http://127.0.0.1:$one/ann/shop/one.ics" "xandikos http://127.0.0.1:$two/user/calendars/calendar/one.ics"; do
  read -r name url <<<"$place"
  put=$(curl -s -o /dev/null -w '%{http_code}' -u ann:any -X PUT -H 'Content-Type: text/calendar' --data-binary @"$dir/one.ics" "$url")
  echo "$name: $put, $(curl -s -f -u ann:any "$url" | tr -d '\r' | grep ^SUMMARY)"
done | tee "$dir/out"
diff "$dir/out" - <<'WANT'
radicale: 201, SUMMARY:Folder C:\\new
xandikos: 201, SUMMARY:Folder C:\new
WANT
