import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Before root reads or writes in a folder of another user: root becomes that user, for the rest of the process. What it writes then
 * belongs to the user of the service, and a link that they planted leads nowhere they may not go themselves. Throws for a folder of
 * root's own that others can write into. A missing folder counts as its nearest parent.
 */
export function becomeOwnerOf(folder: string): void {
  if (process.getuid?.() !== 0) return
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats) {
    if (dirname(folder) !== folder) becomeOwnerOf(dirname(folder))
    return
  }
  const { uid, gid, mode } = stats
  if (uid !== 0) {
    process.setgroups?.([gid])
    process.setgid?.(gid)
    process.setuid?.(uid)
    return
  }
  const isSticky = (mode & 0o1000) !== 0
  if (stats.isDirectory() && (mode & 0o022) !== 0 && !isSticky)
    throw new Error(`other users can write into ${folder} and could plant links there: run "chmod go-w ${folder}"`)
}
