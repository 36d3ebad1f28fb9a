import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { requiresAll } from '../../scripts/test-tools.ts'

/** Debian's Python finds Debian's packages; another Python earlier in PATH does not. */
const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** True, with a message, where one of these packages of Debian is missing: `feedparser` is that of python3-feedparser. */
export function areParsersMissing(modules: readonly string[] = ['feedparser', 'icalendar']): boolean {
  if (spawnSync(PYTHON, ['-c', `import ${modules.join(', ')}`]).status === 0) return false
  const missing = modules.map((name) => `python3-${name}`).join(' or ')
  if (requiresAll()) throw new Error(`TEST_REQUIRE_ALL is set; missing on this machine: ${missing}`)
  console.warn(`skipped, missing on this machine: ${missing}`)
  return true
}

const TO_JSON = 'json.dumps(result, default=lambda value: value.isoformat() if hasattr(value, "isoformat") else str(value))'

/** Runs Python with `text` on its standard input as `data`; what it leaves in `result` is returned. */
export function parseByPython(script: string, text: string): unknown {
  const program = `import json, sys\ndata = sys.stdin.buffer.read()\n${script}\nprint(${TO_JSON})`
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', program], { input: text, encoding: 'utf8', maxBuffer: 2 ** 28 })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}
