#!/bin/sh
# xlsx2csv 0.7.8 (Debian 12): a cell that shows "1.50 h" comes out as 0.00 "12", and a sum of 25:30 hours as 01:30.
# In a number format quoted text is no code, [h] counts hours past the day, and mm beside ss is minutes (ECMA-376, part 1, 18.8.31).
# Expected: what the spreadsheet shows, as the xlsx package 0.18.5 gives it. The manual names no limit.
# Seen: a d, h, m or s in a quoted unit makes a date of the number. The letters of the format are filled in, so 90 min is 0 "03in".
# The number itself is nowhere in the CSV. Fifteen minutes (mm:ss) are 00:15, and 10:30:15 is 10:30. Lengths of lessons, and sums for wages, are lost.
# Without a unit in the format the number is right. The exit code is 0, and no line warns. Take another converter, or formats without text.
# Needs Debian 12 with apt, node and npm; unpacks the package into a temporary folder. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
apt-get download -q xlsx2csv=1:0.7.8-1 >/dev/null 2>&1
dpkg -x xlsx2csv_*.deb program
npm init -y >/dev/null
npm install --no-audit --no-fund --silent xlsx@0.18.5
cat >run.cjs <<'JS'
const { execFileSync } = require('node:child_process');
const XLSX = require('xlsx');
const cells = [['0.00', 1.5], ['0.00 "h"', 1.5], ['0 "min"', 90], ['0.00 "days"', 2], ['h:mm', 10.5 / 24], ['h:mm:ss', 10.5 / 24 + 15 / 86400], ['mm:ss', 15 / 1440], ['[h]:mm:ss', 25.5 / 24], ['[h]:mm', 25.5 / 24]];
const sheet = { '!ref': `A1:A${cells.length}` };
cells.forEach(([z, v], row) => { sheet[`A${row + 1}`] = { t: 'n', v, z }; });
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(book, sheet, 'Hours');
XLSX.writeFile(book, 'hours.xlsx');
const read = XLSX.readFile('hours.xlsx').Sheets.Hours;
const env = { ...process.env, PYTHONPATH: 'program/usr/lib/python3/dist-packages' };
const lines = execFileSync('/usr/bin/python3', ['program/usr/bin/xlsx2csv', 'hours.xlsx'], { encoding: 'utf8', env }).trim().split('\n');
lines.forEach((line, row) => console.log(`${cells[row][0]}: ${line.trim()} (right: ${read[`A${row + 1}`].w})`));
JS
node run.cjs | tee seen
diff seen - <<'WANT'
0.00: 1.50 (right: 1.50)
0.00 "h": "0.00 ""12""" (right: 1.50 h)
0 "min": "0 ""03in""" (right: 90 min)
0.00 "days": "0.00 ""01ays""" (right: 2.00 days)
h:mm: 10:30 (right: 10:30)
h:mm:ss: 10:30 (right: 10:30:15)
mm:ss: 00:15 (right: 15:00)
[h]:mm:ss: 01:30 (right: 25:30:00)
[h]:mm: 1.0625 (right: 25:30)
WANT
