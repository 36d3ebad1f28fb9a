import { EventEmitter } from 'node:events'

/** The socket, as far as limits of silence use it. */
export class Wire extends EventEmitter {
  limitMs = 0
  readonly #destroyed: (error: Error) => void
  constructor(destroyed: (error: Error) => void) {
    super()
    this.#destroyed = destroyed
  }
  setTimeout(ms: number): this {
    this.limitMs = ms
    return this
  }
  setKeepAlive(): this {
    return this
  }
  destroy(error: Error = terminated()): this {
    this.#destroyed(error)
    return this
  }
}

/** As the driver says it. */
export const terminated = (): Error => new Error('Connection terminated unexpectedly')
