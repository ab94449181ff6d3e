/** The content of the platform's error body (platform API, Errors): RFC 7807, with the code as the last part of `type`. */
export interface Problem {
  /** Lower case and hyphenated, as listed in the document; the list may grow. */
  readonly code: string;
  readonly requestId: string | undefined;
  /** Names of the fields that a 422 rejects. The messages next to them may quote a customer's input and are dropped. */
  readonly fields: readonly string[];
}

/** Form of a code of the protocol. Any other text is not passed on, because it may come from anyone. */
const CODE = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;
const REQUEST_ID = /^[\w.:-]{1,200}$/;

/** Undefined when the body is not the platform's: a proxy's HTML, a truncated or empty body, or JSON of another service. */
export function readProblem(text: string): Problem | undefined {
  const body = objectIn(text);
  const code = body && (codeOfType(body['type']) ?? codeOfField(body['code']));
  if (!body || !code) return undefined;
  const errors = body['errors'];
  return {
    code,
    requestId: readRequestId(body['request_id']),
    fields:
      typeof errors === 'object' && errors !== null && !Array.isArray(errors) ? Object.keys(errors) : [],
  };
}

/** The id if it has a plausible form: whoever answered chose the text of the header. */
export function readRequestId(value: unknown): string | undefined {
  return typeof value === 'string' && REQUEST_ID.test(value) ? value : undefined;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // A body that is not JSON is an answer too; the caller decides by the status. The parser's message would quote the body.
    return undefined;
  }
}

/** `{error_type_base}/<error_code>`. `about:blank`, which RFC 7807 allows gateways to send, has no slash and no code. */
function codeOfType(type: unknown): string | undefined {
  if (typeof type !== 'string' || !type.includes('/')) return undefined;
  return wellFormed(type.slice(type.lastIndexOf('/') + 1));
}

/** Appointment errors also carry the code with underscores in `code`. */
function codeOfField(code: unknown): string | undefined {
  return typeof code === 'string' ? wellFormed(code.replaceAll('_', '-')) : undefined;
}

function wellFormed(code: string): string | undefined {
  return CODE.test(code) ? code : undefined;
}
