/** The fields that the worker needs of an appointment's customer (platform API, Contact). */
export interface KnownCustomer {
  readonly lifecycle?: string;
  readonly name?: string;
}
