#!/bin/sh
# vcard4 4.0.5: a number that is of work and mobile, TYPE=work,cell, is of neither, and a name with a sort key cannot be read.
# RFC 6350 (5.6) makes TYPE a list with commas, and 5.9 has N;SORT-AS="Harten,Rene" in its own example. The README promises all of RFC 6350.
# Seen: without quotes the list stays one text, "work,cell", and so does PID (5.5). SORT-AS is refused as unknown, and with it the whole card.
# vcard4-ts 0.4.1 reads both lists and the card.
# Whoever looks for the mobile number to send a message to finds none. Split TYPE at its commas oneself. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent vcard4@4.0.5 vcard4-ts@0.4.1
cat >run.mjs <<'JS'
import { parse } from 'vcard4';
import { parseVCards } from 'vcard4-ts';
function seen(text, name) {
  try {
    return JSON.stringify(parse(text).parsedVcard.find(({ property, parameters }) => property === name && Object.keys(parameters).length > 0).parameters);
  } catch (error) {
    return error.message;
  }
}
for (const line of ['TEL;TYPE=cell:+49 170 1234567', 'TEL;TYPE=work,cell:+49 170 1234567', 'EMAIL;PID=1.1,2.1:ann@shop.example', 'N;SORT-AS="Doe,Ann":Doe;Ann;;;']) {
  const text = ['BEGIN:VCARD', 'VERSION:4.0', 'FN:Ann Doe', line, 'END:VCARD', ''].join('\r\n');
  const name = line.slice(0, line.indexOf(';'));
  const [other] = [parseVCards(text).vCards[0][name]].flat();
  console.log(`${line}: ${seen(text, name)} (vcard4-ts: ${JSON.stringify(other.parameters)})`);
}
JS
node run.mjs | tee seen
diff seen - <<'WANT'
TEL;TYPE=cell:+49 170 1234567: {"TYPE":"cell"} (vcard4-ts: {"TYPE":["cell"]})
TEL;TYPE=work,cell:+49 170 1234567: {"TYPE":"work,cell"} (vcard4-ts: {"TYPE":["work","cell"]})
EMAIL;PID=1.1,2.1:ann@shop.example: {"PID":"1.1,2.1"} (vcard4-ts: {"PID":["1.1","2.1"]})
N;SORT-AS="Doe,Ann":Doe;Ann;;;: vCard has unknown parameter: SORT-AS, on N property (vcard4-ts: {"SORT_AS":["Doe,Ann"]})
WANT
