#!/bin/sh
# js-yaml 5.5.0 (October 2026): a key that begins with `--- ` or `... ` is written without quotes, and the text cannot be read any more.
# YAML 1.2.2 (9.1.2) takes such a line for the end of the document. Expected: quotes, as yaml 2.9.1 writes them and as js-yaml 5 puts around a whole text.
# Seen: a menu with the entry "--- choose ---" is written without an error, and neither js-yaml nor yaml can read it.
# A first key "... 10" is read back as 10. One level deeper all is right. Put such a map under a key. Needs node and npm.
# Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent js-yaml@5.5.0 yaml@2.9.1
cat >run.mjs <<'JS'
import { dump, load } from 'js-yaml';
import { parse, stringify } from 'yaml';
const read = (reader, text) => {
  try {
    return JSON.stringify(reader(text));
  } catch {
    return 'an error';
  }
};
const menu = { Cut: 30, '--- choose ---': 0 };
const seen = [
  `js-yaml writes ${JSON.stringify(dump(menu))}; js-yaml reads ${read(load, dump(menu))}, yaml reads ${read(parse, dump(menu))}`,
  `yaml writes ${JSON.stringify(stringify(menu))}; js-yaml reads ${read(load, stringify(menu))}`,
  `a level deeper: ${read(load, dump({ menu }))}`,
  `a first key: ${read(load, dump({ '... 10': 'ten more' }))}`,
  `a text: ${read(load, dump('--- choose ---'))}`,
];
console.log(seen.join('\n'));
const expected = [
  String.raw`js-yaml writes "Cut: 30\n--- choose ---: 0\n"; js-yaml reads an error, yaml reads an error`,
  String.raw`yaml writes "Cut: 30\n\"--- choose ---\": 0\n"; js-yaml reads {"Cut":30,"--- choose ---":0}`,
  'a level deeper: {"menu":{"Cut":30,"--- choose ---":0}}',
  'a first key: {"10":"ten more"}',
  'a text: "--- choose ---"',
];
const same = seen.join() === expected.join();
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
node run.mjs
