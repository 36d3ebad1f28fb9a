import { readFileSync } from 'node:fs'

/** What macOS and others allow at least, once Node has raised the soft limit to the hard one. */
const UNKNOWN_LIMIT = 10_240

/** How many files and sockets this process may have open. */
export function openFilesLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
    return soft === undefined || soft === 'unlimited' ? UNKNOWN_LIMIT : Number(soft)
  } catch {
    return UNKNOWN_LIMIT // not a Linux
  }
}
