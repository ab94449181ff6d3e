#!/bin/sh
# zod 4.6.7: "a phone or an e-mail, but not both" as JSON Schema becomes a zod schema that refuses everybody.
# JSON Schema 2020-12 (validation, 6.5.3): `required` holds wherever it stands, also in a branch of oneOf without a type, as ajv 8.20.0 reads it.
# Seen: z.fromJSONSchema() drops `required` where no `type` stands beside it. Both branches then accept every object, so oneOf accepts none.
# A `const` or `enum` that is an object or a list equals nothing. Neither is an error, although other words that it does not know are one.
# Its comment calls it semi-experimental. Write `type: object` and the properties into each branch. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent zod@4.6.7 ajv@8.20.0
cat >run.mjs <<'JS'
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as z from 'zod';
const ajv = new Ajv2020({ strict: false });
const text = { type: 'string' };
const properties = { phone: text, email: text };
const branch = (name) => ({ type: 'object', properties: { [name]: text }, required: [name] });
const phone = { phone: '+49301234567' };
const cases = [
  ['either', { type: 'object', properties, oneOf: [{ required: ['phone'] }, { required: ['email'] }] }, phone],
  ['either, with types', { type: 'object', properties, oneOf: [branch('phone'), branch('email')] }, phone],
  ['a list', { const: ['mon', 'tue'] }, ['mon', 'tue']],
];
const word = (isAccepted) => (isAccepted ? 'accepts' : 'refuses');
const seen = cases.map(([name, schema, value]) => `${name}: ajv ${word(ajv.validate(schema, value))}, zod ${word(z.fromJSONSchema(schema).safeParse(value).success)}`);
let isTold = false;
try {
  z.fromJSONSchema({ dependentRequired: { phone: ['name'] } });
} catch {
  isTold = true;
}
console.log(`${seen.join('\n')}\nan error for dependentRequired: ${isTold}`);
const same = isTold && seen.join() === ['either: ajv accepts, zod refuses', 'either, with types: ajv accepts, zod accepts', 'a list: ajv accepts, zod refuses'].join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
