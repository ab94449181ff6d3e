import { assertNever } from '../../domain/errors.ts';
import { wellFormed } from '../../domain/plain-text.ts';

/** Where the text of a template goes: plain text, the HTML of a description, or a URL. */
export type Destination = 'text' | 'html' | 'url';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text so that HTML shows it as it is. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** The same for text that may end up inside an attribute. */
export function escapeAttribute(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

export interface Escaping {
  /** Escapes the value of each `{{ }}`. */
  readonly escapeValue: (value: unknown) => string;
  /** Liquid's own filters that escape. Their output is not escaped again. */
  readonly filters: Readonly<Record<string, (value: unknown) => string>>;
}

/**
 * How values are escaped on their way out of a `{{ }}`; undefined: not at all. Google shows descriptions as HTML (Calendar API, Events:
 * "Can contain HTML"), so text from customers must not become links or markup there. The template itself stays as the operator wrote it.
 * Quotes matter only inside attributes: without markup in the template, a name keeps its apostrophe.
 */
export function escapeFor(destination: Destination, source: string): Escaping | undefined {
  switch (destination) {
    case 'text':
      return undefined;
    case 'html': {
      const toHtml = source.includes('<') ? escapeAttribute : escapeHtml;
      const escapeValue = (value: unknown) => toHtml(asLiquidShows(value));
      return { escapeValue, filters: { escape: escapeValue, xml_escape: escapeValue } };
    }
    case 'url':
      return { escapeValue: encode, filters: { url_encode: encode, cgi_escape: encode, uri_escape: encode } };
    default:
      return assertNever(destination, 'destination of a template');
  }
}

function encode(value: unknown): string {
  return encodeURIComponent(wellFormed(asLiquidShows(value)));
}

function asLiquidShows(value: unknown): string {
  if (value === null || value === undefined) return '';
  return Array.isArray(value) ? value.map(asLiquidShows).join('') : String(value);
}
