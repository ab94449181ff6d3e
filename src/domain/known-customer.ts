/** What is asked of the customer of an appointment (platform API, Contact). */
export interface KnownCustomer {
  readonly lifecycle?: string;
  readonly name?: string;
}
