import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'

/** A fault of a file of the source, with its path. */
export class SourceFault extends Error {}

/** Files of JSON by their paths in the folder, as `schedules/shop-4a.json`, and calendars (`.ics`) as texts. */
export type SourceFiles = ReadonlyMap<string, unknown>

const MAX_FILES = 50_000
const MAX_FILE_BYTES = 64 * 1024 * 1024

/** All JSON and all calendars of a folder, in the order of its paths; links are not followed. Throws SourceFault. */
export function readSourceFiles(folder: string): SourceFiles {
  if (!lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new SourceFault(`${folder}: is no folder`)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && (isJson(entry.name) || isCalendar(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  if (!paths.some(isJson)) throw new SourceFault(`${folder}: has no file whose name ends in .json`)
  if (paths.length > MAX_FILES) throw new SourceFault(`${folder}: has ${paths.length} files, and may have ${MAX_FILES}`)
  return new Map(
    paths.map((path) => [relative(folder, path).split(sep).join('/'), isJson(path) ? readJson(path) : readText(path)]),
  )
}

const isJson = (path: string): boolean => path.toLowerCase().endsWith('.json')
const isCalendar = (path: string): boolean => path.toLowerCase().endsWith('.ics')

function readText(path: string): string {
  const { size } = lstatSync(path)
  if (size > MAX_FILE_BYTES) throw new SourceFault(`${path}: has ${size} bytes, and may have ${MAX_FILE_BYTES}`)
  return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
}

function readJson(path: string): unknown {
  const text = readText(path)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SourceFault(`${path}: is no JSON: ${(error as Error).message}`, { cause: error })
  }
}
