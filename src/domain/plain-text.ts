/** Google's own form writes HTML into descriptions: what people see of it. */
export function plainText(html: string): string {
  const lines = html.replaceAll(/<br\s*\/?>|<\/(?:p|div|li)>/gi, '\n').replaceAll(/<[^>]*>/g, '');
  return lines
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim();
}
