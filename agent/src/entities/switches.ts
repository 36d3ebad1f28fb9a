import { join } from 'node:path'
import { OPTIONAL_SOURCES, type OptionalSource } from '@vedette/shared/entities/sources'
import { tryReadText, writeAtomic } from '../process/files.ts'
import { type Log, messageOf } from '../process/log.ts'

/**
 * What the backend has switched off. It can only take away: a source that the config does not allow does not exist here, and an
 * unknown name is ignored. Kept in the state folder, so that the first reading after a restart leaves it out too.
 */
export class SourceSwitches {
  readonly #path: string
  readonly #log: Log
  #off: ReadonlySet<OptionalSource>

  constructor(stateDir: string, log: Log) {
    this.#path = join(stateDir, 'sources-off.json')
    this.#log = log
    this.#off = new Set(parse(tryReadText(this.#path)))
  }

  isOff(source: OptionalSource | undefined): boolean {
    return source !== undefined && this.#off.has(source)
  }

  /** From the answer to a push; undefined: nothing is off. */
  apply(given: unknown = []): void {
    const off = known(given)
    if (off.length === this.#off.size && off.every((source) => this.#off.has(source))) return
    this.#off = new Set(off)
    this.#log('info', 'the backend switched sources', { off: off.join(', ') || 'none' })
    try {
      writeAtomic(this.#path, JSON.stringify(off))
    } catch (error) {
      this.#log('warn', 'cannot store which sources are off: a restart reads them until its first push', {
        reason: messageOf(error),
      })
    }
  }
}

function parse(text = '[]'): OptionalSource[] {
  try {
    return known(JSON.parse(text))
  } catch {
    // A file that is not ours to read is as good as none: the next answer writes it again.
    return []
  }
}

const known = (given: unknown): OptionalSource[] =>
  Array.isArray(given) ? OPTIONAL_SOURCES.filter((source) => given.includes(source)) : []
