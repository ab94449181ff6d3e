#!/bin/sh
# csvkit 1.0.7 (Debian 12, over python3-agate 1.6.3): sorting a list of appointments by name turns 10:30 into 0:10:30, ten and a half minutes.
# The manual of csvsort: "Sort CSV files. Like the Unix sort command, but for tabular data." Expected: the same lines in another order.
# Seen: a column in which all values look like hours and minutes is read as minutes and seconds, and written out so.
# The commands csvjoin and csvjson do it too. csvgrep, csvcut and csvstack keep the text, and so does 10:30 AM. With seconds, 08:00:00, it stays eight hours.
# In a mixed column half past ten comes before eight, so the order is wrong as well. RFC 4180 gives a field no type. There is no warning.
# A spreadsheet that opens the result has every visit just after midnight. Use csvsort -I. Needs Debian 12 as root, with apt.
# Exit code 1 if the behaviour differs.
set -eu
dpkg-query -W csvkit >/dev/null 2>&1 || apt-get install -y --no-install-recommends csvkit >/dev/null
versions=$(dpkg-query -W -f '${Package} ${Version} ' csvkit python3-agate)
echo "$versions"
[ "$versions" = 'csvkit 1.0.7-1 python3-agate 1.6.3-2 ' ] || exit 1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
export LC_ALL=C.UTF-8
printf 'who,at\nBen,9:15\nAnn,10:30\n' >visits.csv
printf 'who,place\nAnn,Room 1\nBen,Room 2\n' >places.csv
printf 'who,at\nAnn,10:30\nCleo,08:00:00\n' >mixed.csv
printf 'who,at\nBen,9:15 AM\nAnn,10:30 AM\n' >halves.csv
# Each answer on one line.
show() { printf '%s: %s\n' "$1" "$(shift && "$@" | tail -n +2 | paste -s -d ' ')"; }
{
  show 'csvsort -I by name' csvsort -I -c who visits.csv
  show 'csvsort by name' csvsort -c who visits.csv
  show 'csvjoin' csvjoin -c who visits.csv places.csv
  show 'csvgrep' csvgrep -c who -m Ann visits.csv
  show 'csvsort, mixed, by time' csvsort -c at mixed.csv
  show 'csvsort, AM, by name' csvsort -c who halves.csv
  printf 'csvjson: %s\n' "$(csvjson visits.csv)"
} >out
cat out
diff out - <<'WANT'
csvsort -I by name: Ann,10:30 Ben,9:15
csvsort by name: Ann,0:10:30 Ben,0:09:15
csvjoin: Ben,0:09:15,Room 2 Ann,0:10:30,Room 1
csvgrep: Ann,10:30
csvsort, mixed, by time: Ann,0:10:30 Cleo,8:00:00
csvsort, AM, by name: Ann,10:30 AM Ben,9:15 AM
csvjson: [{"who": "Ben", "at": "0:09:15"}, {"who": "Ann", "at": "0:10:30"}]
WANT
