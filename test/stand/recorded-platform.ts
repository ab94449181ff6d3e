/** A platform that shows what was recorded and takes nothing: every request that would change something is kept and refused. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Recorded {
  /** By the first segment of the path behind the version: all objects of the list, newest first. */
  readonly lists: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

export async function startRecordedPlatform({ lists }: Recorded) {
  const writes: string[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://recorded');
    const [, , name = '', id] = url.pathname.split('/');
    const list = lists[name];
    const found = id === undefined ? undefined : list?.find((each) => each['id'] === id);
    const isRead = request.method === 'GET';
    if (!isRead) writes.push(`${request.method} ${url.pathname}`);
    const after = list?.findIndex((each) => each['id'] === url.searchParams.get('starting_after')) ?? -1;
    const body = id === undefined ? { object: 'list', data: list?.slice(after + 1), has_more: false } : found;
    const status = isRead ? (list === undefined || body === undefined ? 404 : 200) : 403;
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(status === 200 ? body : { title: 'Refused', status, code: 'forbidden' }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    /** What somebody tried to change. */
    writes,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
