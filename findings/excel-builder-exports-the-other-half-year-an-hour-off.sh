#!/bin/sh
# excel-builder-vanilla 5.2.5: a workbook written in winter has every appointment of summer an hour early, one written in summer those of winter late.
# A cell of type date is given a Date and shows local time: 9:30 on 15 January stays 9:30. Expected: the same for 1 June.
# Seen: the offset from UTC is asked once, for the moment at which the sheet is made, and taken for all dates in it.
# A shop in Berlin that exports its year in January sends its customers to 8:30 from April to October. In UTC nothing is seen, so tests on a server pass.
# The same file comes out right or wrong by the day of the export. Read by the xlsx package 0.18.5, without dates of its own.
# Write the serial number of the date as a number with a date format. The clock stands still here (@sinonjs/fake-timers 15.5.0). Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent excel-builder-vanilla@5.2.5 xlsx@0.18.5 @sinonjs/fake-timers@15.5.0
cat >run.mjs <<'JS'
import { createExcelFile, createWorkbook } from 'excel-builder-vanilla';
import FakeTimers from '@sinonjs/fake-timers';
import XLSX from 'xlsx';
for (const made of ['2026-01-10', '2026-07-10']) {
  const clock = FakeTimers.install({ now: new Date(`${made}T12:00:00Z`), toFake: ['Date'] });
  const book = createWorkbook();
  const format = book.getStyleSheet().createFormat({ format: 'yyyy-mm-dd hh:mm' });
  const sheet = book.createWorksheet({ name: 'Appointments' });
  const days = [new Date(2026, 0, 15, 9, 30), new Date(2026, 5, 1, 9, 30)];
  sheet.setData(days.map((value) => [{ value, metadata: { type: 'date', style: format.id } }]));
  book.addWorksheet(sheet);
  clock.uninstall();
  const read = XLSX.read(await createExcelFile(book, 'Uint8Array'), { type: 'array' });
  const cells = read.Sheets[read.SheetNames[0]];
  console.log(`${process.env.TZ}, made on ${made}: ${cells.A1.w} and ${cells.A2.w} (right: 2026-01-15 09:30 and 2026-06-01 09:30)`);
}
JS
for zone in UTC Europe/Berlin America/New_York; do TZ=$zone node run.mjs; done | tee seen
diff seen - <<'WANT'
UTC, made on 2026-01-10: 2026-01-15 09:30 and 2026-06-01 09:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
UTC, made on 2026-07-10: 2026-01-15 09:30 and 2026-06-01 09:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
Europe/Berlin, made on 2026-01-10: 2026-01-15 09:30 and 2026-06-01 08:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
Europe/Berlin, made on 2026-07-10: 2026-01-15 10:30 and 2026-06-01 09:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
America/New_York, made on 2026-01-10: 2026-01-15 09:30 and 2026-06-01 08:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
America/New_York, made on 2026-07-10: 2026-01-15 10:30 and 2026-06-01 09:30 (right: 2026-01-15 09:30 and 2026-06-01 09:30)
WANT
