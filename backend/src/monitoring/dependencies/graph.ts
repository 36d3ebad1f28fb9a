import type { AlertTargetType, Dependency } from '@vedette/shared'

/** A monitor or server that depends on others. */
export interface Dependent {
  type: AlertTargetType
  id: string
  name: string
  tags: readonly string[]
  depends_on: readonly Dependency[]
}

/** Names a monitor, a server, or all of a type with a tag: `monitor id <id>`, `server tag <tag>`. */
export const keyOf = ({ type, id, tag }: Dependency): string => (id === undefined ? `${type} tag ${tag}` : `${type} id ${id}`)

/**
 * The things of a cycle, in its order, among those that these starts lead to; undefined where there is none. A tag leads to all
 * that have it. Each thing is visited once. Pure.
 */
export function findCycle(dependents: readonly Dependent[], starts: readonly string[]): Dependent[] | undefined {
  const things = new Map(dependents.map((thing) => [keyOf(thing), thing]))
  const tagged = new Map<string, string[]>()
  for (const [key, { type, tags }] of things)
    for (const tag of tags) tagged.set(keyOf({ type, tag }), [...(tagged.get(keyOf({ type, tag })) ?? []), key])
  const nextOf = (key: string): readonly string[] => tagged.get(key) ?? things.get(key)?.depends_on.map(keyOf) ?? []
  const done = new Set<string>()
  for (const start of starts) {
    // The path from the start, each with what is still to be visited behind it.
    const path = [{ key: start, next: [...nextOf(start)] }]
    const onPath = new Map([[start, 0]])
    for (let last = path.at(-1); last; last = path.at(-1)) {
      const key = last.next.pop()
      if (key === undefined) {
        path.pop()
        onPath.delete(last.key)
        done.add(last.key)
        continue
      }
      const from = onPath.get(key)
      if (from !== undefined) return path.slice(from).flatMap((step) => things.get(step.key) ?? [])
      if (done.has(key)) continue
      onPath.set(key, path.length)
      path.push({ key, next: [...nextOf(key)] })
    }
  }
  return undefined
}
