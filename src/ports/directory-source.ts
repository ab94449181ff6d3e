import type { Directory } from '../domain/directory.ts';

/** The platform's reference lists, kept fresh by somebody else. */
export interface DirectorySource {
  current(): Directory;
}
