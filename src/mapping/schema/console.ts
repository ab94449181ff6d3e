import { isIP } from 'node:net';
import * as z from 'zod';
import { withoutUndefined } from '../../engine/object.ts';
import type { Role } from '../../engine/role.ts';
import { explained } from '../kinds/reading.ts';
import { oneOrMany, readName, section } from '../kinds/section.ts';
import { choice, duration, flag, text } from '../kinds/text.ts';
import { webAddress, withoutSlash } from '../kinds/web-address.ts';
import { complaint } from '../problem.ts';

const people = (role: Role, example: string | string[]) =>
  explained(
    oneOrMany(z.string(), readPerson).optional(),
    `Who signs in as ${role}: e-mail addresses verified by the provider, a whole domain (@clinic.example), or values of claim. The highest role applies. Default: no one.`,
    { example, since: '0.3.0' },
  );

const oidcSection = section({
  issuer: explained(
    webAddress('https://login.clinic.example', (url) => ({ value: url.href })),
    'Issuer address, exactly as the provider writes it. The worker discovers the other addresses from it.',
    { example: 'https://login.clinic.example', since: '0.3.0' },
  ),
  client_id: explained(
    text(),
    'Id of the client that you registered at the provider with the redirect address /console/sign-in/return.',
    { example: 'slotbridge', since: '0.3.0' },
  ),
  client_secret: explained(text(), 'Secret of this client. Keep it in a variable.', {
    example: 'secret',
    since: '0.3.0',
  }),
  scope: explained(
    text({
      pattern: /^(?:[\w:./-]{1,100} ){0,20}[\w:./-]{1,100}$/,
      wrong: complaint(
        'is not a list of scopes',
        'write names with one space between them: openid email groups',
      ),
    }).prefault('openid email'),
    'Scopes to request. Add the scope that delivers claim, such as groups.',
    { example: 'openid email groups', since: '0.3.0' },
  ),
  claim: explained(
    text().optional(),
    'Claim of the id token that roles can refer to: a text or a list. Default: none.',
    { example: 'groups', since: '0.3.0' },
  ),
  roles: explained(
    section({
      ops: people('ops', ['anna@clinic.example']),
      desk: people('desk', ['front-desk']),
      viewer: people('viewer', '@clinic.example'),
    }),
    'Roles of the people who sign in. Everybody else is refused.',
    { since: '0.3.0' },
  ),
});

export const consoleSection = section({
  enabled: explained(
    flag().prefault(false),
    'Whether the worker serves the web console at /console. People sign in with links from `slotbridge console login`.',
    { example: true, since: '0.3.0' },
  ),
  exposure: explained(
    choice(['this-machine', 'network'], 'exposure').prefault('this-machine'),
    'Who can reach /console. this-machine: requests from this machine that did not pass through a proxy. network: everybody who reaches http.port; needs console.address.',
    { example: 'network', since: '0.3.0' },
  ),
  address: explained(
    webAddress('https://bridge.internal', readAddress).optional(),
    'Address at which people reach the console, without /console. Required with exposure: network, and if http.port is 0. Default: http.host and http.port.',
    { example: 'https://bridge.internal', since: '0.3.0' },
  ),
  session: explained(duration({ min: '5m', max: '30d' }).prefault('12h'), 'How long a session lasts.', {
    example: '8h',
    since: '0.3.0',
  }),
  trusted_proxies: explained(
    oneOrMany(z.string(), readNetwork).optional(),
    'Addresses or networks of your reverse proxies. The worker trusts their X-Forwarded-For, so that it limits sign-in attempts for each user. Default: none, so all users behind a proxy share one limit.',
    { example: '10.0.0.0/8', since: '0.3.0' },
  ),
  oidc: explained(
    oidcSection.optional(),
    'Sign-in through an OpenID Connect provider, in addition to links.',
    { since: '0.3.0' },
  ),
});

export function toConsole(written: z.output<typeof consoleSection>) {
  return {
    isEnabled: written.enabled,
    exposure: written.exposure,
    ...withoutUndefined({ address: written.address, oidc: written.oidc && toOidc(written.oidc) }),
    sessionMs: written.session,
    trustedProxies: written.trusted_proxies ?? [],
  };
}

function toOidc(written: z.output<typeof oidcSection>) {
  const { issuer, client_id: clientId, client_secret: clientSecret, scope, claim, roles } = written;
  const { viewer = [], desk = [], ops = [] } = roles;
  return {
    ...{ issuer, clientId, clientSecret, scope, roles: { viewer, desk, ops } },
    ...withoutUndefined({ claim }),
  };
}

/** Addresses ignore case; groups do not. */
function readPerson(seen: string) {
  const name = readName(seen);
  return 'value' in name && name.value.includes('@') ? { value: name.value.toLowerCase() } : name;
}

function readNetwork(seen: string) {
  const value = seen.trim();
  const [address = '', bits = '32', more] = value.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  const isNetwork =
    isIP(address) !== 0 && more === undefined && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= most;
  return isNetwork
    ? { value }
    : { complaint: complaint('is not an address', 'write 10.0.0.7, or a network as 10.0.0.0/8') };
}

/** The pages and the cookie are below /console of the host. */
function readAddress(url: URL) {
  if (url.pathname === '/' || url.pathname === '/console') return { value: url.origin };
  return {
    complaint: complaint(
      `has a path (${withoutSlash(url).slice(url.origin.length)})`,
      'write the address without a path: the console is at /console',
    ),
  };
}
