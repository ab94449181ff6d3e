#!/bin/sh
# vdirsyncer 0.19.0 (Debian 12): of two appointments in a feed that differ only in their UID, one is lost.
# RFC 5545 (3.8.4.7) makes the UID the identity of an event. Seen: the `http` storage replaces each UID by a hash of the content, which also leaves out
# DTSTAMP, CREATED and LAST-MODIFIED, so both are one. Two events are kept once a property that it does not know tells them apart.
# Needs Debian 12 with apt, node and python3; unpacks the packages into a temporary folder. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
server=
trap 'kill "$server" 2>/dev/null || true; rm -rf "$dir"' EXIT
cd "$dir"
export APT_LISTCHANGES_FRONTEND=none
names=$(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks --no-replaces --no-enhances vdirsyncer=0.19.0-1 \
  | grep '^python3-' | grep -v 'python3-minimal' | sort -u)
# shellcheck disable=SC2086
apt-get download -q vdirsyncer=0.19.0-1 $names >/dev/null 2>&1
for each in *.deb; do dpkg -x "$each" system; done
cat >server.mjs <<'JS'
import { createServer } from 'node:http';
import { writeFileSync } from 'node:fs';
const event = (uid, more) =>
  ['BEGIN:VEVENT', `UID:${uid}@example.com`, 'DTSTAMP:20261101T000000Z', 'DTSTART:20261201T100000Z', 'DTEND:20261201T110000Z', 'SUMMARY:Yoga', ...more, 'END:VEVENT'];
const feed = (marked) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', ...['1', '2'].flatMap((uid) => event(uid, marked ? [`X-EXAMPLE-ID:${uid}`] : [])), 'END:VCALENDAR', ''];
const server = createServer((request, response) => response.end(feed(request.url === '/marked.ics').join('\r\n')));
server.listen(0, '127.0.0.1', () => writeFileSync('port', String(server.address().port)));
JS
node server.mjs & server=$!
while [ ! -s port ]; do sleep 0.1; done
kept() {
  mkdir -p "$1"
  printf '[general]\nstatus_path = "%s/status-%s"\n[pair feed]\na = "remote"\nb = "local"\ncollections = null\n' "$dir" "$1" >"$1.conf"
  printf '[storage remote]\ntype = "http"\nurl = "http://127.0.0.1:%s/%s.ics"\n' "$(cat port)" "$1" >>"$1.conf"
  printf '[storage local]\ntype = "filesystem"\npath = "%s/%s"\nfileext = ".ics"\n' "$dir" "$1" >>"$1.conf"
  for command in discover sync; do
    yes | PYTHONPATH="$dir/system/usr/lib/python3/dist-packages" LC_ALL=C.UTF-8 VDIRSYNCER_CONFIG="$1.conf" \
      /usr/bin/python3 "$dir/system/usr/bin/vdirsyncer" "$command" >"$1.log" 2>&1 || true
  done
  find "$1" -name '*.ics' | wc -l
}
plain=$(kept plain)
marked=$(kept marked)
echo "kept of two: $plain; with a property of their own: $marked"
if [ "$plain" = 1 ] && [ "$marked" = 2 ]; then echo 'as seen'; else cat plain.log; echo differs; exit 1; fi
