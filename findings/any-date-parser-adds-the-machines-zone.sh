#!/bin/sh
# any-date-parser 2.2.4: a time that names its zone is moved by the zone of the machine as well.
# Its README lists time zone offsets and abbreviations among what it reads. 09:00Z is 09:00 in UTC wherever it is read, as new Date() has it.
# Seen: in New York "2026-06-01T09:00:00Z" is 13:00 UTC, and "+02:00" and "EDT" are four hours late too. In Kolkata each is five and a half early.
# attempt() gives the right offset, and the date is then built on the local clock. An offset after the weekday form of mail headers is not even found.
# In UTC only that last form is wrong, and the package tests itself with TZ=UTC. A booking from a feed lands hours off in a shop's own program.
# Let new Date() or Temporal read what names a zone. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent any-date-parser@2.2.4
cat >run.mjs <<'JS'
import parser from 'any-date-parser';
for (const text of ['2026-06-01T09:00:00Z', '2026-06-01T11:00:00+02:00', '2026-06-01 05:00:00 EDT', 'Mon, 01 Jun 2026 11:00:00 +0200']) {
  const right = new Date(text).toISOString().slice(11, 16);
  console.log(`${process.env.TZ}: ${text} is ${parser.fromString(text).toISOString().slice(11, 16)}, offset ${parser.attempt(text).offset} (right: ${right})`);
}
JS
for zone in UTC America/New_York Asia/Kolkata; do TZ=$zone node run.mjs; done | tee seen
diff seen - <<'WANT'
UTC: 2026-06-01T09:00:00Z is 09:00, offset 0 (right: 09:00)
UTC: 2026-06-01T11:00:00+02:00 is 09:00, offset 120 (right: 09:00)
UTC: 2026-06-01 05:00:00 EDT is 09:00, offset -240 (right: 09:00)
UTC: Mon, 01 Jun 2026 11:00:00 +0200 is 11:00, offset undefined (right: 09:00)
America/New_York: 2026-06-01T09:00:00Z is 13:00, offset 0 (right: 09:00)
America/New_York: 2026-06-01T11:00:00+02:00 is 13:00, offset 120 (right: 09:00)
America/New_York: 2026-06-01 05:00:00 EDT is 13:00, offset -240 (right: 09:00)
America/New_York: Mon, 01 Jun 2026 11:00:00 +0200 is 15:00, offset undefined (right: 09:00)
Asia/Kolkata: 2026-06-01T09:00:00Z is 03:30, offset 0 (right: 09:00)
Asia/Kolkata: 2026-06-01T11:00:00+02:00 is 03:30, offset 120 (right: 09:00)
Asia/Kolkata: 2026-06-01 05:00:00 EDT is 03:30, offset -240 (right: 09:00)
Asia/Kolkata: Mon, 01 Jun 2026 11:00:00 +0200 is 05:30, offset undefined (right: 09:00)
WANT
