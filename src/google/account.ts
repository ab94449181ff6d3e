import { readCredentialFile } from './credential-file.ts';

/**
 * The worker's Google identity, with which calendars and spreadsheets must be shared. For the operator's own terminal only. Throws what
 * `readCredentialFile` throws.
 */
export function googleAccount(options: {
  readonly credentialsPath?: string | undefined;
  readonly actAs?: string | undefined;
}): {
  readonly spoken: string;
  readonly shareWith: string;
  /** True when files that the account creates are in a person's Drive, where that person can find and share them. */
  readonly isPerson: boolean;
} {
  const { credentialsPath, actAs } = options;
  const file = readCredentialFile(credentialsPath, actAs);
  switch (file.type) {
    case 'service_account':
      return actAs === undefined || actAs === ''
        ? { spoken: `the service account ${file.clientEmail}`, shareWith: file.clientEmail, isPerson: false }
        : {
            ...{ spoken: `${actAs}, through the service account ${file.clientEmail}`, shareWith: actAs },
            isPerson: true,
          };
    case 'authorized_user':
      return {
        ...{ spoken: 'the person who signed in', shareWith: 'the person who signed in' },
        isPerson: true,
      };
    case 'other':
      return {
        spoken: 'the identity of this machine (application default credentials)',
        shareWith: 'the service account of this machine',
        isPerson: false,
      };
  }
}
