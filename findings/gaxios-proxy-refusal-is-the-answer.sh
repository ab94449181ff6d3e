#!/bin/sh
# gaxios 7.3.1, which Google's client libraries use: what a proxy answers to CONNECT counts as the answer of the server behind it.
# Expected: an error of the connection, as curl (exit 56) and undici report it: no request has reached the server.
# Seen: the request rejects with the proxy's status and body. Debian's tinyproxy says 404 when its own upstream is away, which then reads as
# "this event does not exist", and a mirror that deletes what is gone deletes it. The error says nowhere that a proxy spoke.
# Connect through an agent of your own, and take what does not connect for an outage. Needs node and npm. Exit code 1 if the behaviour differs.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null 2>&1
npm install --no-audit --no-fund --silent gaxios@7.3.1 https-proxy-agent@7.0.6 >/dev/null 2>&1
node --input-type=module <<'JS'
import { createServer } from 'node:http';
import { Gaxios } from 'gaxios';
const proxy = createServer();
let connects = 0;
proxy.on('connect', (_, socket) => {
  connects += 1;
  socket.end('HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 15\r\nConnection: close\r\n\r\nNo such gateway');
});
await new Promise((done) => proxy.listen(0, '127.0.0.1', done));
const ask = (more) => new Gaxios().request({ url: 'https://calendar.test/events/1', proxy: `http://127.0.0.1:${proxy.address().port}`, retry: false, ...more });
const refused = await ask({}).then(() => undefined, (error) => error);
const taken = await ask({ validateStatus: (status) => status === 404 });
proxy.close();
const seen = [
  `CONNECT refused ${connects} times, nothing else was sent`,
  `error: status ${refused?.response?.status}, network code ${refused?.code}, url ${refused?.response?.config?.url}`,
  `answer: status ${taken.status}, body ${JSON.stringify(taken.data)}`,
];
console.log(seen.join('\n'));
const same = connects === 2 && refused?.response?.status === 404 && taken.status === 404 && taken.data === 'No such gateway';
console.log(same ? 'as seen' : 'differs');
process.exit(same ? 0 : 1);
JS
