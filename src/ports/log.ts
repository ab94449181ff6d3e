/** Structured logging: a constant message, fields beside it. Fields hold ids and codes, never a secret, phone, e-mail or name. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
