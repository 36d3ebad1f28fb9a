/** Parts of Vedette that do not exist yet: a requirement that needs one may have no test. */
export const CAPABILITIES = ['agent', 'dashboard', 'packages'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** One line of docs/requirements.md. */
export interface Requirement {
  id: string
  demand: string
  /** Undefined: a test must hold it. */
  opensWith: Capability | undefined
}

/** An id anywhere in a text: `SERVER-11`. */
export const ID = /[A-Z]{2,}-\d{2,3}/

const ROW = new RegExp(`^\\| *(${ID.source}) *\\| *(\\S[^|]*?) *\\| *([^|\\s]*) *\\|$`)
const HEAD = /^\|(?: *(?:id|demand|opens with|-+) *\|){3}$/

/** Every requirement of the document, in order. Throws with all faults at once: no malformed line is skipped. */
export function parseRequirements(text: string): Requirement[] {
  const requirements: Requirement[] = []
  const faults: string[] = []
  const seen = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    if (!line.startsWith('|') || HEAD.test(line)) continue
    const [, id, demand, part = ''] = ROW.exec(line) ?? []
    const opensWith = CAPABILITIES.find((name) => name === part)
    if (id === undefined || demand === undefined) faults.push(`line ${index + 1} is malformed: ${line}`)
    else if (seen.has(id)) faults.push(`line ${index + 1}: ${id} is a duplicate`)
    else if (part !== '' && opensWith === undefined) faults.push(`line ${index + 1}: there is no part "${part}"`)
    else requirements.push({ id, demand, opensWith })
    if (id !== undefined) seen.add(id)
  }
  if (faults.length > 0) throw new Error(`docs/requirements.md:\n${faults.join('\n')}`)
  return requirements
}
