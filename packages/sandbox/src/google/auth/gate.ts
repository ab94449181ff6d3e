// Checks the bearer token, then the scopes of the method. Calendar has two shapes of 401, from its front end and its
// backend; Sheets has one.
import type { Method } from '../method.ts';
import { calendarRefusal, frontEndRefusal, type Refusal, sheetsRefusal } from '../refusal.ts';
import type { Service } from '../service.ts';
import type { Principal } from './principal.ts';
import type { TokenDesk } from './tokens.ts';

const invalidMessage =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const missingMessage =
  'Request is missing required authentication credential. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';
const scopeMessage = 'Request had insufficient authentication scopes.';

/** Returns the caller, or throws Google's 401 or 403. `hasBackend401` selects Calendar's older 401 shape. */
export function admit(
  header: string | undefined,
  method: Method,
  gate: { desk: TokenDesk; hasBackend401: boolean },
): Principal {
  const token = /^Bearer (.+)$/i.exec(header ?? '')?.[1];
  if (token === undefined)
    throw unauthenticated(method.service, { reason: 'required', message: missingMessage });
  const principal = gate.desk.principalOf(token);
  if (principal === undefined) {
    if (gate.hasBackend401 && method.service === 'calendar') {
      throw calendarRefusal(401, {
        reason: 'authError',
        message: 'Invalid Credentials',
        locationType: 'header',
        location: 'Authorization',
      });
    }
    throw unauthenticated(method.service, { reason: 'authError', message: invalidMessage });
  }
  if (!method.scopes.some((scope) => principal.scopes.has(scope))) throw scopesInsufficient(method);
  return principal;
}

function unauthenticated(service: Service, why: { reason: string; message: string }): Refusal {
  if (service === 'sheets') return sheetsRefusal(401, why.message);
  return frontEndRefusal(401, { ...why, locationType: 'header', location: 'Authorization' });
}

function scopesInsufficient(method: Method): Refusal {
  const service = method.service === 'calendar' ? 'calendar-json.googleapis.com' : 'sheets.googleapis.com';
  const details = [
    {
      '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
      reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
      domain: 'googleapis.com',
      metadata: { service, method: method.id },
    },
  ];
  return method.service === 'sheets'
    ? sheetsRefusal(403, scopeMessage, details)
    : frontEndRefusal(403, { reason: 'insufficientPermissions', message: scopeMessage }, details);
}
