#!/bin/sh
# google-spreadsheet 5.3.0: saving a row in which one cell was set takes back what people typed into the others meanwhile.
# Expected: row.set('Status', …) and row.save() write that cell; its documentation says that save() writes the updates made, and warns of formulas only.
# Seen: one write for the whole row, with the texts of the first reading, and no error: a visit that somebody moved to 11:00 is at 09:00 again.
# All texts are entered anew (USER_ENTERED, which may make a number of a phone number); `raw` makes texts of numbers and dates instead.
# Use loadCells() and saveUpdatedCells(), which write single cells. A stand-in for Sheets answers in the process.
# Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent google-spreadsheet@5.3.0
cat >run.mjs <<'JS'
import { GoogleSpreadsheet } from 'google-spreadsheet';
const header = ['Name', 'Phone', 'Hour', 'Price', 'Status'];
let cells = ['Ann', '555-0100', '09:00', '40', ''];
const writes = [];
const asked = new Set();
globalThis.fetch = async (input, init) => {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const answer = (body) => new Response(JSON.stringify(body), { headers: { 'content-type': 'application/json' } });
  if (request.method === 'PUT') {
    const { range, values } = await request.json();
    writes.push(`${range} ${url.searchParams.get('valueInputOption')} ${JSON.stringify(values)}`);
    cells = values[0];
    return answer({ updatedData: { values } });
  }
  if (url.pathname.includes('values')) {
    asked.add(url.searchParams.get('valueRenderOption') ?? 'as shown');
    const ranges = url.searchParams.getAll('ranges');
    const of = (range) => ({ range, values: /1:[A-Z]*1$/.test(range) ? [header] : [cells] });
    return answer(ranges.length > 0 ? { valueRanges: ranges.map(of) } : of(decodeURIComponent(url.pathname)));
  }
  const gridProperties = { rowCount: 2, columnCount: header.length };
  return answer({ properties: { title: 'Bookings' }, sheets: [{ properties: { sheetId: 0, title: 'Bookings', index: 0, gridProperties } }] });
};
const document = new GoogleSpreadsheet('1', { token: 'x' });
await document.loadInfo();
const [row] = await document.sheetsByIndex[0].getRows();
cells = cells.with(2, '11:00'); // Somebody moves the visit while the program works.
row.set('Status', 'booked');
await row.save();
console.log(`read: ${[...asked].join()}`);
console.log(writes.join('\n'));
console.log(cells.join(' | '));
const same = [...asked].join() === 'as shown' && writes.join('|') === `'Bookings'!A2:E2 USER_ENTERED ${JSON.stringify([['Ann', '555-0100', '09:00', '40', 'booked']])}`;
console.log(same ? 'as seen: the hour is 09:00 again' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
