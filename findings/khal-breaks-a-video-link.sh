#!/bin/sh
# khal 0.10.5 (Debian 12, over python3-icalendar 4.0.3): importing an event breaks the link of its video call, and makes one resource of two.
# CONFERENCE (RFC 7986, 5.11) is a URI, in which ; and , stand as they are; RESOURCES (RFC 5545, 3.8.1.10) is a list with commas.
# Seen: the stored file has ?a=1\;b=2 in CONFERENCE, and Chair\,Mirror in RESOURCES, which is one text. URL keeps its link. Whoever syncs this file
# gives everybody else the broken link. Put the link into URL too. Needs Debian 12 as root, with apt. Exit code 1 if the behaviour differs.
set -eu
dpkg-query -W khal >/dev/null 2>&1 || apt-get install -y --no-install-recommends khal >/dev/null
versions=$(dpkg-query -W -f '${Package} ${Version} ' khal python3-icalendar)
echo "$versions"
[ "$versions" = 'khal 1:0.10.5-1.1 python3-icalendar 4.0.3-5 ' ] || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir shop
printf '[calendars]\n[[shop]]\npath = %s/shop\ntype = calendar\n[sqlite]\npath = %s/db\n[locale]\nlocal_timezone = UTC\ndefault_timezone = UTC\n' "$dir" "$dir" >config
printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//example//example//EN BEGIN:VEVENT UID:1@shop.example DTSTAMP:20261101T000000Z DTSTART:20261215T100000Z DTEND:20261215T110000Z \
  SUMMARY:Advice RESOURCES:Chair,Mirror 'CONFERENCE;VALUE=URI:https://meet.example/r?a=1;b=2' 'URL:https://meet.example/r?a=1;b=2' END:VEVENT END:VCALENDAR >in.ics
LC_ALL=C.UTF-8 khal -c config import --batch -a shop in.ics 2>&1
cat shop/*.ics | tr -d '\r' | grep -E '^(CONFERENCE|RESOURCES|URL)' | sort >out
cat out
diff out - <<'WANT'
CONFERENCE;VALUE=URI:https://meet.example/r?a=1\;b=2
RESOURCES:Chair\,Mirror
URL:https://meet.example/r?a=1;b=2
WANT
