#!/bin/sh
# vcf 2.1.2: a semicolon in the street moves the town of a contact one field on, and the label that Apple gives to a number gets another name.
# RFC 6350 (3.4) writes a semicolon inside a field as \; and RFC 7095 (3.3) has no backslashes in jCard. vcard4 4.0.5 reads the address right.
# Seen: toJSON() splits at \; too, so the town is where the region belongs and the country is an eighth field; a note keeps its backslashes.
# toString() writes X-AB-LABEL for X-ABLabel, which the programs that wrote it do not look for. Read contacts with another parser.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent vcf@2.1.2 vcard4@4.0.5
cat >run.mjs <<'JS'
import { parse } from 'vcard4';
import VCard from 'vcf';
const text = ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ann Example', 'ADR:;;Shop 3\\; yard;Berlin;;10115;Germany', 'item1.TEL:+4930123', 'item1.X-ABLabel:Front desk', 'NOTE:Comes at 9\\, brings a dog', 'END:VCARD', ''].join('\r\n');
const right = parse(text).getProperty('ADR')[0].value;
const card = new VCard().parse(text);
const values = Object.fromEntries(card.toJSON()[1].map(([name, , , value]) => [name, value]));
const label = /^.*Front desk$/m.exec(card.toString())[0].trim();
const seen = [`vcard4: ${right.streetAddress} | ${right.locality} | ${right.countryName}`, `vcf: ${values.adr.join(' | ')}`, `vcf: ${values.note}`, `vcf: ${label}`];
console.log(seen.join('\n'));
const same =
  seen.join() === ['vcard4: Shop 3; yard | Berlin | Germany', 'vcf:  |  | Shop 3\\ |  yard | Berlin |  | 10115 | Germany', 'vcf: Comes at 9\\, brings a dog', 'vcf: item1.X-AB-LABEL:Front desk'].join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
