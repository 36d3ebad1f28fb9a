/** The characters that mean something in HTML and XML. */
export const HTML_ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text for HTML and its attributes. Pure. */
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => HTML_ENTITIES[character] as string)
