import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';

type TokenClient = InstanceType<typeof library.OAuth2>;
type Transporter = TokenClient['transporter'];

/** Where the client library sends service-account assertions, whatever the key file's `token_uri` says. */
const BUILT_IN_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** A proxy can never reach the worker's own loopback; the library would send even 127.0.0.1 through HTTPS_PROXY. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** The largest answer that is read, unpacked. The largest honest one is the key column of a full spreadsheet. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** An address whose answer is in it: reading it calls nobody. */
const NOTHING = new URL('data:,');

/**
 * The HTTP client of one credential. Token requests go to `tokenUrl`, and every request has a deadline. Nothing is retried: retries belong
 * to the queue, where they are counted and spread. A redirect fails the request, because following one would hand the bearer token to
 * whoever it names. An answer above `ANSWER_BYTES_MAX` fails the request before it fills the memory. Nothing leaves once the signal of its
 * caller has aborted, not even after a slow token.
 */
export function createTransporter(options: { tokenUrl: string; timeoutMs: number }): Transporter {
  // The library's HTTP client is not a direct dependency; an OAuth2 client has one of the right version.
  const { transporter } = new library.OAuth2({
    transporterOptions: { timeout: options.timeoutMs, noProxy: LOOPBACK },
  });
  const tokenUrl = new URL(options.tokenUrl);
  const request = transporter.request.bind(transporter);
  // The library itself forgets a signal that has aborted already, and gives the request a new time limit.
  transporter.request = async (asked) => {
    asked?.signal?.throwIfAborted();
    return request(asked);
  };
  transporter.interceptors.request.add({
    resolved: async (request) => {
      if (request.url.href === BUILT_IN_TOKEN_URL) {
        request.url = tokenUrl;
        // The proxy was chosen for the address that was replaced.
        if (LOOPBACK.includes(tokenUrl.hostname)) delete request.agent;
      }
      // Options of node-fetch, which the library passes on.
      request.redirect = 'error';
      request.size = ANSWER_BYTES_MAX;
      request.retry = false;
      delete request.retryConfig;
      request.adapter = sendUnlessAborted;
      return request;
    },
  });
  return transporter;
}

type Adapter = NonNullable<Parameters<Transporter['request']>[0]>['adapter'] & {};

let isHttpLoaded = false;

/**
 * Given a body and an aborted signal, node-fetch ends the whole process: it destroys the body with an error that nobody handles. So nothing
 * may be awaited between the check and node-fetch's own look at the signal. It is loaded before the check: on a busy machine that may take
 * longer than the first request has time.
 */
const sendUnlessAborted: Adapter = async (options, send) => {
  if (!isHttpLoaded) {
    const { body: _, signal: __, ...rest } = options;
    await send({ ...rest, url: NOTHING, method: 'GET', responseType: 'text' });
    isHttpLoaded = true;
  }
  options.signal?.throwIfAborted();
  return send(options);
};

/**
 * A 401 of an API means that the access token died early. Google performed nothing, so the library may fetch another token and ask again,
 * once. Its own switch for that would also repeat every 403, quota refusals among them. It does so by itself for a token of unknown age,
 * and that is what the refused token is made here.
 */
export function renewOn401<T extends TokenClient>(client: T, tokenUrl: string, forget: () => void): T {
  const token = new URL(tokenUrl).href;
  client.transporter.interceptors.response.add({
    rejected: async (error) => {
      if (error.status === 401 && error.config.url.toString() !== token) {
        forget();
        const { expiry_date: _, ...credentials } = client.credentials;
        client.credentials = credentials;
      }
      throw error;
    },
  });
  return client;
}
