/** Numbers of calls, for benches and for tests about the number of calls. */
export interface GoogleStats {
  /** Calls that reached a method, including refused ones, without token requests. */
  calls: number;
  /** By method of the discovery documents: `events.insert`, `spreadsheets.values.get`. */
  callsByMethod: Record<string, number>;
  answersByStatus: Record<string, number>;
  /** Bodies of all answers, without headers. */
  bytesSent: number;
  tokenRequests: number;
  quotaRefusals: number;
  /** Number of mails that `sendUpdates` other than none would have sent. */
  mailsSent: number;
  /** Calls with `sendUpdates` other than none, even if the event had no guests. */
  notifyingCalls: number;
  pingsSent: number;
  faults: number;
}

export class Counts {
  calls = 0;
  bytesSent = 0;
  tokenRequests = 0;
  readonly callsByMethod: Record<string, number> = {};
  readonly answersByStatus: Record<string, number> = {};

  called(methodId: string): void {
    this.calls += 1;
    this.callsByMethod[methodId] = (this.callsByMethod[methodId] ?? 0) + 1;
  }

  answered(status: number): void {
    this.answersByStatus[status] = (this.answersByStatus[status] ?? 0) + 1;
  }

  reset(): void {
    this.calls = 0;
    this.bytesSent = 0;
    this.tokenRequests = 0;
    for (const record of [this.callsByMethod, this.answersByStatus])
      for (const key of Object.keys(record)) delete record[key];
  }
}
