#!/bin/sh
# libphonenumber-js 1.13.16: an international number that has lost its plus is a valid number of another person.
# A spreadsheet turns a typed +491701234567 into the number 491701234567. Parsed with region DE, isValid() is true and the result is
# +49491701234567: digits of the right length pass as a national number, although they begin with the country's own code.
# Seen with the library's own example mobiles of 245 countries: 211 of them turn into another valid number in DE, 113 in AT.
# So a reader has to try both forms, and to ask when both are valid. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent libphonenumber-js@1.13.16 >/dev/null 2>&1
node --input-type=module <<'JS'
import { createRequire } from 'node:module';
import { getCountries, getExampleNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';
const examples = createRequire(`${process.cwd()}/`)('libphonenumber-js/examples.mobile.json');
const numbers = getCountries().flatMap((country) => getExampleNumber(country, examples)?.number ?? []);
const wrongIn = (region) =>
  numbers.filter((number) => {
    const read = parsePhoneNumberFromString(number.slice(1), region);
    return read?.isValid() === true && read.number !== number;
  }).length;
const german = parsePhoneNumberFromString('491701234567', 'DE');
const seen = { read: german.number, valid: german.isValid(), examples: numbers.length, DE: wrongIn('DE'), AT: wrongIn('AT') };
console.log(JSON.stringify(seen));
const isAsSeen = JSON.stringify(seen) === '{"read":"+49491701234567","valid":true,"examples":245,"DE":211,"AT":113}';
console.log(isAsSeen ? 'as seen: most numbers without their plus are valid numbers of somebody else' : 'differs');
process.exit(isAsSeen ? 0 : 1);
JS
