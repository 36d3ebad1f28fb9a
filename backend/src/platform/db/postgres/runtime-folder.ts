import { chmod, constants, copyFile, link, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { assertOwnFolder } from '../../system/private-file.ts'
import type { Installation } from './installation.ts'
import { systemErrorCode } from './start-error.ts'

interface LibraryLink {
  source: string
  target: string
}

/**
 * A folder with the files of the package that the service account can read and that stays when node_modules is replaced below a
 * running server. Made under a temporary name and renamed: under the final name it is complete; the sizes reveal files that the disk
 * lost.
 * Returns the folder to run from. The caller holds the owner's lock: there is no second copier.
 */
export async function makeRuntimeFolder(installation: Installation, runtime: string): Promise<string> {
  if (installation.version === undefined) return installation.folder
  await mkdir(runtime, { recursive: true })
  assertOwnFolder(runtime)
  const target = join(runtime, `postgres-${installation.version}`)
  if (await isWhole(installation.folder, target)) return target
  const unfinished = `${target}.unfinished`
  await rm(unfinished, { recursive: true, force: true })
  await makeReadableFolder(runtime, '.')
  await placeTree(installation.folder, unfinished)
  await makeLinks(unfinished)
  await rm(target, { recursive: true, force: true })
  await rename(unfinished, target)
  return target
}

/** Removes the folders of former versions and of aborted runs, up to 60 MB each. */
export async function removeOtherRuntimes(runtime: string, current: string): Promise<void> {
  const entries = await readdir(runtime).catch(() => [])
  if (entries.length > 0) assertOwnFolder(runtime)
  const others = entries.map((entry) => join(runtime, entry)).filter((path) => path !== current)
  await Promise.all(others.map((path) => rm(path, { recursive: true, force: true })))
}

async function isWhole(source: string, copy: string): Promise<boolean> {
  const files = await filesBelow(source)
  const checks = files.map(async (file) => (await sizeOf(join(source, file))) === (await sizeOf(join(copy, file))))
  const links = (await readLinks(source)).map(async (link) => (await sizeOf(join(copy, link.target))) !== undefined)
  return (await Promise.all([...checks, ...links])).every(Boolean)
}

/** Follows links, so a link that leads nowhere has no size. */
async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

async function placeTree(source: string, target: string): Promise<void> {
  const files = await filesBelow(source)
  for (const folder of new Set(['.', ...files.map(dirname)])) await makeReadableFolder(target, folder)
  await Promise.all(files.map((file) => placeReadable(join(source, file), join(target, file))))
}

/** Modes are set by chmod: the umask of root is often 077, and the service account would be locked out. */
async function makeReadableFolder(root: string, folder: string): Promise<void> {
  const path = join(root, folder)
  await mkdir(path, { recursive: true })
  for (let each = path; each.startsWith(root); each = dirname(each)) await chmod(each, 0o755)
}

/**
 * A link takes no room, and outlives the package: installing another one makes new files. A file that the service account could not
 * read is copied, as is one that another user could change below a server of root.
 */
async function placeReadable(source: string, target: string): Promise<void> {
  const { mode, uid } = await stat(source)
  const needed = (mode & 0o111) !== 0 ? 0o755 : 0o644
  const isSafe = (mode & needed) === needed && (mode & 0o022) === 0 && (uid === 0 || uid === process.getuid?.())
  // On another disk there are no links.
  if (isSafe && (await link(source, target).then(isDone, isRefused))) return
  await copyFile(source, target, constants.COPYFILE_FICLONE)
  await chmod(target, needed)
}

const isDone = (): boolean => true
const isRefused = (): boolean => false

/** npm packages cannot carry links: the package lists them, and its install script, which makes them, is blocked by pnpm. */
async function makeLinks(folder: string): Promise<void> {
  const links = await readLinks(folder)
  await Promise.all(links.map((link) => symlink(relative(dirname(link.target), link.source), join(folder, link.target))))
}

/** Paths relative to the installation's folder. Where a package has no list (macOS may not need one) there are none. */
async function readLinks(folder: string): Promise<LibraryLink[]> {
  const text = await readFile(join(folder, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const listed = JSON.parse(text) as LibraryLink[]
  return listed.map((link) => ({ source: relative('native', link.source), target: relative('native', link.target) }))
}
