import type { Directory } from '../domain/directory.ts';

/** The platform's reference lists, kept fresh by somebody else. */
export interface DirectorySource {
  current(): Directory;
}

/** The same for who must not go by lists of some minutes ago. */
export interface FreshDirectory extends DirectorySource {
  /** As they were at this moment (epoch milliseconds) or later; read anew when what is known is older. Rejects with the three error families. */
  readSince(sinceMs: number): Promise<Directory>;
}
