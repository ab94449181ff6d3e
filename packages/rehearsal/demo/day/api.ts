/** The company's other programs: they book and change things through the platform's API with their own keys. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The platform allows 600 calls a minute and key. A day compressed into seconds stands for the work of several programs. */
const CALLS_PER_KEY = 500;

export class Api {
  readonly #baseUrl: string;
  readonly #newKey: () => string;
  #key = '';
  #calls = 0;

  constructor(parts: { baseUrl: string; newKey: () => string }) {
    this.#baseUrl = parts.baseUrl;
    this.#newKey = parts.newKey;
  }

  /** Number of calls so far; all of them were POST or PATCH. */
  get calls(): number {
    return this.#calls;
  }

  post(path: string, body: object): Promise<Answer> {
    return this.#send('POST', path, body);
  }

  patch(path: string, body: object): Promise<Answer> {
    return this.#send('PATCH', path, body);
  }

  async #send(method: 'POST' | 'PATCH', path: string, body: object): Promise<Answer> {
    if (this.#calls % CALLS_PER_KEY === 0) this.#key = this.#newKey();
    this.#calls += 1;
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.#key}`,
        'Content-Type': 'application/json',
        ...(method === 'POST' ? { 'Idempotency-Key': `demo-${this.#calls}` } : {}),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
}

/** The object of a successful call, or undefined when the time is taken. Any other answer is a fault of the demo. */
export function accepted(answer: Answer): Answer['body'] | undefined {
  if (answer.status === 200 || answer.status === 201) return answer.body;
  if (answer.status === 409) return undefined;
  throw new Error(
    `the platform answered ${answer.status} ${String(answer.body['title'])}: ${String(answer.body['detail'])}`,
  );
}
