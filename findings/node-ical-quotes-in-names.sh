#!/bin/sh
# node-ical 0.27.2: names keep the marks ^' of RFC 6868 instead of the quotes that they stand for.
# RFC 6868 (2014) writes a double quote in a parameter as ^'. ical-generator 11.1.2 writes it so, and ical.js 2.2.1 reads it back.
# Seen: a person called  Anna "Ann" Doe  is called  Anna ^'Ann^' Doe . Whoever matches names of guests should decode ^', ^n and ^^ first.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical-generator@11.1.2 ical.js@2.2.1
cat >run.mjs <<'JS'
import generator from 'ical-generator';
import ICAL from 'ical.js';
import ical from 'node-ical';
const calendar = generator({ name: 'Team' });
const name = 'Anna "Ann" Doe';
calendar.createEvent({ id: '1', start: new Date('2026-06-01T10:00:00Z'), end: new Date('2026-06-01T11:00:00Z'), summary: 'x', organizer: { name, email: 'anna@example.com' } });
const text = calendar.toString();
const first = new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent').getFirstProperty('organizer').getParameter('cn');
const second = Object.values(ical.sync.parseICS(text)).find(({ type }) => type === 'VEVENT').organizer.params.CN;
console.log(`ical.js:   ${first}\nnode-ical: ${second}`);
const same = first === name && second === "Anna ^'Ann^' Doe";
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
