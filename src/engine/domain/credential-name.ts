/** The name of a credential identifies its budgets: `<hash>` for the default account, `<account>~<hash>` for another one. */
export function credentialName(account: string | undefined, hash: string): string {
  return account === undefined ? hash : `${account}~${hash}`;
}

/** Account names contain no `~`. Undefined: the default account. */
export function accountOfCredential(name: string): string | undefined {
  const at = name.indexOf('~');
  return at < 0 ? undefined : name.slice(0, at);
}

/** The same for one key under any account. */
export function hashOfCredential(name: string): string {
  return name.slice(name.indexOf('~') + 1);
}
