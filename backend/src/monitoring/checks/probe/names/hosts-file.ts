import { readFileSync, statSync } from 'node:fs'
import { isIP } from 'node:net'

const SYSTEM_HOSTS_FILE = process.platform === 'win32' ? 'C:\\Windows\\System32\\drivers\\etc\\hosts' : '/etc/hosts'

/** The names of the hosts file, which c-ares does not read. */
export interface HostsFile {
  /** In the order of the file; empty for unknown names. */
  addressesOf(name: string): readonly string[]
}

/**
 * Reads the file again when it has changed. Checking its times takes some microseconds and does not block, except for a hosts
 * file on a network mount.
 */
export function openHostsFile(path: string = SYSTEM_HOSTS_FILE): HostsFile {
  let names = new Map<string, string[]>()
  let version: string | undefined
  function refresh(): void {
    const found = versionOf(path)
    if (found === version) return
    version = found
    names = found === undefined ? new Map() : parseHosts(readText(path))
  }
  return {
    addressesOf(name) {
      refresh()
      return names.get(name.toLowerCase()) ?? []
    },
  }
}

function versionOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stat && `${stat.mtimeNs} ${stat.ctimeNs} ${stat.size} ${stat.ino}`
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // Deleted or unreadable meanwhile: no names until it changes again.
    return ''
  }
}

export function parseHosts(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    if (isIP(address) === 0) continue
    for (const name of names) {
      const addresses = found.get(name)
      if (!addresses) found.set(name, [address])
      else if (!addresses.includes(address)) addresses.push(address)
    }
  }
  return found
}
