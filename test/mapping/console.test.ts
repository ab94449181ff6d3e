import { expect, test } from 'vitest';
import { file, load, problemOf } from './fixture.ts';

test('the console is off, and for this machine only, unless the file says otherwise', () => {
  expect(load(file({})).console).toMatchObject({ isEnabled: false, exposure: 'this-machine' });
});

test('an opened console needs its address, which is kept without its path', () => {
  const more =
    'console: { exposure: network, address: "https://ops.clinic.example/console", trusted_proxies: [10.0.0.0/8, "::1"] }\n';
  expect(load(file({ more })).console).toMatchObject({
    ...{ exposure: 'network', address: 'https://ops.clinic.example' },
    trustedProxies: ['10.0.0.0/8', '::1'],
  });
});

test('a variable switches it on, and an empty one leaves it off', () => {
  const more = `console: { enabled: "$\{CONSOLE:-}" }\n`;
  expect(load(file({ more }), { CONSOLE: 'true' }).console.isEnabled).toBe(true);
  expect(load(file({ more })).console.isEnabled).toBe(false);
});

test('a provider of OpenID Connect: addresses in any case, groups as they are', () => {
  const more = `console:
  oidc:
    issuer: https://login.clinic.example
    client_id: slotbridge
    client_secret: "$\{SECRET}"
    claim: groups
    roles: { ops: Anna@Clinic.example, desk: [Front-Desk, "@clinic.example"] }
`;
  expect(load(file({ more }), { SECRET: 's' }).console.oidc).toEqual({
    ...{ issuer: 'https://login.clinic.example/', clientId: 'slotbridge', clientSecret: 's' },
    ...{ scope: 'openid email', claim: 'groups' },
    roles: { viewer: [], desk: ['Front-Desk', '@clinic.example'], ops: ['anna@clinic.example'] },
  });
});

test.each([
  ['issuer: "http://login.clinic.example"', 'roles: { ops: a@b.example }', 'console.oidc.issuer'],
  ['issuer: https://login.clinic.example', 'roles: {}', 'console.oidc.roles'],
  ['issuer: https://login.clinic.example', 'roles: { ops: admins }', 'console.oidc.roles'],
  ['issuer: https://login.clinic.example', 'roles: { admin: a@b.example }', 'console.oidc.roles.admin'],
])('a provider with %s and %s is refused', (issuer, roles, path) => {
  const more = `console: { oidc: { ${issuer}, client_id: x, client_secret: y, ${roles} } }\n`;
  expect(problemOf(file({ more }))).toMatchObject({ path });
});

test.each([
  ['console: { enabled: yes please }', 'console.enabled'],
  ['console: { exposure: public }', 'console.exposure'],
  ['console: { enabled: true, exposure: network }', 'console.exposure'],
  ['console: { address: "http://ops.clinic.example" }', 'console.address'],
  ['console: { address: "https://ops.clinic.example/tools/" }', 'console.address'],
  ['console: { session: 1s }', 'console.session'],
  ['console: { people: anna }', 'console.people'],
  ['console: { trusted_proxies: everybody }', 'console.trusted_proxies'],
  ['console: { trusted_proxies: 10.0.0.0/33 }', 'console.trusted_proxies'],
  ['console: { trusted_proxies: 0.0.0.0/0 }', 'console.trusted_proxies'],
  ['console: { trusted_proxies: 10.0.0.0/8/8 }', 'console.trusted_proxies'],
])('%s is refused', (more, path) => {
  expect(problemOf(file({ more: `${more}\n` }))).toMatchObject({ path, line: 4 });
});
