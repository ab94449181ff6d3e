/**
 * One POST to a customer's server, with a deadline in real time. Never throws: every result is an outcome.
 */
import * as http from 'node:http';
import * as https from 'node:https';

const SOCKETS_MAX = 32;

export interface Outcome {
  /** The status of the customer's server; null without an answer. */
  readonly statusCode: number | null;
  readonly durationMs: number;
  /** `http_<code>`, `timeout` or `connection`; null for a 2xx. */
  readonly error: string | null;
}

export class Postman {
  readonly #http = new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  readonly #https = new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  readonly #open = new Set<http.ClientRequest>();

  post(
    url: string,
    headers: Record<string, string>,
    letter: { body: string; timeoutMs: number },
  ): Promise<Outcome> {
    const startedAt = performance.now();
    const isTls = url.startsWith('https:');
    return new Promise((resolve) => {
      const options: https.RequestOptions = {
        method: 'POST',
        agent: isTls ? this.#https : this.#http,
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(letter.body)),
          'User-Agent': 'platform-sandbox/1.0',
        },
      };
      const request = (isTls ? https : http).request(url, options);
      const deadline = setTimeout(() => request.destroy(new Error('timeout')), letter.timeoutMs);
      const end = (statusCode: number | null, error: string | null): void => {
        clearTimeout(deadline);
        this.#open.delete(request);
        resolve({ statusCode, error, durationMs: Math.round(performance.now() - startedAt) });
      };
      this.#open.add(request);
      request.on('response', (response) => {
        response.resume();
        const status = response.statusCode ?? 0;
        // Redirects are not followed: only 2xx counts as an answer (platform API, Delivery rules).
        response.on('end', () => end(status, status >= 200 && status < 300 ? null : `http_${status}`));
        response.on('error', () => end(null, 'connection'));
      });
      request.on('error', (error) => end(null, error.message === 'timeout' ? 'timeout' : 'connection'));
      request.end(letter.body);
    });
  }

  close(): void {
    for (const request of this.#open) request.destroy();
    this.#http.destroy();
    this.#https.destroy();
  }
}
