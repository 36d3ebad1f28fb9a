import { tryReadText } from '../process/files.ts'
import { type ListFolder, listFolder, toNumber } from './device-files.ts'
import { toReading } from './reading.ts'
import type { EntityReading, EntitySource } from './source.ts'

/** Errors that memory controllers counted since the boot, from EDAC. Absent without a driver for them. */
export class MemoryErrorSource implements EntitySource {
  readonly name = 'memory errors'
  readonly #folder: string
  readonly #list: ListFolder

  constructor(sysRoot: string, list: ListFolder = listFolder) {
    this.#list = list
    this.#folder = `${sysRoot}/devices/system/edac/mc`
  }

  read(): Promise<EntityReading[]> {
    const controllers = this.#list(this.#folder).filter((name) => /^mc\d+$/.test(name))
    const readings = controllers.map((name) => {
      const text = (file: string) => tryReadText(`${this.#folder}/${name}/${file}`)?.trim()
      const counts = { corrected_errors: toNumber(text('ce_count')), uncorrected_errors: toNumber(text('ue_count')) }
      return toReading('memory', name, counts, { type: text('mc_name') })
    })
    return Promise.resolve(readings)
  }
}
