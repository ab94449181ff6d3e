#!/bin/sh
# calcurse 4.7.1 (Debian 12): an import skips every event whose SUMMARY holds an escaped line break.
# RFC 5545 (3.3.11) allows \n in every text. One of three events is lost; The output says "1 skipped", the exit code is 1, and the others are kept. A description with \n
# is kept. Whoever writes feeds should put titles on one line. Needs Debian 12 with apt; unpacks the package into a temporary folder.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -q calcurse=4.7.1-1 >/dev/null 2>&1
dpkg -x calcurse_*.deb program
event() {
  printf 'BEGIN:VEVENT\r\nUID:%s@example.com\r\nDTSTAMP:20261101T000000Z\r\nDTSTART:20261128T1%s0000Z\r\nDTEND:20261128T1%s3000Z\r\n' "$1" "$1" "$1"
  printf 'SUMMARY:%s\r\nDESCRIPTION:%s\r\nEND:VEVENT\r\n' "$2" "$3"
}
{
  printf 'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//example//example//EN\r\n'
  event 0 'Haircut' 'one line'
  event 1 'Haircut' 'two\nlines'
  event 2 'Haircut\nfor two' 'one line'
  printf 'END:VCALENDAR\r\n'
} >feed.ics
mkdir data
code=0
program/usr/bin/calcurse -D data -i feed.ics >said 2>&1 </dev/null || code=$?
kept=$(wc -l <data/apts)
grep -i skipped said || cat said
echo "exit code $code, $kept of 3 events kept"
if [ "$code" = 1 ] && [ "$kept" = 2 ] && grep -q '1 skipped' said; then echo 'as seen: the event with a title of two lines is gone'; else echo differs; exit 1; fi
