/** The worker's own endpoint among the company's webhook endpoints (platform API, Webhook endpoint). */
export interface WebhookEndpoints {
  list(signal?: AbortSignal): Promise<readonly WebhookEndpoint[]>;
  /** The only answer, with rollSecret's, that carries the secret. Repeated with the same key it returns the same endpoint and secret. */
  create(request: CreateEndpoint): Promise<WebhookEndpoint & { readonly secret: string }>;
  change(id: string, change: EndpointChange): Promise<WebhookEndpoint>;
  /** The old secret goes on signing beside the new one for so long. Repeated with the same key it returns the same secret. */
  rollSecret(
    id: string,
    request: { readonly overlapHours: 1 | 24; readonly idempotencyKey: string },
  ): Promise<{ readonly secret: string }>;
  /** Sends one test event now, also to a disabled endpoint; returns what it met there. One at a time and 10 a minute per company. */
  test(id: string, type: string): Promise<TestResult>;
}

/** Only what is given changes. */
export interface EndpointChange {
  readonly status?: 'enabled' | 'disabled';
  readonly enabledEvents?: readonly string[];
  readonly projectIds?: readonly string[];
}

export interface TestResult {
  readonly eventId: string;
  /** Null: there was no answer. */
  readonly statusCode: number | null;
  readonly durationMs: number | null;
  readonly error: string | null;
}

export interface CreateEndpoint {
  readonly url: string;
  readonly description: string;
  readonly enabledEvents: readonly string[];
  /** Absent: all projects of the company, which only a key covering all of them may ask for. */
  readonly projectIds?: readonly string[];
  readonly idempotencyKey: string;
}

export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly enabledEvents: readonly string[];
  readonly projectIds: readonly string[] | null;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly disabledAt: string | null;
  readonly updatedAt: string | null;
}

/** The exact body and key of the request that creates the endpoint. */
export interface Registration {
  readonly request: CreateEndpoint;
  /** Call it when the secret is kept. */
  end(): void;
}

/** A request that rolls a secret, with the key under which it is repeated. */
export interface Roll {
  readonly idempotencyKey: string;
  readonly overlapHours: 1 | 24;
  /** It was begun before, and nobody knows its end. */
  readonly isResumed: boolean;
  /** Call it when the secret is kept. */
  end(): void;
}
