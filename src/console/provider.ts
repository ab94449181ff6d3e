// A provider of OpenID Connect: authorization code with PKCE, state and nonce. A token counts only if the provider has signed it, it is for
// this console, and it has the nonce of this browser.
import type { Configuration } from 'openid-client';
import { fetchOutside } from '../engine/proxy.ts';
import { steadyClock } from '../engine/runtime.ts';
import type { OidcConfig } from '../mapping/config.ts';
import { Attempts, KnownAddresses } from './attempts.ts';
import type { Claims } from './person.ts';

/** What a browser keeps between leaving for the provider and returning. */
export interface Flow {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

const ANSWER_WITHIN_S = 5;
/** How long the provider's keys and addresses are kept: they rarely change. */
const KNOWN_FOR_MS = 3_600_000;

export class Provider {
  readonly #settings: OidcConfig;
  /** A provider that does not answer is asked ten times a minute, however many people come. */
  readonly #asks = new Attempts({ clock: steadyClock, known: new KnownAddresses() });
  #known: { readonly found: Promise<Configuration>; readonly untilMs: number } | undefined;

  constructor(settings: OidcConfig) {
    this.#settings = settings;
  }

  /** Where to send the browser, and what it keeps. Rejects when the provider does not publish its addresses. */
  async leave(redirectUri: string): Promise<{ readonly to: string; readonly flow: Flow }> {
    const client = await import('openid-client');
    const found = await this.#find();
    const verifier = client.randomPKCECodeVerifier();
    const flow = { state: client.randomState(), nonce: client.randomNonce(), verifier };
    const to = client.buildAuthorizationUrl(found, {
      ...{ redirect_uri: redirectUri, scope: this.#settings.scope, state: flow.state, nonce: flow.nonce },
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    return { to: to.href, flow };
  }

  /** What the provider says about the person who returned. Rejects unless every check passes. */
  async comeBack(address: URL, flow: Flow): Promise<Claims> {
    const client = await import('openid-client');
    const tokens = await client.authorizationCodeGrant(await this.#find(), address, {
      ...{ expectedState: flow.state, expectedNonce: flow.nonce, pkceCodeVerifier: flow.verifier },
      idTokenExpected: true,
    });
    return tokens.claims() ?? {};
  }

  async #find(): Promise<Configuration> {
    const nowMs = performance.now();
    if (this.#known === undefined || this.#known.untilMs <= nowMs) {
      if (!this.#asks.mayTry('provider')) throw new TypeError('the provider was asked too often');
      this.#known = { found: this.#discover(), untilMs: nowMs + KNOWN_FOR_MS };
    }
    const known = this.#known;
    try {
      return await known.found;
    } catch (error) {
      if (this.#known === known) this.#known = undefined;
      throw error;
    }
  }

  async #discover(): Promise<Configuration> {
    const client = await import('openid-client');
    const issuer = new URL(this.#settings.issuer);
    // The settings allow plain http only on this machine.
    const isPlain = issuer.protocol === 'http:';
    return client.discovery(issuer, this.#settings.clientId, this.#settings.clientSecret, undefined, {
      timeout: ANSWER_WITHIN_S,
      [client.customFetch]: (url, init) => fetchOutside(url, init as RequestInit),
      // Verifies signatures even though the token comes straight from the provider.
      execute: [client.enableNonRepudiationChecks, ...(isPlain ? [client.allowInsecureRequests] : [])],
    });
  }
}
