import type { QuotaForm } from './quotas.ts';

/** Behaviour of Google that varies or is uncertain. All switches may be changed while running. */
export interface Switches {
  /** Restoring a deleted event (patch or update of a tombstone) answers 403 forbidden, as some accounts report. */
  reviveAnswers403: boolean;
  /** Deleted events show only kind, etag, id and status. */
  tombstonesMinimal: boolean;
  /** A series, its exceptions and its split parts have one etag and one `updated`: a change of one of them lists all of them. */
  seriesSharesVersion: boolean;
  /** The form of Calendar's quota refusals. */
  quotaForm: QuotaForm;
  /** Unknown and expired tokens get Calendar's older 401 body, without `status`. */
  hasBackend401: boolean;
  /** Every second page of an events list is empty although more follow. */
  emptyPages: boolean;
  /** Watch addresses must be https, without the exception for loopback. */
  httpsOnly: boolean;
  /** PATCH ignores If-Match (Google's guide names only update and delete). */
  patchIgnoresIfMatch: boolean;
}

export const defaultSwitches: Switches = {
  reviveAnswers403: false,
  tombstonesMinimal: false,
  seriesSharesVersion: true,
  quotaForm: '403',
  hasBackend401: false,
  emptyPages: false,
  httpsOnly: false,
  patchIgnoresIfMatch: false,
};
