#!/bin/sh
# rrule-rust 3.1.1: a day that the rule gives and the list names as well comes twice.
# RFC 5545 (3.8.5.2): where RRULE and RDATE give the same instance, only one counts.
# Seen: all() and between() return the same moment twice, also when two rules meet on a day.
# rrule 2.8.1 returns each moment once.
# A customer gets two bookings, or two reminders. Compare each moment with the one before. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent rrule-rust@3.1.1 rrule@2.8.1
cat >run.mjs <<'JS'
import rrule from 'rrule';
import { DateTime, RRuleSet } from 'rrule-rust';
const show = (what, text) => {
  const set = RRuleSet.fromString(text);
  const told = set.all().map(({ day }) => `${day}.`);
  const between = set.between(DateTime.utc(2026, 1, 1, 0, 0, 0), DateTime.utc(2027, 1, 1, 0, 0, 0), true).length;
  const other = rrule.rrulestr(text, { forceset: true }).all().length;
  console.log(`${what}: ${told.join(' ')} (between: ${between}, rrule: ${other})`);
};
const start = 'DTSTART;TZID=Europe/Berlin:';
show('rule and list', `${start}20260601T100000\nRRULE:FREQ=DAILY;COUNT=3\nRDATE;TZID=Europe/Berlin:20260602T100000`);
show('two rules', `${start}20260601T100000\nRRULE:FREQ=DAILY;COUNT=3\nRRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=1`);
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
rule and list: 1. 2. 2. 3. (between: 4, rrule: 3)
two rules: 1. 2. 2. 3. (between: 4, rrule: 3)
WANT
