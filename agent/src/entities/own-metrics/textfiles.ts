import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../process/files.ts'
import { messageOf } from '../../process/log.ts'
import { ExpositionError, parseExposition, type Series } from './exposition.ts'

const MAX_FILES = 100
const MAX_FILE_BYTES = 1_048_576

/** `series` of the files that are valid, each taken as a whole, and why others are not. */
export interface Textfiles {
  series: Series[]
  faults: { file: string; line: number | undefined; reason: string }[]
}

/** All `*.prom` files of a folder, in the order of their names. A file with a series of another is left out. Throws without the folder. */
export async function readTextfiles(folder: string): Promise<Textfiles> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.prom') && !name.startsWith('.')).sort()
  const result: Textfiles = { series: [], faults: [] }
  const known = new Set<string>()
  for (const name of names.slice(0, MAX_FILES)) {
    try {
      const parsed = parseExposition(await readBounded(join(folder, name)))
      const twice = parsed.find((series) => known.has(series.name))
      if (twice) throw new Error(`${twice.name} is in another file too`)
      for (const series of parsed) known.add(series.name)
      result.series.push(...parsed)
    } catch (error) {
      // Replaced by its writer in this moment: the next reading has it.
      if (hasCode(error, 'ENOENT')) continue
      result.faults.push({
        file: name,
        line: error instanceof ExpositionError ? error.line : undefined,
        reason: messageOf(error),
      })
    }
  }
  if (names.length > MAX_FILES)
    result.faults.push({ file: folder, line: undefined, reason: `more than ${MAX_FILES} files: the rest is left out` })
  return result
}

async function readBounded(path: string): Promise<string> {
  // A pipe would be waited for.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const state = await file.stat()
    if (!state.isFile()) throw new Error('is no file')
    if (state.size > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
