#!/bin/sh
# hyperformula 3.5.0: the last days of December that belong to week 1 are in week 53, in years without one.
# ISO 8601: week 1 is the one with the first Thursday, so 30 December 2024 is in week 1 of 2025. ISOWEEKNUM and WEEKNUM of type 21 promise ISO weeks.
# Seen: Monday to Wednesday of such a week are in week 53, Thursday on in week 1, so one week has two numbers. Years with a 53rd week are right.
# @formulajs/formulajs 4.6.1, run in UTC, agrees with ISO 8601.
# A rota or wage by week counts three days for a week that the year does not have. It happened in 2024 and 2025.
# Count the week of the Thursday: ISOWEEKNUM(day-WEEKDAY(day,2)+4). Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent hyperformula@3.5.0 @formulajs/formulajs@4.6.1
cat >run.mjs <<'JS'
import { HyperFormula } from 'hyperformula';
import { ISOWEEKNUM } from '@formulajs/formulajs';
const engine = HyperFormula.buildFromArray([[]], { licenseKey: 'gpl-v3' });
for (const [year, month, day] of [[2018, 12, 31], [2024, 12, 29], [2024, 12, 30], [2025, 1, 2], [2025, 12, 31], [2026, 1, 1], [2026, 12, 31], [2027, 1, 3]]) {
  const date = `DATE(${year},${month},${day})`;
  const [iso, type21, thursday] = [`ISOWEEKNUM(${date})`, `WEEKNUM(${date},21)`, `ISOWEEKNUM(${date}-WEEKDAY(${date},2)+4)`].map((formula) => engine.calculateFormula(`=${formula}`, 0));
  console.log(`${year}-${month}-${day}: ${iso}, type 21 ${type21}, by its Thursday ${thursday} (formulajs: ${ISOWEEKNUM(new Date(year, month - 1, day))})`);
}
JS
TZ=UTC node run.mjs | tee seen
diff seen - <<'WANT'
2018-12-31: 53, type 21 53, by its Thursday 1 (formulajs: 1)
2024-12-29: 52, type 21 52, by its Thursday 52 (formulajs: 52)
2024-12-30: 53, type 21 53, by its Thursday 1 (formulajs: 1)
2025-1-2: 1, type 21 1, by its Thursday 1 (formulajs: 1)
2025-12-31: 53, type 21 53, by its Thursday 1 (formulajs: 1)
2026-1-1: 1, type 21 1, by its Thursday 1 (formulajs: 1)
2026-12-31: 53, type 21 53, by its Thursday 53 (formulajs: 53)
2027-1-3: 53, type 21 53, by its Thursday 53 (formulajs: 53)
WANT
