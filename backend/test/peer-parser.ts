import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { requiresAll } from '../../scripts/test-tools.ts'

/** Debian's Python finds Debian's packages; another Python earlier in PATH does not. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** True, with a message, where Debian's packages python3-feedparser and python3-icalendar are missing. */
export function areParsersMissing(): boolean {
  if (spawnSync(PYTHON, ['-c', 'import feedparser, icalendar']).status === 0) return false
  const missing = 'python3-feedparser or python3-icalendar'
  if (requiresAll()) throw new Error(`TEST_REQUIRE_ALL is set; missing on this machine: ${missing}`)
  console.warn(`skipped, missing on this machine: ${missing}`)
  return true
}

const TO_JSON = 'json.dumps(result, default=lambda value: value.isoformat() if hasattr(value, "isoformat") else str(value))'

/** Runs Python with `text` on its standard input as `data`; what it leaves in `result` is returned. */
export function parseByPython(script: string, text: string): unknown {
  const program = `import json, sys\ndata = sys.stdin.buffer.read()\n${script}\nprint(${TO_JSON})`
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', program], { input: text, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
