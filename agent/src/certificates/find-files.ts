import type { Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { posix } from 'node:path'

/** Names of folders that one search reads at most, and files that it finds. */
const [MAX_NAMES, MAX_FILES] = [20_000, 500]
/** Folders below each other that `**` goes into. */
const MAX_DEPTH = 8
const WILDCARD = /[*?[\]{}]/

/** The files below `root` whose paths match an absolute pattern, sorted; `isCut`: there are more than 500, or too many to look through. */
export async function findFiles(pattern: string, root = ''): Promise<{ paths: string[]; isCut: boolean }> {
  const search = { root, names: 0, found: new Set<string>(), isCut: false }
  const segments = pattern.replaceAll('\\', '/').split('/')
  await visit(search, segments[0] ?? '', segments.slice(1), 0)
  return { paths: [...search.found].toSorted(), isCut: search.isCut }
}

interface Search {
  root: string
  names: number
  found: Set<string>
  isCut: boolean
}

/** `path` has no slash at its end; whether a path without wildcards is there is seen when it is read. */
async function visit(search: Search, path: string, segments: readonly string[], depth: number): Promise<void> {
  const [segment, ...rest] = segments
  if (segment === undefined) {
    if (search.found.size < MAX_FILES) search.found.add(path)
    else search.isCut = true
    return
  }
  if (segment === '' || segment === '.') return visit(search, path, rest, depth)
  if (segment === '**') return visitBelow(search, path, rest, depth)
  if (!WILDCARD.test(segment)) return visit(search, `${path}/${segment}`, rest, depth)
  for (const entry of await listFolder(search, path)) {
    const isFolderLike = !entry.isFile()
    if (!posix.matchesGlob(entry.name, segment) || (rest.length > 0 && !isFolderLike)) continue
    // What is neither a file nor a link to one is not read: pipes and devices may wait or act.
    if (rest.length === 0 && !entry.isFile() && !entry.isSymbolicLink()) continue
    await visit(search, `${path}/${entry.name}`, rest, depth)
  }
}

/** No links are followed here, so that the search ends. */
async function visitBelow(search: Search, path: string, rest: readonly string[], depth: number): Promise<void> {
  await visit(search, path, rest.length === 0 ? ['*'] : rest, depth)
  if (depth >= MAX_DEPTH) return
  for (const entry of await listFolder(search, path))
    if (entry.isDirectory() && !entry.name.startsWith('.')) await visitBelow(search, `${path}/${entry.name}`, rest, depth + 1)
}

async function listFolder(search: Search, path: string): Promise<Dirent[]> {
  if (search.names > MAX_NAMES) {
    search.isCut = true
    return []
  }
  try {
    const entries = await readdir(`${search.root}${path}/`, { withFileTypes: true })
    search.names += entries.length + 1
    return entries
  } catch {
    // Gone, no folder, or not for this user: nothing matches there.
    return []
  }
}
