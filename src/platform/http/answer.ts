/** What came back over the wire, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A page of the feed may carry 100 events of 256 KB (platform API, Limits); anything above is not the platform. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;

export class AnswerTooLarge extends Error {
  override readonly name = 'AnswerTooLarge';
}

/** Reads the body to its end, as UTF-8. Rejects with `AnswerTooLarge`, or with fetch's own error when the body breaks off. */
export async function readAnswer(response: Response): Promise<Answer> {
  const { status, headers } = response;
  if (!response.body) return { status, headers, text: '' };
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new AnswerTooLarge(`more than ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return { status, headers, text: Buffer.concat(chunks).toString('utf8') };
}
