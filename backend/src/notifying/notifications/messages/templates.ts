import { hash } from 'node:crypto'
import { HOUR_MS, oneLine, type TemplateField } from '@vedette/shared'
import { createBoundedThread } from '../../../platform/concurrency/bounded-thread.ts'
import { monotonicUs } from '../../../platform/time/monotonic.ts'
import type { Message } from './message.ts'
import type { Rendering, TemplateQuestion } from './template-engine.ts'
import { runbookOf } from './texts.ts'

/** CPU time. A template takes less than a millisecond; a loop over a large range takes longer. */
const MAX_RENDER_MS = 50
const MAX_HEAP_MB = 128
/** Characters; less where lines are made of them, which the thread of all requests does. */
const MAX_LENGTHS: Readonly<Record<TemplateField, number>> = {
  title_template: 100_000,
  text_template: 100_000,
  body_template: 1_000_000,
}

const FAULTS = {
  time: `it takes more than ${MAX_RENDER_MS} ms`,
  memory: `it takes more than ${MAX_HEAP_MB} MB`,
  ended: 'the thread that renders templates ended',
} as const

/** In the source folder, or in the bundle's folder. */
const file = new URL(import.meta.url.endsWith('.ts') ? './template-worker.ts' : './vedette-templates.mjs', import.meta.url)
const thread = createBoundedThread<TemplateQuestion, Rendering>(file, {
  cpuMs: MAX_RENDER_MS,
  memory: { maxOldGenerationSizeMb: MAX_HEAP_MB, maxYoungGenerationSizeMb: 8 },
})

/**
 * The text that the template of a field makes of a message. Bounded in time and memory; it never rejects. `isTrial`: it is about to be
 * stored or is only shown, so that messages come first.
 */
export const renderTemplate = (field: TemplateField, template: string, message: Message, isTrial = false): Promise<Rendering> =>
  renderValues(template, () => valuesOf(message), MAX_LENGTHS[field], isTrial)

/** The same of any values. */
export async function renderValues(
  template: string,
  valuesOf: () => object,
  maxLength: number,
  isTrial = false,
): Promise<Rendering> {
  // Without a tag or an output it is the text.
  if (!/\{[{%]/.test(template)) return { text: template }
  if (!isTrial && isSuspended(template)) return { text: '', fault: FAULTS.time }
  const outcome = await thread.run({ template, values: valuesOf(), maxLength }, { isUrgent: !isTrial })
  if ('answer' in outcome) return outcome.answer
  if (!isTrial) suspend(template)
  return { text: '', fault: FAULTS[outcome.failure] }
}

const MAX_SUSPENDED = 1_000
const SUSPENDED_US = HOUR_MS * 1_000
/** When templates that ended the thread may be rendered again, by their hash: at each message they would delay all others. */
const suspended = new Map<string, number>()

const keyOf = (template: string): string => hash('sha256', template)
const isSuspended = (template: string): boolean => (suspended.get(keyOf(template)) ?? -Infinity) > monotonicUs()

function suspend(template: string): void {
  const [oldest] = suspended.keys()
  if (oldest !== undefined && suspended.size >= MAX_SUSPENDED) suspended.delete(oldest)
  suspended.set(keyOf(template), monotonicUs() + SUSPENDED_US)
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
  runbook_url: runbookOf({ data }),
})

export interface TemplatedMessage {
  message: Message
  /** Why a template was not used. */
  fault: string | undefined
}

/** The message with the texts of its channel. Where a template fails or makes an empty text, the standard text stays. */
export async function withTemplates(
  message: Message,
  { title_template: title = '', text_template: text = '' }: Readonly<Partial<Record<TemplateField, string>>>,
  isTrial = false,
): Promise<TemplatedMessage> {
  const [titled, texted] = await Promise.all([
    renderTemplate('title_template', title, message, isTrial),
    renderTemplate('text_template', text, message, isTrial),
  ])
  const ownTitle = oneLine(titled.text)
  const ownText = texted.text.trim()
  const content = {
    ...message.content,
    ...(ownTitle !== '' && { title: ownTitle }),
    ...(ownText !== '' && { lines: ownText.split('\n').map(oneLine) }),
  }
  return { message: { ...message, content }, fault: titled.fault ?? texted.fault }
}
