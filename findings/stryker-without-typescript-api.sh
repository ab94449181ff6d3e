#!/bin/sh
# @stryker-mutator/core 9.6.1 with typescript 7.0.2: `stryker run` ends before its first test, because TypeScript 7 has no compiler API in JavaScript.
# Stryker 9 accepts any TypeScript and asks it to parse tsconfig.json. Seen: `ts.parseConfigFileTextToJson is not a function`, exit code 1. A project
# without tsconfig.json runs. Name a `tsconfigFile` that does not exist. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --no-audit --no-fund --silent @stryker-mutator/core@9.6.1 typescript@7.0.2 >/dev/null 2>&1
echo 'exports.isOpen = (hour) => hour > 9;' >open.js
echo "if (!require('./open.js').isOpen(10) || require('./open.js').isOpen(9)) process.exit(1);" >test.js
echo '{ "compilerOptions": { "allowJs": true, "noEmit": true }, "include": ["*.js"] }' >tsconfig.json
echo '{ "testRunner": "command", "commandRunner": { "command": "node test.js" }, "mutate": ["open.js"], "reporters": ["clear-text"] }' >stryker.conf.json
with=0
npx stryker run >with.log 2>&1 || with=$?
rm tsconfig.json
without=0
npx stryker run >without.log 2>&1 || without=$?
grep -o 'ts[.a-zA-Z]* is not a function' with.log | head -1 || true
echo "exit code with tsconfig.json: $with, without: $without"
if [ "$with" = 1 ] && [ "$without" = 0 ] && grep -q 'parseConfigFileTextToJson is not a function' with.log; then echo 'as seen'; else tail -5 with.log without.log; echo differs; exit 1; fi
