import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

const ALGORITHM = 'aes-256-gcm';
/** Length of a nonce: 96 bits, never twice with one key (NIST SP 800-38D). Random nonces suffice for far more than these few tokens. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1';

interface SealKey {
  readonly id: string;
  readonly bytes: Buffer;
}

/** Encrypts with the first key and decrypts with any of them. `about` is bound to the text: moved elsewhere, the text does not open. */
export class Seal {
  readonly #keys: readonly SealKey[];

  /** `keys`: 32 bytes each, in base64. */
  constructor(keys: readonly string[]) {
    this.#keys = keys.map((key) => {
      const bytes = Buffer.from(key, 'base64');
      return { id: createHash('sha256').update(bytes).digest('hex').slice(0, 8), bytes };
    });
  }

  seal(text: string, about: string): string {
    const [key] = this.#keys;
    if (key === undefined) throw new Error('there is no key to encrypt by');
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(about));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    const parts = [nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'));
    return [FORM, key.id, ...parts].join('.');
  }

  /** `foreign`: no key here has sealed it. `forged`: a key has, but not this text with this `about`. `isOld`: seal it again. */
  open(
    sealed: string,
    about: string,
  ): { readonly text: string; readonly isOld: boolean } | 'foreign' | 'forged' {
    const [form, id, ...rest] = sealed.split('.');
    const key = this.#keys.find((each) => each.id === id);
    if (form !== FORM || key === undefined) return 'foreign';
    const [nonce, body, tag] = rest.map((part) => Buffer.from(part, 'base64url'));
    if (nonce?.length !== NONCE_BYTES || tag?.length !== TAG_BYTES || body === undefined) return 'forged';
    try {
      const decipher = createDecipheriv(ALGORITHM, key.bytes, nonce, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(about));
      decipher.setAuthTag(tag);
      const text = Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
      return { text, isOld: key !== this.#keys[0] };
    } catch {
      return 'forged';
    }
  }
}
