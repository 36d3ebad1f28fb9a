import { oneLine } from '@vedette/shared'
import { escapeHtml } from '../../platform/escape-html.ts'
import { type Language, translate, translatePart } from '../../platform/language/index.ts'
import type { Mail } from '../../platform/mail.ts'

export interface Letter {
  to: string
  /** Of the texts; without one they stay as they are. */
  language?: Language
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
export function composeMail(letter: Letter): Mail {
  const { to, subject, paragraphs, link, sections = [], unsubscribeUrl } = inLanguage(letter)
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

/** A heading and a value are words of the server; what is listed may have the name of a sentence. */
function inLanguage({ language = 'en', ...letter }: Letter): Letter {
  const sentence = (text: string) => translate(text, language)
  const part = (text: string) => translatePart(text, language)
  return {
    ...letter,
    subject: sentence(letter.subject),
    paragraphs: letter.paragraphs.map(sentence),
    sections: (letter.sections ?? []).map(({ title, text, items }) => ({
      title: part(title),
      text: part(text),
      items: items.map(({ name, link, value }) => ({ name: sentence(name), link, value: part(value) })),
    })),
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
