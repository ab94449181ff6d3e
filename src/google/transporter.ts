import { auth as library } from 'googleapis/build/src/apis/calendar/index.js';
import { RetryableError } from '../engine/domain/errors.ts';
import { areTurnsHeld } from '../engine/ports/held-turns.ts';

type TokenClient = InstanceType<typeof library.OAuth2>;
type Transporter = TokenClient['transporter'];

/** Where the client library sends service-account assertions, ignoring the key file's `token_uri`. */
const BUILT_IN_TOKEN_URL = 'https://oauth2.googleapis.com/token';
/** A proxy cannot reach the worker's own loopback, but the library would send even 127.0.0.1 through HTTPS_PROXY. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** The largest unpacked answer that is read. The largest legitimate one is the key column of a full spreadsheet. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** A data URL contains its answer: fetching it makes no network call. */
const NOTHING = new URL('data:,');

/**
 * The HTTP client of one credential. Token requests go to `tokenUrl`, and every request has a deadline. It retries nothing: the queue
 * counts and spreads retries. A redirect fails the request, because following it would send the bearer token to the redirect's target. An
 * answer above `ANSWER_BYTES_MAX` fails the request before it fills the memory. No request leaves after the caller's signal has aborted,
 * not even after a slow token.
 */
export function createTransporter(options: { tokenUrl: string; timeoutMs: number }): Transporter {
  // The library's HTTP client is not a direct dependency; an OAuth2 client contains the right version of it.
  const { transporter } = new library.OAuth2({
    transporterOptions: { timeout: options.timeoutMs, noProxy: LOOPBACK },
  });
  const tokenUrl = new URL(options.tokenUrl);
  const request = transporter.request.bind(transporter);
  // The library drops a signal that has already aborted, and gives the request a new time limit.
  transporter.request = async (asked) => {
    asked?.signal?.throwIfAborted();
    return request(asked);
  };
  transporter.interceptors.request.add({
    resolved: async (request) => {
      if (request.url.href === BUILT_IN_TOKEN_URL) {
        request.url = tokenUrl;
        // The proxy was chosen for the URL that was replaced.
        if (LOOPBACK.includes(tokenUrl.hostname)) delete request.agent;
      }
      // node-fetch options, which the library passes on.
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

/** Option of a request that only the holder of the running turns may send: a process may freeze between its last check and the request. */
export interface TurnBound {
  readonly inTurnOnly?: true;
}

/** Nothing was sent. */
export const TURN_OVER = 'stopped';

function turnOver(): RetryableError {
  return new RetryableError(TURN_OVER, 'the turn was over before the request left: nothing is written');
}

type Adapter = NonNullable<Parameters<Transporter['request']>[0]>['adapter'] & {};

let isHttpLoaded = false;

/**
 * node-fetch crashes the process when it gets a body and an aborted signal: it destroys the body with an unhandled error. So no `await` may
 * come between this check and node-fetch's own check of the signal. node-fetch is loaded before the check, because on a busy machine
 * loading may take longer than the first request's deadline.
 */
const sendUnlessAborted: Adapter = async (options, send) => {
  if (!isHttpLoaded) {
    const { body: _, signal: __, ...rest } = options;
    await send({ ...rest, url: NOTHING, method: 'GET', responseType: 'text' });
    isHttpLoaded = true;
  }
  options.signal?.throwIfAborted();
  if ((options as TurnBound).inTurnOnly === true && !areTurnsHeld()) throw turnOver();
  return send(options);
};

/**
 * A 401 from an API means that the access token expired early. Google performed nothing, so the library may fetch another token and retry
 * once. The library's own option for that would also repeat every 403, including quota refusals. But it retries automatically for a token
 * of unknown expiry, so this removes the expiry of the refused token.
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
