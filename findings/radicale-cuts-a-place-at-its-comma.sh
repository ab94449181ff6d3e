#!/usr/bin/env bash
# radicale 3.1.8 (Debian 12, over python3-vobject 0.9.6.1): the place that Apple's calendar gives to an event loses half of its coordinates.
# RFC 5545 (3.3.13, 3.8.8.2): an X- property may be a URI, in which a comma stands as it is (RFC 5870, 3.3: geo:52.5,13.4).
# Seen: the answer is 201 with an ETag, and stored is geo:52.5, a point on no map. Any property it does not know is cut at its first plain comma.
# xandikos 0.2.8 keeps the figures, and puts a backslash before the comma. After a write, read the event again, and leave properties of others alone.
# Needs Debian 12 as root, with apt and curl. Exit code 1 if the behaviour differs.
set -euo pipefail
for package in radicale xandikos; do
  dpkg-query -W "$package" >/dev/null 2>&1 || apt-get install -y --no-install-recommends "$package" >/dev/null
done
versions=$(dpkg-query -W -f '${Package} ${Version} ' radicale xandikos python3-vobject)
echo "$versions"
[ "$versions" = 'python3-vobject 0.9.6.1-2 radicale 3.1.8-2 xandikos 0.2.8-1 ' ] || exit 1
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
  SUMMARY:Class 'GEO:52.5;13.4' 'X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=Hall:geo:52.5,13.4' 'X-SHOP-ROOMS:1,2' END:VEVENT END:VCALENDAR >"$dir/one.ics"
for place in "radicale http://127.0.0.1:$one/ann/shop/one.ics" "xandikos http://127.0.0.1:$two/user/calendars/calendar/one.ics"; do
  read -r name url <<<"$place"
  put=$(curl -s -o /dev/null -D "$dir/head" -w '%{http_code}' -u ann:any -X PUT -H 'Content-Type: text/calendar' --data-binary @"$dir/one.ics" "$url")
  echo "$name: $put, ETag: $(grep -ci '^etag:' "$dir/head")"
  curl -s -f -u ann:any "$url" | tr -d '\r' | grep -E '^(GEO|X-)' | LC_ALL=C sort
done | tee "$dir/out"
diff "$dir/out" - <<'WANT'
radicale: 201, ETag: 1
GEO:52.5;13.4
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=Hall:geo:52.5
X-SHOP-ROOMS:1
xandikos: 201, ETag: 1
GEO:52.5;13.4
X-APPLE-STRUCTURED-LOCATION;VALUE=URI;X-TITLE=Hall:geo:52.5\,13.4
X-SHOP-ROOMS:1\,2
WANT
