// Runs on a host of its own and leads each port there to a socket in the file system, which every host shares: `relay.ts ADDRESS PORT PATH …`.
import { connect, createServer } from 'node:net';

const [address = '', ...ends] = process.argv.slice(2);
for (let at = 0; at + 1 < ends.length; at += 2) {
  const path = ends[at + 1] ?? '';
  createServer((near) => {
    const far = connect({ path });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.pipe(to);
    }
  }).listen(Number(ends[at]), address);
}
console.log('ready');
