#!/bin/sh
# @cj-tech-master/excelts 10.2.0 (September 2026): a weekend written as seven digits, "0000011", is Sunday alone, and "0000001" is both days.
# Microsoft's page on NETWORKDAYS.INTL: seven characters stand for the days from Monday on, and its example "0000011" is Saturday and Sunday.
# Seen: the text is taken for the number of a weekend, so "0000011" is number 11 and "0000001" is 1; all others count as Saturday and Sunday.
# No text is an error, and WORKDAY.INTL does the same. hyperformula 3.5.0 agrees with the page.
# A shop that is closed on Wednesdays and Sundays promises a delivery for a Wednesday. Write the number where one exists, as 7 for Friday and Saturday.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @cj-tech-master/excelts@10.2.0 hyperformula@3.5.0
cat >run.mjs <<'JS'
import { HyperFormula } from 'hyperformula';
import { Workbook } from '@cj-tech-master/excelts';
import { installFormulaEngine } from '@cj-tech-master/excelts/formula';
installFormulaEngine();
const engine = HyperFormula.buildFromArray([[]], { licenseKey: 'gpl-v3' });
function excelts(formula) {
  const workbook = new Workbook();
  const cell = workbook.addWorksheet('one').getCell('A1');
  cell.value = { formula };
  workbook.calculateFormulas();
  return cell.result;
}
for (const formula of [
  'NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,2,1),7)',
  'NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,2,1),"0010001")',
  'NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"0000011")',
  'NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"0000001")',
  'NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"1111110")',
  'DAY(WORKDAY.INTL(DATE(2026,12,7),2,"0010001"))',
]) console.log(`${formula}: ${excelts(formula)} (hyperformula: ${engine.calculateFormula(`=${formula}`, 0)})`);
JS
node run.mjs | tee seen
diff seen - <<'WANT'
NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,2,1),7): 24 (hyperformula: 24)
NETWORKDAYS.INTL(DATE(2006,1,1),DATE(2006,2,1),"0010001"): 23 (hyperformula: 22)
NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"0000011"): 27 (hyperformula: 23)
NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"0000001"): 23 (hyperformula: 27)
NETWORKDAYS.INTL(DATE(2026,12,1),DATE(2026,12,31),"1111110"): 23 (hyperformula: 4)
DAY(WORKDAY.INTL(DATE(2026,12,7),2,"0010001")): 9 (hyperformula: 10)
WANT
