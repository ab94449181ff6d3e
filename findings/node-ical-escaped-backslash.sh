#!/bin/sh
# node-ical 0.26.0: a backslash before an n, escaped as RFC 5545 (3.3.11) asks, is read as a backslash and a line break.
# The file holds C:\\new, which means C:\new. ical.js 2.2.1 reads it so. node-ical replaces \n before \\, so text after a backslash moves to
# a new line: paths, and anything that was escaped twice. Texts for its readers should hold no backslash before an n.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent node-ical@0.26.0 ical.js@2.2.1 >/dev/null 2>&1
cat >feed.ics <<'ICS'
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//example//example//EN
BEGIN:VEVENT
UID:one@example.com
DTSTAMP:20261101T000000Z
DTSTART:20261128T100000Z
DTEND:20261128T110000Z
SUMMARY:Folder C:\\new
END:VEVENT
END:VCALENDAR
ICS
node --input-type=module <<'JS'
import { readFileSync } from 'node:fs';
import ICAL from 'ical.js';
import ical from 'node-ical';
const file = readFileSync('feed.ics', 'utf8').replaceAll('\n', '\r\n');
const one = Object.values(ical.sync.parseICS(file)).find(({ type }) => type === 'VEVENT').summary;
const other = new ICAL.Component(ICAL.parse(file)).getFirstSubcomponent('vevent').getFirstPropertyValue('summary');
console.log(JSON.stringify({ 'node-ical': one, 'ical.js': other }));
const isAsSeen = one === 'Folder C:\\\new' && other === 'Folder C:\\new';
console.log(isAsSeen ? 'as seen: node-ical breaks the line' : 'differs');
process.exit(isAsSeen ? 0 : 1);
JS
