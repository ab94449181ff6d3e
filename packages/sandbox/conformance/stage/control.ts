/** The only place that knows the sandbox's control paths, `/_sandbox/...`. */
export interface KeyWish {
  readonly scopes?: readonly string[];
  readonly projectIds?: readonly string[];
}

export class Control {
  readonly #origin: string;

  constructor(baseUrl: string) {
    this.#origin = new URL(baseUrl).origin;
  }

  /** Performs what staff, customers and the platform's other services do. Returns the action's result. */
  // biome-ignore lint/suspicious/noExplicitAny: an id, a pair of ids or nothing, by action
  async staff(action: string, fields: Record<string, unknown> = {}): Promise<any> {
    const { result } = await this.#send('POST', `/dashboard/${action}`, fields);
    return result;
  }

  async createKey(wish: KeyWish = {}): Promise<string> {
    return String((await this.#send('POST', '/keys', wish))['key']);
  }

  async revokeKey(key: string): Promise<void> {
    await this.#send('POST', '/keys/revoke', { key });
  }

  /** Advances the server's clock; everything that becomes due on the way happens. */
  async advance(ms: number): Promise<void> {
    await this.#send('POST', '/clock', { advanceMs: ms });
  }

  /** Stops the server's clock: from then on, only `advance` moves it. */
  async freeze(): Promise<void> {
    await this.#send('POST', '/clock', { isFrozen: true });
  }

  /** Waits until every event is formed and every delivery is answered or given up. */
  async settle(timeoutMs = 5_000): Promise<void> {
    await this.#send('POST', '/settle', { timeoutMs });
  }

  async fault(rule: Record<string, unknown>): Promise<void> {
    await this.#send('POST', '/faults', rule);
  }

  async setDelivery(settings: Record<string, unknown>): Promise<void> {
    await this.#send('PATCH', '/delivery', settings);
  }

  async setSwitches(settings: Record<string, unknown>): Promise<void> {
    await this.#send('PATCH', '/switches', settings);
  }

  /** Every object of one kind, oldest first, as a GET would show it. */
  async truth(kind: 'leads' | 'customerMails' | 'appointments'): Promise<Record<string, unknown>[]> {
    return (await this.#send('GET', `/truth/${kind}`)) as unknown as Record<string, unknown>[];
  }

  async #send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const response = await fetch(`${this.#origin}/_sandbox${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`sandbox control ${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  }
}
