#!/bin/sh
# node-ical 0.27.2: a guest who belongs to two groups, or has sent two others instead, is not among the guests.
# RFC 5545 (3.2.11, 3.2.5) lists the addresses of MEMBER and DELEGATED-TO in quotes, with commas between them. ical.js 2.2.1 reads all guests.
# Seen: a guest with one group is read, a guest with two is dropped without a word. Whoever counts guests, or asks who has accepted, is wrong.
# Read guests with another parser. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent node-ical@0.27.2 ical.js@2.2.1
cat >run.mjs <<'JS'
import ICAL from 'ical.js';
import ical from 'node-ical';
const text = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//example//example//EN', 'BEGIN:VEVENT', 'UID:1@shop.example', 'DTSTAMP:20261101T000000Z', 'DTSTART:20261215T100000Z',
  'DTEND:20261215T110000Z', 'SUMMARY:Class', 'ATTENDEE:mailto:ann@shop.example', 'ATTENDEE;MEMBER="mailto:a@shop.example":mailto:one@shop.example',
  'ATTENDEE;MEMBER="mailto:a@shop.example","mailto:b@shop.example":mailto:two@shop.example',
  'ATTENDEE;PARTSTAT=DELEGATED;DELEGATED-TO="mailto:c@shop.example","mailto:d@shop.example":mailto:away@shop.example', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
const names = (list) => list.map((one) => one.slice(7, one.indexOf('@'))).join(' ');
const right = names(new ICAL.Component(ICAL.parse(text)).getFirstSubcomponent('vevent').getAllProperties('attendee').map((one) => one.getFirstValue()));
const read = names([ical.sync.parseICS(text)['1@shop.example'].attendee].flat().map((one) => one.val ?? one));
console.log(`ical.js: ${right}\nnode-ical: ${read}`);
const same = right === 'ann one two away' && read === 'ann one';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
