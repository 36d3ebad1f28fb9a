import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SaveFile } from '../api.ts'
import { SourceFault } from '../files.ts'
import { FETCH_LIMITS } from './limits.ts'
import { toSavedJson } from './without-secrets.ts'

export interface TargetFolder {
  save: SaveFile
  readonly files: number
  /** The folder is there with all of its files, or not at all. */
  finish(): void
  abandon(): void
}

/** Says that a folder is what an interrupted fetch left; holds the id of its process. */
const MARK = '.vedette-fetch'
const PRIVATE_FOLDER = 0o700
const PRIVATE_FILE = 0o600

/**
 * A folder that is filled next to its place as `<folder>.partial`, and gets its name at the end. What an interrupted fetch left there is
 * removed first. Only its owner can read the files. Throws SourceFault where the folder is not empty.
 */
export function openTargetFolder(folder: string): TargetFolder {
  const place = resolve(folder)
  const partial = `${place}.partial`
  refuseUsed(place)
  removeLeft(partial)
  mkdirSync(dirname(partial), { recursive: true, mode: PRIVATE_FOLDER })
  // Not recursively: what somebody else put there meanwhile is refused.
  mkdirSync(partial, { mode: PRIVATE_FOLDER })
  writeFileSync(join(partial, MARK), `${process.pid}\n`, { mode: PRIVATE_FILE, flag: 'wx' })
  let files = 0
  return {
    get files() {
      return files
    },
    save: (path, content) => {
      if (files >= FETCH_LIMITS.files) throw new SourceFault(`The account has more than ${FETCH_LIMITS.files} files`)
      const text = toSavedJson(content)
      if (Buffer.byteLength(text) > FETCH_LIMITS.answerBytes)
        throw new SourceFault(`${path}: would have more than ${FETCH_LIMITS.answerBytes} bytes`)
      const file = join(partial, path)
      mkdirSync(dirname(file), { recursive: true, mode: PRIVATE_FOLDER })
      writeFileSync(file, text, { mode: PRIVATE_FILE })
      files += 1
    },
    finish: () => {
      rmSync(join(partial, MARK))
      // Takes the place of an empty folder, and of no other one.
      renameSync(partial, place)
    },
    abandon: () => rmSync(partial, { recursive: true, force: true }),
  }
}

function refuseUsed(place: string): void {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (!stats) return
  if (!stats.isDirectory()) throw new SourceFault(`${place}: is no folder`)
  if (readdirSync(place).length > 0) throw new SourceFault(`${place}: is not empty; --fetch fills a new or an empty folder`)
}

function removeLeft(partial: string): void {
  const stats = lstatSync(partial, { throwIfNoEntry: false })
  if (!stats) return
  const owner = stats.isDirectory() && stats.uid === process.getuid?.() ? markOf(partial) : undefined
  if (owner === undefined) throw new SourceFault(`${partial}: is in the way; move it away`)
  if (owner !== process.pid && isRunning(owner))
    throw new SourceFault(`${partial}: the process ${owner} fetches into it; end it, or remove the folder`)
  rmSync(partial, { recursive: true })
}

/** Undefined: no fetch made the folder. One that was interrupted at once left an empty folder. */
function markOf(partial: string): number | undefined {
  if (readdirSync(partial).length === 0) return process.pid
  const mark = join(partial, MARK)
  return lstatSync(mark, { throwIfNoEntry: false })?.isFile() ? Number(readFileSync(mark, 'utf8')) || process.pid : undefined
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Of another user, which runs as well.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const FILE_NAME = /^[\w@+][\w.@+ -]{0,119}$/

/** Whether an id of the source can be part of a path of a file as it is. Pure. */
export const isFileName = (id: string): boolean => FILE_NAME.test(id)

/** A name of the source as the beginning of a file name: what may not be in one is a dash. Pure. */
export const fileNameOf = (name: string): string =>
  name
    .replaceAll(/[^\w.@+-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80)
