#!/bin/sh
# icalmerge of ical2html 3.0 (Debian 12, over libical3 3.0.16): a day of a series that was moved twice stands in the merged calendar twice.
# Its manual: "merge icalendar files, keeping only the most recent version of each event". RFC 5546 (2.1.5): the higher SEQUENCE is the newer one,
# and then the later DTSTAMP; UID and RECURRENCE-ID together name an event.
# Seen: what has a RECURRENCE-ID is never compared, so both hours stay, and a day that is equal in both files comes twice too.
# Plain events are compared by LAST-MODIFIED only, which may be absent. Without it, the file that is named first wins, however old it is.
# Calendars of two staff, or of yesterday and today, merged for a web page, show a booking at its old hour or at both. The exit code is 0.
# Merge the objects yourself, or name the newest file first and leave series out. Needs Debian 12 with apt; unpacks the packages into a temporary folder.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -q ical2html=3.0-1 libical3=3.0.16-1+b1 libicu72 >/dev/null 2>&1
for package in *.deb; do dpkg -x "$package" program; done
export LD_LIBRARY_PATH="$dir/program/usr/lib/x86_64-linux-gnu"
file() { # a name, then one word for each event: its lines, joined by commas
  name=$1 && shift
  {
    printf '%s\r\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//a//b//EN
    for event in "$@"; do
      printf '%s\r\n' BEGIN:VEVENT
      printf '%s\n' "$event" | tr , '\n' | sed 's/$/\r/'
      printf '%s\r\n' DURATION:PT1H END:VEVENT
    done
    printf '%s\r\n' END:VCALENDAR
  } >"$name.ics"
}
series=UID:1@shop.example,DTSTAMP:20260101T000000Z,LAST-MODIFIED:20260101T000000Z,DTSTART:20260608T090000Z,RRULE:FREQ=WEEKLY\;COUNT=4,SUMMARY:Weekly
moved() { echo "UID:1@shop.example,RECURRENCE-ID:20260622T090000Z,DTSTAMP:2026$1T000000Z,LAST-MODIFIED:2026$1T000000Z,SEQUENCE:$2,DTSTART:20260622T${3}0000Z,SUMMARY:Moved to $3"; }
plain() { echo "UID:2@shop.example,DTSTAMP:2026$1T000000Z,SEQUENCE:$2,DTSTART:20260609T${3}0000Z,SUMMARY:At $3$4"; }
file old "$series" "$(moved 0201 1 14)" "$(plain 0201 1 10 '')"
file new "$series" "$(moved 0301 2 16)" "$(plain 0301 2 12 '')"
file dated-old "$(plain 0201 1 10 ,LAST-MODIFIED:20260201T000000Z)"
file dated-new "$(plain 0301 2 12 ,LAST-MODIFIED:20260301T000000Z)"
for pair in 'old new' 'new old' 'old old' 'dated-old dated-new'; do
  set -- $pair
  program/usr/bin/icalmerge "$1.ics" "$2.ics" merged.ics
  echo "$pair: $(tr -d '\r' <merged.ics | sed -n 's/^SUMMARY://p' | sort | paste -s -d ,)"
  rm merged.ics
done >out
cat out
diff out - <<'WANT'
old new: At 10,Moved to 14,Moved to 16,Weekly
new old: At 12,Moved to 14,Moved to 16,Weekly
old old: At 10,Moved to 14,Moved to 14,Weekly
dated-old dated-new: At 12
WANT
