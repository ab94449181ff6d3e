/** Where a command reads from and writes to; arrives from outside so that a test can look. */
export interface Console {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
}
