#!/bin/sh
# ics 3.12.0: lines are folded by characters, so a line in Cyrillic is nearly twice as long as allowed.
# RFC 5545 (3.1) asks for at most 75 octets in a line. ical-generator 11.1.2 keeps to it. Seen: a place of 60 Cyrillic letters is one line of 129 octets.
# Readers with a buffer of 75 octets cut it. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ics@3.12.0 ical-generator@11.1.2
cat >run.mjs <<'JS'
import generator from 'ical-generator';
import { createEvent } from 'ics';
const location = 'Ж'.repeat(60);
const { value } = createEvent({ start: [2026, 6, 1, 10, 0], duration: { hours: 1 }, title: 'x', location });
const calendar = generator();
calendar.createEvent({ id: '1', start: new Date('2026-06-01T10:00:00Z'), summary: 'x', location });
const longest = (text) => Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)));
const [first, second] = [longest(value), longest(calendar.toString())];
console.log(`longest line in octets: ics ${first}, ical-generator ${second}`);
const same = first === 129 && second <= 75;
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
