// Ends consents that no account of the YAML uses any more. A slip in the YAML costs none, but no key to a calendar stays for ever.
import type { ConsentOwner, Consents, StoredConsent } from './ports/consents.ts';
import type { Log } from './ports/runtime.ts';

export interface LeftConsentParts {
  readonly consents: Pick<Consents, 'token' | 'all' | 'noteLeft' | 'remove'>;
  /** As the YAML has it now; undefined when the account is gone. */
  readonly ownerOf: (account: string) => ConsentOwner | undefined;
  /** Ends it at Google. Undefined without an OAuth client in the YAML. */
  readonly revoke: ((token: string) => Promise<boolean>) | undefined;
  readonly keepMs: number;
  readonly nowMs: number;
  readonly log: Log;
}

/** Returns how many were removed. Rejects when Google does not answer; then the rest stays until the next time. */
export async function endLeftConsents(parts: LeftConsentParts): Promise<number> {
  const { consents, ownerOf, keepMs, nowMs } = parts;
  const left: StoredConsent[] = [];
  /** People of whom another consent is used. */
  const used = new Set<string>();
  for (const consent of await consents.all()) {
    const owner = ownerOf(consent.account);
    if (owner === undefined || (await consents.token(owner)) === 'missing') left.push(consent);
    else {
      used.add(owner.address);
      if (consent.leftAtMs !== undefined) await consents.noteLeft(consent, undefined);
    }
  }
  let ended = 0;
  for (const consent of left) {
    const { leftAtMs } = consent;
    if (leftAtMs === undefined) await consents.noteLeft(consent, nowMs);
    else if (nowMs - leftAtMs >= keepMs && (await end(consent, used, parts))) ended += 1;
  }
  return ended;
}

async function end(
  consent: StoredConsent,
  used: ReadonlySet<string>,
  { consents, revoke, log }: LeftConsentParts,
): Promise<boolean> {
  const { account, given } = consent;
  // Google ends everything that the person gave, also what another account uses.
  const isAlone = given !== undefined && !used.has(given.address);
  const revoked = isAlone && revoke !== undefined && (await revoke(given.token));
  const isRemoved = await consents.remove(consent);
  if (isRemoved) log.warn({ account, revoked }, 'consent removed: no account of the YAML uses it');
  return isRemoved;
}
