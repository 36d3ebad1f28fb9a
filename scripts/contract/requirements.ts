import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceTest } from './sources.ts'

/** One line of docs/requirements.md. */
export interface Requirement {
  id: string
  demand: string
}

/** An id anywhere in a text: `SERVER-11`. */
export const ID = /[A-Z]{2,}-\d{2,3}/

const ROW = new RegExp(`^\\| *(${ID.source}) *\\| *(\\S[^|]*?) *\\|(?: *\\S[^|]* *\\|)?$`)
const HEAD = /^\|(?: *(?:id|demand|test|-+) *\|){2,3}$/

/** Every requirement of the document, in order. Throws with all faults at once: no malformed line is skipped. */
export function parseRequirements(text: string): Requirement[] {
  const requirements: Requirement[] = []
  const faults: string[] = []
  const seen = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('|') || HEAD.test(line)) continue
    const [, id, demand] = ROW.exec(line) ?? []
    if (id === undefined || demand === undefined) faults.push(`line ${index + 1} is malformed: ${line}`)
    else if (seen.has(id)) faults.push(`line ${index + 1}: ${id} is a duplicate`)
    else requirements.push({ id, demand })
    if (id !== undefined) seen.add(id)
  }
  if (faults.length > 0) throw new Error(`docs/requirements.md:\n${faults.join('\n')}`)
  return requirements
}

/** Ids in test titles that are no requirement, by file. */
export function unknownIds(requirements: readonly Requirement[], tests: readonly SourceTest[]): string[] {
  const known = new Set(requirements.map(({ id }) => id))
  const unknown = tests.flatMap(({ file, ids }) => ids.filter((id) => !known.has(id)).map((id) => `${file} names ${id}: no line`))
  return [...new Set(unknown)]
}

/** Lines that no test names. */
export function untested(requirements: readonly Requirement[], tests: readonly Pick<SourceTest, 'ids'>[]): string[] {
  const named = new Set(tests.flatMap(({ ids }) => ids))
  return requirements.filter(({ id }) => !named.has(id)).map(({ id }) => id)
}

/** The areas whose lines are the titles of their tests, by the letters of their ids. */
const AREAS: Readonly<Record<string, string>> = {
  STATUS: 'Status pages',
  BEAT: 'Heartbeats',
  ESC: 'Escalation',
  DUTY: 'On-call',
  REPLAY: 'Replay',
  SLO: 'Objectives',
  IDP: 'Identity providers',
  PASSKEY: 'Passkeys',
  ENTITY: 'Entities',
  FORECAST: 'Forecast',
  CHAT: 'Buttons of chats',
  REPORT: 'Reports',
}

/** What is below it follows from the titles of tests. */
const GENERATED = '<!-- generated: node scripts/write-requirements.ts -->\n'

/** The prefixes of ids, `org_` and so on, from the source that declares them. */
export function readPrefixes(root: string): string[] {
  const [, list = ''] = /ID_PREFIX = \{\n([^}]*)\}/.exec(readFileSync(join(root, 'shared/src/wire/ids.ts'), 'utf8')) ?? []
  return [...list.matchAll(/^ {2}\w+: '(\w+)',$/gm)].map(([, prefix]) => `\`${prefix}_\``)
}

/** The document with what follows from other sources: the lines that are titles, and the prefixes of ids. */
export function withGenerated(document: string, tests: readonly SourceTest[], prefixes: readonly string[]): string {
  const at = document.indexOf(GENERATED)
  if (at < 0) throw new Error('docs/requirements.md has lost the line above what is generated')
  const written = document
    .slice(0, at)
    .replace(/^\| WIRE-05 \|.*$/m, `| WIRE-05 | The prefixes are ${prefixes.slice(0, -1).join(', ')} and ${prefixes.at(-1)}. |`)
  const sections = Object.entries(AREAS).map(([area, heading]) => {
    const rows = tests.flatMap((test) => rowsOf(test, area)).sort((one, other) => compareIds(one.id, other.id))
    const lines = rows.map(({ id, demand, file }) => `| ${id} | ${demand} | ${file} |`)
    return `\n## ${heading}\n\n| id | demand | test |\n| --- | --- | --- |\n${lines.join('\n')}\n`
  })
  return written + GENERATED + sections.join('')
}

const compareIds = (one: string, other: string): number => Number(one.split('-')[1]) - Number(other.split('-')[1])

function rowsOf({ file, titles, ids }: SourceTest, area: string) {
  const demand = sentenceOf(titles)
  return ids.filter((id) => id.startsWith(`${area}-`)).map((id) => ({ id, demand, file }))
}

/** A sentence of the titles of a test and of the blocks around it; what a table of cases fills in is an ellipsis. */
export function sentenceOf(titles: readonly string[]): string {
  const text = titles
    .map((title) => title.replace(new RegExp(` \\[${ID.source}[^\\]]*\\]$`), ''))
    .join(' ')
    .replaceAll(/%[sjid]/g, '…')
    .replaceAll('|', '/')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
}
