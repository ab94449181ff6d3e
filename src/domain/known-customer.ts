/** What a filter asks of the customer of an appointment (platform API, Contact). */
export interface KnownCustomer {
  readonly lifecycle: string;
}
