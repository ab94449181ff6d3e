#!/bin/sh
# ics 3.12.0: a double quote in the name of an organizer makes a line that readers cut or drop.
# RFC 5545 (3.2) allows no double quote in a parameter, also not behind a backslash; RFC 6868 writes ^'. ics writes \" .
# Seen: createEvent reports no error; ical.js 2.2.1 reads half of the name, node-ical 0.27.2 finds no organizer at all.
# Whoever makes invitations with it should take quotes out of names first. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent ics@3.12.0 ical.js@2.2.1 node-ical@0.27.2
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import { createEvent } from 'ics';
import ical from 'node-ical';
const { error, value } = createEvent({ start: [2026, 6, 1, 10, 0], duration: { hours: 1 }, title: 'x', organizer: { name: 'Anna "Ann" Doe', email: 'anna@example.com' } });
const first = new ICAL.Component(ICAL.parse(value)).getFirstSubcomponent('vevent').getFirstProperty('organizer').getParameter('cn');
const second = Object.values(ical.sync.parseICS(value)).find(({ type }) => type === 'VEVENT').organizer;
console.log(`error: ${error}\n${value.split('\r\n').find((line) => line.startsWith('ORGANIZER'))}\nical.js: ${first}\nnode-ical: ${JSON.stringify(second)}`);
const same = error === null && first === 'Anna \\' && second === undefined;
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
