/** Renders the templates of one entry of `bookings`. */
export interface BookingTemplates {
  /** Trimmed; empty where nothing is there. Throws `TerminalError` (`template-failed`) when it cannot be rendered for what was seen. */
  text(source: string, fields: Readonly<Record<string, unknown>>): string;
}
