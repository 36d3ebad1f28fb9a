import { oneLine, type TemplateField } from '@vedette/shared'
import { Liquid } from 'liquidjs'
import type { Message } from './message.ts'

/** A template takes less than a millisecond; a loop over a large range takes longer. */
const MAX_RENDER_MS = 50
/** Values and characters that a template may make while it is rendered. */
const MAX_MEMORY = 1_000_000

// No files, no other templates, and nothing of JavaScript's own properties. Liquid has no way to run code.
const engine = new Liquid({
  templates: {},
  ownPropertyOnly: true,
  strictFilters: true,
  renderLimit: MAX_RENDER_MS,
  memoryLimit: MAX_MEMORY,
})

export interface Rendering {
  text: string
  /** Why it could not be rendered; `text` is empty then. */
  fault?: string
}

/** The text that a template makes of a message. Bounded in time and memory; it never throws. */
export function renderTemplate(template: string, message: Message): Rendering {
  try {
    // Its filters cut by UTF-16 units.
    return { text: String(engine.parseAndRenderSync(template, valuesOf(message))).toWellFormed() }
  } catch (error) {
    // The other lines show the template around the error.
    return { text: '', fault: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  }
}

/** The names that a template may use: documented in docs/api.md. */
const valuesOf = ({ id, type, atMs, content, link, data }: Message): object => ({
  ...data,
  id,
  event: type,
  at: new Date(atMs).toISOString(),
  title: content.title,
  lines: content.lines,
  text: content.lines.join('\n'),
  tone: content.tone,
  link,
})

export interface TemplatedMessage {
  message: Message
  /** Why a template was not used. */
  fault: string | undefined
}

/** The message with the texts of its channel. Where a template fails or makes an empty text, the standard text stays. */
export function withTemplates(
  message: Message,
  { title_template: title = '', text_template: text = '' }: Readonly<Partial<Record<TemplateField, string>>>,
): TemplatedMessage {
  const [titled, texted] = [renderTemplate(title, message), renderTemplate(text, message)]
  const ownTitle = oneLine(titled.text)
  const ownText = texted.text.trim()
  const content = {
    ...message.content,
    ...(ownTitle !== '' && { title: ownTitle }),
    ...(ownText !== '' && { lines: ownText.split('\n').map(oneLine) }),
  }
  return { message: { ...message, content }, fault: titled.fault ?? texted.fault }
}
