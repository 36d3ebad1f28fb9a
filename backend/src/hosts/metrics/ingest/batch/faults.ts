import type { ErrorDetail } from '@vedette/shared'

/** Enough to mend a body by; a body of a million faults must not become an answer of a million lines. */
const MAX_DETAILS = 20

/** The push as a whole is refused and nothing of it is stored; the sender must not send it again as it is. */
export class PushFault extends Error {
  override readonly name = 'PushFault'
  readonly details: ErrorDetail[]

  constructor(details: ErrorDetail[]) {
    super('the push is not valid')
    this.details = details
  }
}

/** Collects what is wrong with a body; paths are dotted, as in `batches.0.columns.cpu.percent.3`. */
export class Faults {
  readonly #details: ErrorDetail[] = []

  /** Throws PushFault with all that was found as soon as that is enough. */
  add(path: string, message: string): void {
    this.#details.push({ path, message })
    if (this.#details.length >= MAX_DETAILS) this.throwIfAny()
  }

  get count(): number {
    return this.#details.length
  }

  throwIfAny(): void {
    if (this.#details.length > 0) throw new PushFault(this.#details)
  }
}

export type Fields = Readonly<Record<string, unknown>>

/** An object of a parsed JSON body; arrays are none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A path below another; the top has the empty path. */
export function below(path: string, name: string | number): string {
  return path === '' ? `${name}` : `${path}.${name}`
}
