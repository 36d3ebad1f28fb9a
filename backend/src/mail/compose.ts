import { oneLine } from '@vedette/shared'
import type { Mail } from '../platform/mail.ts'

export interface Letter {
  to: string
  subject: string
  /** Plain sentences; the link follows the first of them. */
  paragraphs: readonly string[]
  link?: string
}

/** The mail as text and as HTML. Names in it are user input: they cannot become headers or tags. */
export function composeMail({ to, subject, paragraphs, link }: Letter): Mail {
  const [first = '', ...rest] = paragraphs.map(oneLine)
  const href = link === undefined ? undefined : escapeHtml(link)
  const html = [escapeHtml(first), ...(href === undefined ? [] : [`<a href="${href}">${href}</a>`]), ...rest.map(escapeHtml)]
  return {
    to,
    subject: oneLine(subject),
    text: `${[first, ...(link === undefined ? [] : [link]), ...rest].join('\n\n')}\n`,
    html: html.map((paragraph) => `<p>${paragraph}</p>`).join(''),
  }
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string)
}
