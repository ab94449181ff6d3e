#!/usr/bin/env bash
# davical 1.1.12 (Debian 12): a calendar made with its time zone has none, and the answer is 201.
# RFC 4791 (5.3.1): MKCALENDAR sets all properties or makes nothing. Seen: the display name is set, calendar-timezone (5.2.2) is dropped without a
# word, and the same text by PROPPATCH is stored. Events without a zone then count by UTC. radicale 3.1.8 keeps the zone. Set it after MKCALENDAR.
# Needs Debian 12 as root, with apt and curl. Exit code 1 if the behaviour differs.
set -euo pipefail
for package in radicale davical php-cli php-pgsql php-xml postgresql; do
  dpkg-query -W "$package" >/dev/null 2>&1 || apt-get install -y --no-install-recommends "$package" >/dev/null
done
versions=$(dpkg-query -W -f '${Package} ${Version} ' davical radicale)
echo "$versions"
[ "$versions" = 'davical 1.1.12-2 radicale 3.1.8-2 ' ] || exit 1
dir=$(mktemp -d); chmod 711 "$dir"; install -d -o postgres "$dir/db"; cd "$dir/db"
pids=
trap 'kill -INT $pids 2>/dev/null || true; sleep 1; kill -KILL $pids 2>/dev/null || true; rm -rf "$dir"' EXIT
port() { /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
one=$(port); two=$(port)
bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
export PGHOST="$dir/db"
by=(setpriv --reuid postgres --regid postgres --clear-groups)
"${by[@]}" "$bin/initdb" -D data -A trust -E UTF8 --no-sync >/dev/null
"${by[@]}" "$bin/postgres" -D data -k "$dir/db" -c listen_addresses= >log 2>&1 & pids="$! $pids"
until "${by[@]}" "$bin/pg_isready" -q; do sleep 0.1; done
"${by[@]}" /usr/share/davical/dba/create-database.sh davical any >create.log 2>&1
"${by[@]}" psql -q -d davical -c "insert into usr (username, password, fullname, email, active) values ('ann', '**any', 'Ann', 'ann@shop.example', true);
  insert into principal (type_id, user_no, displayname, default_privileges) select 1, user_no, fullname, 0::bit(24) from usr where username = 'ann'"
php -d display_errors=0 -d include_path=.:/usr/share/awl/inc -S "127.0.0.1:$two" -t /usr/share/davical/htdocs >php.log 2>&1 & pids="$! $pids"
printf '[server]\nhosts = 127.0.0.1:%s\n[auth]\ntype = none\n[storage]\nfilesystem_folder = %s/radicale\n' "$one" "$dir" >"$dir/radicale.conf"
radicale --config "$dir/radicale.conf" >"$dir/radicale.log" 2>&1 & pids="$! $pids"
for url in "http://127.0.0.1:$one/" "http://127.0.0.1:$two/caldav.php/"; do until curl -s -o /dev/null "$url"; do sleep 0.1; done; done
zone=$(printf '%s\n' BEGIN:VCALENDAR VERSION:2.0 PRODID:-//a//b//EN BEGIN:VTIMEZONE TZID:Asia/Tokyo BEGIN:STANDARD DTSTART:19700101T000000 TZOFFSETFROM:+0900 TZOFFSETTO:+0900 TZNAME:JST END:STANDARD END:VTIMEZONE END:VCALENDAR)
set="<D:set><D:prop><D:displayname>Shop</D:displayname><C:calendar-timezone>$zone</C:calendar-timezone></D:prop></D:set>"
names='xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
ask() { curl -s -u ann:any -H 'Content-Type: application/xml' "$@"; }
shown() { ask -X PROPFIND -H 'Depth: 0' -d "<D:propfind $names><D:prop><D:displayname/><C:calendar-timezone/></D:prop></D:propfind>" "$url" | { grep -oE '>Shop<|TZID:Asia/Tokyo' || true; } | tr -d '><' | sort -u | tr '\n' ' ' | sed 's/ $//'; }
for place in "radicale http://127.0.0.1:$one/ann/shop/" "davical http://127.0.0.1:$two/caldav.php/ann/shop/"; do
  read -r name url <<<"$place"
  made=$(ask -o /dev/null -w '%{http_code}' -X MKCALENDAR -d "<C:mkcalendar $names>$set</C:mkcalendar>" "$url")
  echo "$name: MKCALENDAR $made, then $(shown)"
  patched=$(ask -o /dev/null -w '%{http_code}' -X PROPPATCH -d "<D:propertyupdate $names>$set</D:propertyupdate>" "$url")
  echo "$name: PROPPATCH $patched, then $(shown)"
done | tee "$dir/out"
diff "$dir/out" - <<'WANT'
radicale: MKCALENDAR 201, then Shop TZID:Asia/Tokyo
radicale: PROPPATCH 207, then Shop TZID:Asia/Tokyo
davical: MKCALENDAR 201, then Shop
davical: PROPPATCH 207, then Shop TZID:Asia/Tokyo
WANT
