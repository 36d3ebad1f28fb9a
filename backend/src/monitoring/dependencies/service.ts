import type { AlertTargetType, Dependency } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { invalid } from '../../platform/errors.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import { type Dependent, findCycle, keyOf } from './graph.ts'
import { findExisting, lockDependencies, readDependents } from './graph-store.ts'

/** Levels of things that depend on things. Each is one statement in the search for cycles. */
const MAX_LEVELS = 16
/** The search reads no more things that depend on others. */
const MAX_SEARCHED = 5_000

/** A list of dependencies in a request, and its path: `depends_on` or `create.3.depends_on`. */
export interface GivenDependencies {
  path: string
  depends_on: readonly Dependency[]
}

/**
 * The given lists with stored ids, in order. Throws validation_error, the same for malformed, unknown and other organizations' ids.
 */
export async function resolveDependencies(
  db: Db,
  organization: number,
  given: readonly GivenDependencies[],
): Promise<Dependency[][]> {
  const parse = ({ type, id: text }: Dependency): Dependency[] => {
    const id = text === undefined ? undefined : parseId(type, text)
    return id === undefined ? [] : [{ type, id }]
  }
  const existing = await findExisting(
    db,
    organization,
    given.flatMap(({ depends_on }) => depends_on.flatMap(parse)),
  )
  return given.map(({ path, depends_on }) => {
    const seen = new Set<string>()
    return depends_on.map((one, index) => {
      // Not the schema: comparing hostile objects there fails.
      if (seen.has(keyOf(one))) throw invalid({ path: `${path}.${index}`, message: 'must not be repeated' })
      seen.add(keyOf(one))
      if (one.id === undefined) return one
      const [parsed] = parse(one)
      if (parsed?.id !== undefined && existing.has(parsed.id)) return parsed
      throw invalid({ path: `${path}.${index}.id`, message: `is not a ${one.type} of this organization` })
    })
  })
}

/** A monitor or server whose dependencies or tags changed, and the path of what changed. */
export interface ChangedThing {
  type: AlertTargetType
  id: string
  path: string
}

/**
 * Refuses changes that closed a cycle, also through tags. Run it in the transaction of the changes, after them; things without
 * dependencies need not be given. Throws validation_error with the names of the things in the cycle.
 */
export async function refuseCycles(db: Db, organization: number, changed: readonly ChangedThing[]): Promise<void> {
  const [first] = changed
  if (!first) return
  await lockDependencies(db, organization)
  const dependents = await readGraph(db, organization, changed)
  if (dependents === undefined) {
    const message = `leads over more than ${MAX_LEVELS} levels, or to more than ${MAX_SEARCHED} things that depend on others`
    throw invalid({ path: first.path, message })
  }
  const cycle = findCycle(dependents, changed.map(keyOf))
  if (!cycle) return
  const inCycle = new Set(cycle.map(keyOf))
  const { path } = changed.find((one) => inCycle.has(keyOf(one))) ?? first
  const names = [...cycle, ...cycle.slice(0, 1)].map(({ name }) => name)
  throw invalid({ path, message: `closes a cycle of dependencies: ${names.join(' → ')}` })
}

/** All things with dependencies that these lead to; undefined where they are too many. */
async function readGraph(db: Db, organization: number, starts: readonly ChangedThing[]): Promise<Dependent[] | undefined> {
  const dependents = new Map<string, Dependent>()
  const searched = new Set<string>()
  let named: Dependency[] = starts.map(({ type, id }) => ({ type, id }))
  for (let level = 0; named.length > 0; level += 1) {
    if (level > MAX_LEVELS) return undefined
    const found = await readDependents(db, organization, named, MAX_SEARCHED + 1)
    for (const one of named) searched.add(keyOf(one))
    for (const one of found) dependents.set(keyOf({ type: one.type, id: one.id }), one)
    if (dependents.size > MAX_SEARCHED) return undefined
    const next = found.flatMap(({ depends_on }) => depends_on).filter((one) => !searched.has(keyOf(one)))
    named = [...new Map(next.map((one) => [keyOf(one), one])).values()]
  }
  return [...dependents.values()]
}

/** A function that shows stored lists as callers read them: with ids of the API, without deleted monitors and servers. */
export async function showDependencies(
  db: Db,
  organization: number,
  lists: readonly (readonly Dependency[])[],
): Promise<(list: readonly Dependency[]) => Dependency[]> {
  const existing = await findExisting(db, organization, lists.flat())
  return (list) =>
    list.flatMap(({ type, id, tag }): Dependency[] => {
      if (id === undefined) return [{ type, tag: tag as string }]
      return existing.has(id) ? [{ type, id: encodeId(type, id) }] : []
    })
}
