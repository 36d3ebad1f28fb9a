import { oneLine } from '@vedette/shared'
import { escapeHtml } from '../../platform/escape-html.ts'
import type { Mail } from '../../platform/mail.ts'

export interface Letter {
  to: string
  subject: string
  /** Plain sentences; the link follows the first of them. */
  paragraphs: readonly string[]
  link?: string
  /** After the link. */
  sections?: readonly Section[]
  /** URL that turns such mails off, for the last paragraph and for the button of mail programs. */
  unsubscribeUrl?: string
}

/** A heading with a sentence and a list. */
export interface Section {
  title: string
  text: string
  items: readonly { name: string; link: string; value: string }[]
}

/** The mail as text and as HTML. Names in it are user input: they cannot become headers or tags. */
export function composeMail({ to, subject, paragraphs, link, sections = [], unsubscribeUrl }: Letter): Mail {
  const [first = '', ...rest] = paragraphs.map(oneLine)
  const text = [first, ...present(link), ...sections.map(sectionText), ...rest, ...present(unsubscribeUrl)]
  const html = [
    ...[escapeHtml(first), ...present(link).map(anchor)].map(paragraph),
    ...sections.map(sectionHtml),
    ...[...rest.map(escapeHtml), ...present(unsubscribeUrl).map(anchor)].map(paragraph),
  ]
  return {
    to,
    subject: oneLine(subject),
    text: `${text.join('\n\n')}\n`,
    html: html.join(''),
    ...(unsubscribeUrl === undefined ? {} : { unsubscribeUrl }),
  }
}

const present = (text: string | undefined): string[] => (text === undefined ? [] : [text])
const paragraph = (html: string): string => `<p>${html}</p>`
const anchor = (url: string): string => linked(url, url)
const linked = (url: string, text: string): string => `<a href="${escapeHtml(url)}">${escapeHtml(text)}</a>`

const sectionText = ({ title, text, items }: Section): string =>
  [
    title.toUpperCase(),
    oneLine(text),
    ...items.map(({ name, link, value }) => `- ${oneLine(name)}: ${oneLine(value)}\n  ${link}`),
  ].join('\n')

function sectionHtml({ title, text, items }: Section): string {
  const list = items.map(({ name, link, value }) => `<li>${linked(link, oneLine(name))}: ${escapeHtml(oneLine(value))}</li>`)
  const end = list.length === 0 ? '' : `<ul>${list.join('')}</ul>`
  return `<h3>${escapeHtml(title)}</h3>${paragraph(escapeHtml(oneLine(text)))}${end}`
}
