import type { BatchState } from '@vedette/shared'
import type { BatchHeader } from './segment.ts'

/**
 * What takes the place of a batch that the backend refuses: the batch without the parts of its state that `faults` name; else two halves
 * of its samples, the state with the second, because it belongs to the newest sample; else the sample without the state. Empty if the
 * batch is one sample alone: only that is lost. `numbers` are those of its samples, ascending; `faults` are paths within the batch. Each part has the id
 * of the batch until it gets its own. Pure.
 */
export function divideBatch(header: BatchHeader, numbers: readonly number[], faults: readonly string[]): BatchHeader[] {
  const { first, last, batch_id, sent_at, agent_version, ...state } = header
  const base = { first, last, batch_id, sent_at, agent_version }
  const rest = withoutFaults(state, faults)
  if (rest) return [{ ...base, ...rest }]
  const middle = numbers[Math.ceil(numbers.length / 2)]
  if (numbers.length > 1 && middle !== undefined)
    return [
      { ...base, last: middle - 1 },
      { ...base, first: middle, ...state },
    ]
  return Object.keys(state).length > 0 ? [base] : []
}

/** The state without what the paths name; undefined if they name nothing of it. */
function withoutFaults(state: BatchState, faults: readonly string[]): BatchState | undefined {
  const rest: Record<string, unknown> = structuredClone({ ...state })
  // Of what is named in a list first the last, so that the other indexes stay.
  const removed = faults.toSorted(byDescendingIndex).filter((path) => removePath(rest, path.split('.')))
  return removed.length > 0 ? rest : undefined
}

const byDescendingIndex = (one: string, other: string): number => indexOf(other) - indexOf(one)
const indexOf = (path: string): number => Number(/\.(\d+)(?:\.|$)/.exec(path)?.[1] ?? -1)

/** Removes the smallest part that may be absent: a value or text of an entity, a field of the host, else the entry of a list. */
function removePath(state: Record<string, unknown>, [name = '', key, ...inner]: readonly string[]): boolean {
  const part = Object.hasOwn(state, name) ? state[name] : undefined
  if (part === undefined) return false
  if (Array.isArray(part)) {
    const index = Number(key)
    const entry: unknown = key === undefined ? undefined : part[index]
    if (entry === undefined) return delete state[name]
    const [group = '', field] = inner
    const fields = group !== '' && Object.hasOwn(entry as object, group) ? (entry as Record<string, unknown>)[group] : undefined
    if (field !== undefined && typeof fields === 'object' && fields !== null && Object.hasOwn(fields, field))
      return delete (fields as Record<string, unknown>)[field]
    part.splice(index, 1)
    return true
  }
  if (typeof part === 'object' && part !== null && key !== undefined && Object.hasOwn(part, key))
    return delete (part as Record<string, unknown>)[key]
  return delete state[name]
}
