#!/bin/sh
# @formulajs/formulajs 4.6.1 (2026): WEEKNUM puts every Monday of summer time into the week before, and 31 to 1 December are -29 working days.
# Microsoft's page on WEEKNUM: type 2 counts from the week of 1 January and begins on Monday. NETWORKDAYS leaves out weekends whichever date comes first.
# hyperformula 3.5.0 agrees. Seen: days of 24 hours are counted between two local midnights. In summer an hour is missing there,
# so the first day of a week falls short. In UTC it is right. Backwards, two of the eight weekend days in that month are left out.
# A rota or a wage by weeks is wrong on 30 Mondays a year, in New York on 34. Run it with TZ=UTC, and give NETWORKDAYS the earlier date first.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @formulajs/formulajs@4.6.1 hyperformula@3.5.0
cat >run.cjs <<'JS'
const { NETWORKDAYS, WEEKNUM } = require('@formulajs/formulajs');
const { HyperFormula } = require('hyperformula');
const sheet = HyperFormula.buildFromArray([[null]], { licenseKey: 'gpl-v3' });
const days = Array.from({ length: 365 }, (_, day) => new Date(2026, 0, 1 + day));
const cell = (day) => `DATE(${day.getFullYear()},${day.getMonth() + 1},${day.getDate()})`;
const off = days.filter((day) => WEEKNUM(day, 2) !== sheet.calculateFormula(`=WEEKNUM(${cell(day)},2)`, 0));
const monday = new Date(2026, 6, 6);
const [first, last] = [new Date(2026, 11, 1), new Date(2026, 11, 31)];
console.log(
  `${process.env.TZ}: ${off.length} days off, ${off.filter((day) => day.getDay() === 1).length} of them Mondays;`,
  `6 July ${WEEKNUM(monday, 2)} (right: ${sheet.calculateFormula(`=WEEKNUM(${cell(monday)},2)`, 0)});`,
  `working days ${NETWORKDAYS(first, last)} and ${NETWORKDAYS(last, first)} (right: ${sheet.calculateFormula(`=NETWORKDAYS(${cell(last)},${cell(first)})`, 0)})`,
);
JS
for zone in UTC Europe/Berlin America/New_York; do TZ=$zone node run.cjs; done | tee seen
diff seen - <<'WANT'
UTC: 0 days off, 0 of them Mondays; 6 July 28 (right: 28); working days 23 and -29 (right: -23)
Europe/Berlin: 30 days off, 30 of them Mondays; 6 July 27 (right: 28); working days 23 and -29 (right: -23)
America/New_York: 34 days off, 34 of them Mondays; 6 July 27 (right: 28); working days 23 and -29 (right: -23)
WANT
