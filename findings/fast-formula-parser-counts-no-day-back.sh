#!/bin/sh
# fast-formula-parser 1.0.19: a working day before Thursday is that Thursday, and a month after 31 January is 3 March.
# ECMA-376 (SpreadsheetML, WORKDAY and EDATE): a negative count yields a past date, and EDATE(DATE(2004,2,29),12) is the serial of 28 February 2005.
# hyperformula 3.5.0 agrees. Seen: WORKDAY gives the start back whatever the negative count is, and EDATE runs over into the month after the next,
# both without an error. WEEKNUM is one too low in December 2026. Forwards, WORKDAY is right.
# A reminder "two working days before" goes out on the day itself, and a bill of the 31st is due in March. Use EOMONTH, and another library.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent fast-formula-parser@1.0.19 hyperformula@3.5.0
cat >run.cjs <<'JS'
const FormulaParser = require('fast-formula-parser');
const { HyperFormula } = require('hyperformula');
const parser = new FormulaParser({});
const sheet = HyperFormula.buildFromArray([[null]], { licenseKey: 'gpl-v3' });
const shown = (value) => (value > 366 ? new Date(Date.UTC(1899, 11, 30 + value)).toISOString().slice(0, 10) : value);
for (const formula of [
  'WORKDAY(DATE(2026,12,18),2)',
  'WORKDAY(DATE(2026,12,24),-1)',
  'WORKDAY(DATE(2026,12,28),-10)',
  'EDATE(DATE(2026,1,15),1)',
  'EDATE(DATE(2026,1,31),1)',
  'EDATE(DATE(2026,8,31),1)',
  'EDATE(DATE(2004,2,29),12)',
  'EOMONTH(DATE(2026,1,31),1)',
  'WEEKNUM(DATE(2026,1,1),2)',
  'WEEKNUM(DATE(2026,12,7),2)',
]) {
  console.log(`${formula}: ${shown(parser.parse(formula, { sheet: 'S', row: 1, col: 1 }))} (right: ${shown(sheet.calculateFormula(`=${formula}`, 0))})`);
}
JS
node run.cjs | tee seen
diff seen - <<'WANT'
WORKDAY(DATE(2026,12,18),2): 2026-12-22 (right: 2026-12-22)
WORKDAY(DATE(2026,12,24),-1): 2026-12-24 (right: 2026-12-23)
WORKDAY(DATE(2026,12,28),-10): 2026-12-28 (right: 2026-12-14)
EDATE(DATE(2026,1,15),1): 2026-02-15 (right: 2026-02-15)
EDATE(DATE(2026,1,31),1): 2026-03-03 (right: 2026-02-28)
EDATE(DATE(2026,8,31),1): 2026-10-01 (right: 2026-09-30)
EDATE(DATE(2004,2,29),12): 2005-03-01 (right: 2005-02-28)
EOMONTH(DATE(2026,1,31),1): 2026-02-28 (right: 2026-02-28)
WEEKNUM(DATE(2026,1,1),2): 1 (right: 1)
WEEKNUM(DATE(2026,12,7),2): 49 (right: 50)
WANT
