import { writeFileSync } from 'node:fs'
import process from 'node:process'

/** Sets the name in ps, top and systemd, at most 15 characters; Linux shows the name of Node's main thread otherwise. */
export function nameProcess(name: string): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/comm', name)
  } catch {
    // Without a writable /proc the name stays Node's, which changes nothing else.
  }
}
