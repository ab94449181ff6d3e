#!/usr/bin/env bash
# weekly-availabilities 2.0.0 (May 2026): with a person without hours first in the list, nobody is available.
# Its README: unionSchedules() of several people is when someone is available, and parseIntervals('') gives a week without hours.
# Expected: the order does not count. Seen: the first entry alone tells what kind of list it is, so an empty one makes it take persons for hours.
# Then persons are compared as if they were moments, and their hours are gone. Anywhere else in the list the empty one is right.
# Nothing is thrown. Whoever is on leave at the head of a list closes the shop for the others. Leave out empty weeks before the call.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent weekly-availabilities@2.0.0
cat >run.mjs <<'JS'
import availabilities from 'weekly-availabilities';
const { format, parseIntervals, unionSchedules } = availabilities;
const weeks = { ann: '', ben: 'M09:00 M12:00', cem: 'M11:00 M15:00, T09:00 T10:00' };
for (const names of [['ben', 'cem', 'ann'], ['ben', 'ann', 'cem'], ['ann', 'ben', 'cem'], ['ann', 'cem', 'ben'], ['ann', 'cem']]) {
  const union = unionSchedules(names.map((name) => parseIntervals(weeks[name])));
  console.log(`${names.join(', ')}: ${format(union)} (${union.length} found)`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
ben, cem, ann: M09:00 M15:00, T09:00 T10:00 (2 found)
ben, ann, cem: M09:00 M15:00, T09:00 T10:00 (2 found)
ann, ben, cem:  (0 found)
ann, cem, ben:  (0 found)
ann, cem:  (0 found)
WANT
