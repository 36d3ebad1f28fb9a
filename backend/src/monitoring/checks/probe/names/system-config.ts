import { readFileSync, statSync } from 'node:fs'

const FILE = '/etc/resolv.conf'

/** The parts of the resolver configuration that c-ares does not read. */
export interface SystemConfig {
  /** Changes with every change of the file. */
  version: string
  /** Appended to names that do not exist unchanged. */
  searchDomains: readonly string[]
}

let cached: SystemConfig = { version: '', searchDomains: [] }

/** Reads the file again when it has changed; checking its times takes some microseconds. */
export function readSystemConfig(): SystemConfig {
  const stat = statSync(FILE, { bigint: true, throwIfNoEntry: false })
  const version = stat ? `${stat.mtimeNs} ${stat.ino}` : 'none'
  if (version !== cached.version) cached = { version, searchDomains: stat ? parseSearchDomains(readText()) : [] }
  return cached
}

function readText(): string {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    // Deleted meanwhile.
    return ''
  }
}

/** The last `search` or `domain` line applies. The C library has no limit since glibc 2.26, and Kubernetes writes up to 32. */
export function parseSearchDomains(text: string): string[] {
  const lines = text.split('\n').flatMap((line) => /^\s*(?:search|domain)\s+(.+)$/.exec(line)?.[1] ?? [])
  const domains = (lines.at(-1) ?? '').trim().split(/\s+/)
  return domains.filter((domain) => /^[A-Za-z0-9_.-]+$/.test(domain) && domain !== '.')
}
