/** One outgoing request. */
export interface Sent {
  readonly url: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** One complete answer. */
export interface Answer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly text: string;
}

/** Header names are in lower case. */
export interface AnswerHeaders {
  get(name: string): string | null;
}

/** Sends a request and reads its whole answer. Follows no redirect. Rejects when the connection fails or the body breaks off. */
export type Exchange = (request: Sent) => Promise<Answer>;

/**
 * Largest answer that is read. A page of the feed may carry 100 events of 256 KB (platform API, Limits); a larger answer is not the
 * platform's.
 */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/** Reads the whole body as UTF-8. Rejects with `AnswerTooLarge`, or with the body's own error when it breaks off. */
export async function readBody(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new AnswerTooLarge(`more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
