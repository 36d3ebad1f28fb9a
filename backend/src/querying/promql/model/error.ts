/** `bad_data`: the query itself is wrong. `execution`: it cannot be computed. `timeout`, `canceled`: it was ended. */
export type PromqlErrorKind = 'bad_data' | 'execution' | 'timeout' | 'canceled'

/** Its message may be answered to the caller. */
export class PromqlError extends Error {
  readonly kind: PromqlErrorKind
  /** Offset in the expression, in UTF-16 units. */
  readonly position: number | undefined

  constructor(kind: PromqlErrorKind, message: string, position?: number) {
    super(message)
    this.name = 'PromqlError'
    this.kind = kind
    this.position = position
  }
}

/** The error of a syntax or type, as Prometheus words it: `1:5: parse error: …`. */
export function parseError(expression: string, position: number, message: string): PromqlError {
  const lines = expression.slice(0, position).split('\n')
  const column = (lines.at(-1) ?? '').length + 1
  return new PromqlError('bad_data', `${lines.length}:${column}: parse error: ${message}`, position)
}

export const executionError = (message: string): PromqlError => new PromqlError('execution', message)
