#!/bin/sh
# hucre 1.0.0 (September 2026): a CSV says 10:00, and the workbook made from it says 09:00 in Berlin and 15:00 in New York.
# Its README calls its conversion timezone-safe: a Date is the cell in UTC. Expected: parseCsv() with typeInference, then writeXlsx(), keep 10:00.
# Seen: a text with a time and no zone becomes a Date of the machine's zone, while a date alone counts in UTC. Writing takes both in UTC.
# In UTC nothing is seen, so tests on a server pass. A day that does not exist becomes another: 2026-02-30 is 2 March, without an error.
# The xlsx package 0.18.5 reads what was written. Appointments imported from a CSV move by hours. Run with TZ=UTC, or leave typeInference out.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent hucre@1.0.0 xlsx@0.18.5
cat >run.mjs <<'JS'
import { parseCsv, writeXlsx } from 'hucre';
import XLSX from 'xlsx';
const text = 'what,when\nAnn,2026-12-24T10:00:00\nBen,2026-12-24\nCleo,2026-02-30\n';
const rows = parseCsv(text, { typeInference: true });
const columns = [{}, { numFmt: 'yyyy-mm-dd hh:mm' }];
const sheet = XLSX.read(await writeXlsx({ sheets: [{ name: 'one', columns, rows }] })).Sheets.one;
console.log(`${process.env.TZ}: ${[2, 3, 4].map((row) => `${sheet[`A${row}`].w} ${sheet[`B${row}`].w}`).join(', ')}`);
JS
for zone in UTC Europe/Berlin America/New_York; do TZ=$zone node run.mjs; done | tee seen
diff seen - <<'WANT'
UTC: Ann 2026-12-24 10:00, Ben 2026-12-24 00:00, Cleo 2026-03-02 00:00
Europe/Berlin: Ann 2026-12-24 09:00, Ben 2026-12-24 00:00, Cleo 2026-03-02 00:00
America/New_York: Ann 2026-12-24 15:00, Ben 2026-12-24 00:00, Cleo 2026-03-02 00:00
WANT
