import { CaptureTag, type Context, Liquid } from 'liquidjs'

export interface Rendering {
  text: string
  /** Why it could not be rendered; `text` is empty then. */
  fault?: string
}

export interface TemplateQuestion {
  template: string
  /** The names that it may use. */
  values: object
  /** Of the text, characters. */
  maxLength: number
}

/** Values and characters that a template may make while it is rendered. */
const MAX_MEMORY = 1_000_000
const MEMORY_FAULT = 'memory alloc limit exceeded'

/** The library does not count what a block captures: doubled 26 times, it is a text that V8 ends the whole process for. */
class BoundedCapture extends CaptureTag {
  override *render(context: Context): Generator<unknown, void, string> {
    yield* super.render(context)
    const { [this.variable]: text } = context.bottom() as Record<string, string | undefined>
    context.memoryLimit.use(text?.length ?? 0)
  }
}

/**
 * The size of a value as text, with all arrays and objects within it; more than `max` is not counted to the end. Each value counts once
 * for each level above it, as JSON may be indented. Pure.
 */
function isLarger(value: unknown, max: number): boolean {
  const waiting: [value: unknown, depth: number][] = [[value, 1]]
  let size = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [one, depth] = next
    size += typeof one === 'string' ? one.length : depth
    if (size > max) return true
    if (typeof one !== 'object' || one === null) continue
    for (const part of Array.isArray(one) ? one : Object.values(one)) waiting.push([part, depth + 1])
    if (waiting.length > max) return true
  }
  return false
}

// No files, no other templates, and nothing of JavaScript's own properties. Liquid has no way to run code.
const engine = new Liquid({ templates: {}, ownPropertyOnly: true, strictFilters: true, memoryLimit: MAX_MEMORY })
engine.registerTag('capture', BoundedCapture)
for (const [name, filter] of Object.entries(engine.filters)) {
  const { handler, raw } = typeof filter === 'function' ? { handler: filter, raw: false } : filter
  engine.registerFilter(name, {
    raw,
    // Arrays that contain one array several times are small until something makes a text of them.
    *handler(value: unknown, ...args: unknown[]) {
      const result: unknown = yield handler.apply(this, [value, ...args])
      if (isLarger(result, MAX_MEMORY)) throw new Error(MEMORY_FAULT)
      return result
    },
  })
}

/** The text that a template makes of values. Bounded in memory and not in time; it never throws. */
export function renderBounded({ template, values, maxLength }: TemplateQuestion): Rendering {
  try {
    // Its filters cut by UTF-16 units.
    const text = String(engine.parseAndRenderSync(template, values)).toWellFormed()
    if (text.length <= maxLength) return { text }
    return { text: '', fault: `it makes more than ${maxLength.toLocaleString('en')} characters` }
  } catch (error) {
    return { text: '', fault: faultOf(error) }
  }
}

function faultOf(error: unknown): string {
  // The other lines show the template around the error.
  const [line = ''] = error instanceof Error ? error.message.split('\n') : [String(error)]
  if (!line.startsWith(MEMORY_FAULT)) return line
  return `it makes more than ${MAX_MEMORY.toLocaleString('en')} values and characters on the way${line.slice(MEMORY_FAULT.length)}`
}
