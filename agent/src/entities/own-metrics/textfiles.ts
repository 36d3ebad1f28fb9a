import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../process/files.ts'
import { messageOf } from '../../process/log.ts'
import { parseExposition, type Series } from './exposition.ts'

const MAX_FILES = 100
const MAX_FILE_BYTES = 1_048_576

/** `series` of all files, and why files or lines are left out. */
export interface Textfiles {
  series: Series[]
  faults: { file: string; line: number | undefined; reason: string }[]
}

/** All `*.prom` files of a folder, in the order of their names. A series that another file has is left out. Throws without the folder. */
export async function readTextfiles(folder: string): Promise<Textfiles> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.prom') && !name.startsWith('.')).sort()
  const result: Textfiles = { series: [], faults: [] }
  const known = new Set<string>()
  for (const name of names.slice(0, MAX_FILES)) {
    try {
      const { series, faults } = parseExposition(await readBounded(join(folder, name)))
      const fresh = series.filter((one) => !known.has(one.name))
      for (const one of fresh) known.add(one.name)
      result.series.push(...fresh)
      const [first] = faults
      if (first) result.faults.push({ file: name, line: first.line, reason: leftOut(first.message, faults.length) })
      const twice = series.find((one) => !fresh.includes(one))
      if (twice) result.faults.push({ file: name, line: undefined, reason: `${twice.name} is in another file too` })
    } catch (error) {
      // Replaced by its writer in this moment: the next reading has it.
      if (hasCode(error, 'ENOENT')) continue
      result.faults.push({
        file: name,
        line: undefined,
        reason: hasCode(error, 'ELOOP') ? 'is a link' : messageOf(error),
      })
    }
  }
  if (names.length > MAX_FILES)
    result.faults.push({ file: folder, line: undefined, reason: `more than ${MAX_FILES} files: the rest is left out` })
  return result
}

const leftOut = (reason: string, lines: number): string => (lines > 1 ? `${reason}, and ${lines - 1} other lines` : reason)

async function readBounded(path: string): Promise<string> {
  // A pipe would be waited for. Who may write into the folder must not choose a file that only the agent can read.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  try {
    const state = await file.stat()
    if (!state.isFile()) throw new Error('is no file')
    if (state.size > MAX_FILE_BYTES) throw new Error(`is larger than ${MAX_FILE_BYTES} bytes`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}
