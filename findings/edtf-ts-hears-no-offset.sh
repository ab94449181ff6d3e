#!/bin/sh
# @edtf-ts/core 0.4.2 (April 2026): two names of one moment, 10:00+01:00 and 09:00Z, are an hour apart.
# EDTF (Library of Congress, level 0): a time with a shift is a moment, with its distance from UTC. The README promises the complete specification.
# Seen: the offset is kept in the text and counts nowhere. equals() says NO, isAfter() says YES, and minMs is off by the offset.
# What comes first is said to be after what follows it, although the answers are to be definite: YES and NO, where MAYBE exists for doubt.
# edtf 4.11.1, the older library for the format, counts the offset. Turn times into UTC before they are compared.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @edtf-ts/core@0.4.2 edtf@4.11.1
cat >run.mjs <<'JS'
import { FuzzyDate } from '@edtf-ts/core';
import edtf from 'edtf';
const minute = (milliseconds) => new Date(Number(milliseconds)).toISOString().slice(0, 16);
for (const text of ['2026-12-24T09:00:00Z', '2026-12-24T10:00:00+01:00', '1985-04-12T23:20:30+04:30']) {
  console.log(`${text}: ${minute(FuzzyDate.parse(text).minMs)} (edtf: ${minute(edtf(text).min)})`);
}
const pairs = [
  ['2026-12-24T10:00:00+01:00', '2026-12-24T09:00:00Z'],
  ['2026-12-24T23:30:00-05:00', '2026-12-25T01:00:00+01:00'],
];
for (const [first, second] of pairs) {
  const [one, other] = [FuzzyDate.parse(first), FuzzyDate.parse(second)];
  const difference = edtf(first).min - edtf(second).min;
  const right = difference === 0 ? 'equal' : difference < 0 ? 'before' : 'after';
  console.log(`${first} and ${second}: equal ${one.equals(other)}, before ${one.isBefore(other)}, after ${one.isAfter(other)} (edtf: ${right})`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
2026-12-24T09:00:00Z: 2026-12-24T09:00 (edtf: 2026-12-24T09:00)
2026-12-24T10:00:00+01:00: 2026-12-24T10:00 (edtf: 2026-12-24T09:00)
1985-04-12T23:20:30+04:30: 1985-04-12T23:20 (edtf: 1985-04-12T18:50)
2026-12-24T10:00:00+01:00 and 2026-12-24T09:00:00Z: equal NO, before NO, after YES (edtf: equal)
2026-12-24T23:30:00-05:00 and 2026-12-25T01:00:00+01:00: equal NO, before YES, after NO (edtf: after)
WANT
