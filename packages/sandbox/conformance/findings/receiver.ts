/**
 * Describes one delivery, for users whose endpoint leads to this machine. It answers each request with 503, so that the
 * platform repeats the delivery later to the endpoint's real server.
 */
import { createServer, type IncomingMessage } from 'node:http';
import type { Finding } from './finding.ts';

const OWN_HEADERS = ['host', 'connection', 'content-length', 'accept-encoding'];

export async function deliveryFindings(options: { port: number; waitMs: number }): Promise<Finding[]> {
  const met = await listen(options);
  if (met.length === 0) return [{ about: 'deliveries', learned: `none came in ${options.waitMs / 1000} s` }];
  return met.flatMap(describe);
}

function listen({ port, waitMs }: { port: number; waitMs: number }): Promise<IncomingMessage[]> {
  return new Promise((resolve, reject) => {
    const met: IncomingMessage[] = [];
    const server = createServer((request, response) => {
      if (met.length === 0) met.push(request);
      request.resume();
      response.writeHead(503).end();
      end();
    });
    const timer = setTimeout(end, waitMs);
    server.on('error', reject);
    server.listen(port);
    function end(): void {
      clearTimeout(timer);
      server.close(() => resolve(met));
    }
  });
}

function describe({ method, headers }: IncomingMessage): Finding[] {
  const names = Object.keys(headers).filter((name) => !OWN_HEADERS.includes(name));
  const signature = headers['service-signature'];
  return [
    { about: 'method and content type of a delivery', learned: `${method} ${headers['content-type']}` },
    { about: 'headers of a delivery', learned: names.sort().join(', ') },
    {
      about: 'form of Service-Signature',
      learned: signature === undefined ? 'absent' : masked(String(signature)),
    },
  ];
}

/** Values depend on the secret, so only their form is shown. */
function masked(signature: string): string {
  return signature
    .replaceAll(/[0-9a-f]{16,}/gi, (hex) => `<${hex.length} hex>`)
    .replaceAll(/[A-Za-z0-9+/]{30,}=*/g, (text) => `<${text.length} base64>`);
}
