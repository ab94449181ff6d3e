#!/bin/sh
# @0dep/piso 5.1.2 (September 2026): the start of a repeated period is the one around the machine's clock, whatever date is asked for.
# Its README: getStartAt(compareDate) gives the start of the repetition that expires first after that date; its own example is 1 March 2024.
# Seen: compareDate is left out on the way, and "now" counts. A series in the past answers its last start for every date, one without an end
# that of this month. getExpireAt() is right, so a period may begin after it ends. A bill of February is headed by another month.
# Take getExpireAt() and go back by the duration. The clock stands still here, at 15 June 2026 (@sinonjs/fake-timers 15.5.0).
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @0dep/piso@5.1.2 @sinonjs/fake-timers@15.5.0
cat >run.mjs <<'JS'
import { parseInterval } from '@0dep/piso';
import FakeTimers from '@sinonjs/fake-timers';
FakeTimers.install({ now: new Date('2026-06-15T00:00:00Z'), toFake: ['Date'] });
const day = (date) => date.toISOString().slice(0, 10);
const cases = [
  ['R-1/2024-01-01T00:00Z/P1M', '2024-03-15', '2024-03-01'],
  ['R3/2024-01-15T00:00Z/P1M', '2024-01-20', '2024-01-15'],
  ['R3/2024-01-15T00:00Z/P1M', '2024-02-20', '2024-02-15'],
  ['R3/P1M/2024-04-15T00:00Z', '2024-01-20', '2024-01-15'],
];
for (const [source, asked, right] of cases) {
  const interval = parseInterval(source);
  console.log(`${source} on ${asked}: from ${day(interval.getStartAt(new Date(asked)))} to ${day(interval.getExpireAt(new Date(asked)))} (right: from ${right})`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
R-1/2024-01-01T00:00Z/P1M on 2024-03-15: from 2026-06-01 to 2024-04-01 (right: from 2024-03-01)
R3/2024-01-15T00:00Z/P1M on 2024-01-20: from 2024-03-15 to 2024-02-15 (right: from 2024-01-15)
R3/2024-01-15T00:00Z/P1M on 2024-02-20: from 2024-03-15 to 2024-03-15 (right: from 2024-02-15)
R3/P1M/2024-04-15T00:00Z on 2024-01-20: from 2024-03-15 to 2024-02-15 (right: from 2024-01-15)
WANT
