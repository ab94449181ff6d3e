import type { QuotaForm } from './quotas.ts';

/** Behaviours of Google that differ from day to day, or that nobody knows for sure. All may be changed while running. */
export interface Switches {
  /** Bringing a deleted event back (patch or update of a tombstone) answers 403 forbidden, as some accounts report. */
  reviveAnswers403: boolean;
  /** Deleted events show nothing but kind, etag, id and status. */
  tombstonesMinimal: boolean;
  /** How Calendar refuses for quota. */
  quotaForm: QuotaForm;
  /** Unknown and expired tokens get Calendar's older 401 body, without `status`. */
  hasBackend401: boolean;
  /** Every second page of an events list is empty although more follow. */
  emptyPages: boolean;
  /** Watch addresses must be https, without the exception for loopback. */
  httpsOnly: boolean;
  /** If-Match is not looked at on PATCH (Google's guide names only update and delete). */
  patchIgnoresIfMatch: boolean;
}

export const defaultSwitches: Switches = {
  reviveAnswers403: false,
  tombstonesMinimal: false,
  quotaForm: '403',
  hasBackend401: false,
  emptyPages: false,
  httpsOnly: false,
  patchIgnoresIfMatch: false,
};
