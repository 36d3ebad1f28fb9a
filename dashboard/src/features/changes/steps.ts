import type { ChangeStep, Difference } from '@vedette/shared'
import { changes } from '../../messages/changes.ts'
import { messages } from '../../messages/index.ts'

/** `assertions.0.value` of `/assertions/0/value`. */
export const fieldName = (path: string): string => path.slice(1).replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~')

/** A value of the API as a text. */
export function valueText(value: unknown): string {
  if (value === undefined || value === null || value === '') return changes.undo.none
  if (typeof value === 'boolean') return value ? messages.yes : messages.no
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value, null, 1)
}

/** What differs; all fields of what is created or deleted. */
export function fieldsOf({ before, after, differences }: ChangeStep): readonly Difference[] {
  if (before && after) return differences
  return Object.entries(before ?? after ?? {}).map(([name, value]) => ({
    path: `/${name}`,
    ...(before ? { from: value } : { to: value }),
  }))
}

const nameOf = ({ before, after, ref, id }: ChangeStep): string => {
  const { name, display_name: displayName } = after ?? before ?? {}
  return [name, displayName, ref, id].find((text) => typeof text === 'string') as string
}

const MAX_FIELDS = 5

/** What an undo of the step does. */
export function undoText(step: ChangeStep): string {
  const [name, { undo }] = [nameOf(step), changes]
  if (step.before === null) return undo.deleted(name)
  if (step.after === null) return undo.restored(name)
  const fields = step.differences.slice(0, MAX_FIELDS).map(({ path, from, to }) => {
    const [present, earlier] = [valueText(to), valueText(from)]
    return present === earlier ? fieldName(path) : `${fieldName(path)} ${present} → ${earlier}`
  })
  const more = step.differences.length - MAX_FIELDS
  if (more > 0) fields.push(changes.more(String(more)))
  return undo.changed(name, fields.join(', ') || undo.released)
}
