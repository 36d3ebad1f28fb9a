import { readFileSync, statSync } from 'node:fs'

const FILE = '/etc/resolv.conf'
/** As many as the C library takes. */
const MAX_DOMAINS = 6

/** What the system says of its name servers, beyond what c-ares reads by itself. */
export interface SystemConfig {
  /** Another one whenever the file has changed. */
  version: string
  /** Behind names that are not found as they stand. */
  searchDomains: readonly string[]
}

let kept: SystemConfig = { version: '', searchDomains: [] }

/** Reads the file again when it has changed; a look at its times costs some microseconds. */
export function readSystemConfig(): SystemConfig {
  const stat = statSync(FILE, { bigint: true, throwIfNoEntry: false })
  const version = stat ? `${stat.mtimeNs} ${stat.ino}` : 'none'
  if (version !== kept.version) kept = { version, searchDomains: stat ? parseSearchDomains(readText()) : [] }
  return kept
}

function readText(): string {
  try {
    return readFileSync(FILE, 'utf8')
  } catch {
    // Gone since the look.
    return ''
  }
}

/** The last `search` or `domain` line counts. */
export function parseSearchDomains(text: string): string[] {
  const lines = text.split('\n').flatMap((line) => /^\s*(?:search|domain)\s+(.+)$/.exec(line)?.[1] ?? [])
  const domains = (lines.at(-1) ?? '').trim().split(/\s+/)
  return domains.filter((domain) => /^[A-Za-z0-9_.-]+$/.test(domain) && domain !== '.').slice(0, MAX_DOMAINS)
}
