import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { isObject, type JsonObject } from '../json.ts';

/**
 * Opaque signed tokens that carry their own state, so that the sandbox need not store every page it has issued.
 */
export class Seal {
  readonly #key = randomBytes(16);

  close(state: JsonObject): string {
    const text = Buffer.from(JSON.stringify(state)).toString('base64url');
    return `${text}.${this.#sign(text)}`;
  }

  /** Undefined for a token that this seal did not issue. */
  open(token: string): JsonObject | undefined {
    const [text = '', signature = ''] = token.split('.');
    const expected = Buffer.from(this.#sign(text));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const state: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return isObject(state) ? state : undefined;
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#key).update(text).digest('base64url').slice(0, 16);
  }
}
