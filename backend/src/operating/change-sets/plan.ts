import {
  type ChangeAction,
  CONFIGURATION_KINDS,
  type ConfigurationKind,
  type ConfigurationResource,
  type CreateChangeSetBody,
  type ErrorDetail,
  type Managed,
} from '@vedette/shared'
import type { Configured, Spec } from '../../access/auth/index.ts'
import { mapWithPauses } from '../../platform/concurrency/map-with-pauses.ts'
import { encodeId } from '../../platform/ids.ts'
import { ID_KINDS } from './declarations.ts'
import { changedFields, differencesBetween } from './differences.ts'
import type { Kind, Kinds } from './kinds.ts'
import { kindOfReference, referencesIn, withIds } from './references.ts'
import { isKept, keepSecrets } from './secrets.ts'

// What has to change so that the configuration is as it is wanted. All pure, but for the pauses.

/** What happens to one resource. Ids are those of the API; a resource that is created in the same set is a reference. */
export interface Step {
  action: ChangeAction
  kind: ConfigurationKind
  ref: string | null
  id: string | null
  name: string
  before: Spec | null
  after: Spec | null
  managedBefore: Managed | null
  managed: Managed | null
  /** Dotted paths of secrets that are kept as they are: nobody has given them. */
  kept: readonly string[]
  refused: string | null
  /** A deleted resource comes back. */
  isRestored?: boolean
  /** Before has none of its secrets: what is given replaces all of it. */
  hasLostSecrets?: boolean
}

export interface Plan {
  steps: Step[]
  unchanged: number
  /** Where resources stand in the files that do not change themselves. */
  moved: { kind: ConfigurationKind; id: string; managed: Managed }[]
  warnings: Warning[]
}

/** What somebody should know of a resource. Who may not read its kind does not see it. */
export interface Warning {
  kind: ConfigurationKind
  text: string
}

/** Of those whose secrets no configured secret decrypts. */
export const secretWarnings = (kind: ConfigurationKind, resources: readonly Configured[]): Warning[] =>
  resources
    .filter(({ lost }) => lost)
    .map(({ name }) => ({
      kind,
      text: `${name}: its secrets cannot be decrypted with the secrets of this installation: enter them again`,
    }))

export type Current = ReadonlyMap<ConfigurationKind, readonly Configured[]>

/** The faults of a spec by its schema. */
export type Validate = (kind: Kind, spec: Spec) => readonly ErrorDetail[]

interface Match {
  wanted: ConfigurationResource
  found: Configured | undefined
}

export async function planChanges(kinds: Kinds, current: Current, body: CreateChangeSetBody, validate: Validate): Promise<Plan> {
  const { owner } = body
  const matches = matchAll(current, body)
  const idOf = createIdOf(current, owner, matches)
  const steps: Step[] = []
  const moved: Plan['moved'] = []
  let unchanged = 0
  const compared = await mapWithPauses(matches, (match) =>
    stepOf(kinds.get(match.wanted.kind) as Kind, owner, match, idOf, validate),
  )
  for (const step of compared) {
    if (step.action === 'update' && step.refused === null && isSame(step)) {
      unchanged += 1
      if (step.id !== null && step.managed && differencesBetween(step.managedBefore ?? {}, step.managed).length > 0)
        moved.push({ kind: step.kind, id: step.id, managed: step.managed })
    } else steps.push(step)
  }
  const kept = new Set(matches.flatMap(({ found }) => (found ? [found.id] : [])))
  const pruned = body.prune ? deletionsOf(kinds, current, owner, kept) : []
  const warnings = matches.flatMap(({ wanted, found }) => (found ? secretWarnings(wanted.kind, [found]) : []))
  return { steps: [...inOrder(steps), ...pruned], unchanged, moved, warnings }
}

const isSame = ({ before, after }: Step): boolean => differencesBetween(before ?? {}, after ?? {}).length === 0

/** The stored resource of each that is wanted: by its ref, else one that is managed nowhere, by its name. */
function matchAll(current: Current, { owner, resources }: CreateChangeSetBody): Match[] {
  const own = new Map<string, Configured>()
  for (const [kind, all] of current)
    for (const one of all) if (one.managed?.owner === owner) own.set(`${kind} ${one.managed.ref}`, one)
  const byRef = resources.map((wanted) => ({ wanted, found: own.get(`${wanted.kind} ${wanted.ref}`) }))
  const taken = new Set(byRef.flatMap(({ found }) => found?.id ?? []))
  const free = new Map<string, Configured[]>()
  for (const [kind, all] of current)
    for (const one of all)
      if (one.managed === null)
        for (const name of one.aliases ?? [one.name]) free.set(`${kind} ${name}`, [...(free.get(`${kind} ${name}`) ?? []), one])
  return byRef.map(({ wanted, found }) => {
    if (found) return { wanted, found }
    const name = wanted.kind === 'server_settings' ? wanted.ref : wanted.spec.name
    const adopted = (free.get(`${wanted.kind} ${String(name)}`) ?? []).find(({ id }) => !taken.has(id))
    if (adopted) taken.add(adopted.id)
    return { wanted, found: adopted }
  })
}

/** The id behind a reference; null: it is created in this set; undefined: nothing has it. */
type IdOf = (reference: string) => string | null | undefined

function createIdOf(current: Current, owner: string, matches: readonly Match[]): IdOf {
  const ids = new Map<string, string | null>()
  const isOwn = ({ managed }: Configured) => managed?.owner === owner
  for (const [kind, all] of current)
    for (const one of [...all].sort((left, right) => Number(isOwn(left)) - Number(isOwn(right)))) {
      const id = encodeId(ID_KINDS[kind], one.id)
      if (one.managed) ids.set(`${kind}:${one.managed.ref}`, id)
      for (const alias of one.aliases ?? []) if (!ids.has(`${kind}:${alias}`)) ids.set(`${kind}:${alias}`, id)
    }
  for (const { wanted, found } of matches)
    ids.set(`${wanted.kind}:${wanted.ref}`, found ? encodeId(ID_KINDS[wanted.kind], found.id) : null)
  return (reference) => ids.get(reference)
}

/** Ids that nobody has, another one for each reference: lists may have none twice. */
function createStandIns(): (reference: string) => string {
  const numbers = new Map<string, number>()
  return (reference) => {
    const number = numbers.get(reference) ?? numbers.size
    numbers.set(reference, number)
    const uuid = `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`
    return encodeId(ID_KINDS[kindOfReference(reference) as ConfigurationKind], uuid)
  }
}

function stepOf(kind: Kind, owner: string, { wanted, found }: Match, idOf: IdOf, validate: Validate): Step {
  const faults: ErrorDetail[] = []
  const spec = withIds(wanted.spec, (reference, path) => {
    const id = idOf(reference)
    if (id === undefined) faults.push({ path: path.join('.'), message: `nothing has the ref ${reference}` })
    return id ?? undefined
  })
  const secrets = keepSecrets(found ? kind.keepOmitted(spec, found.spec) : spec, found?.spec)
  faults.push(...secrets.missing.map((path) => ({ path, message: 'is a secret that must be given: none is stored' })))
  // A reference to what is created in this set is an id of its kind by then.
  const tried = withIds(secrets.spec, createStandIns())
  if (faults.length === 0) faults.push(...validate(kind, tried))
  if (faults.length === 0) faults.push(...kind.ownFaults(tried))
  const isComplete = faults.length === 0 || (found !== undefined && isOnlyLost(kind, found, secrets.spec, faults))
  if (isComplete) faults.length = 0
  // What is refused cannot be shown: only what is complete can be masked.
  const after = isComplete ? kind.complete(secrets.spec, found?.spec) : null
  const { source } = wanted
  const step: Step = {
    action: found === undefined ? 'create' : found.managed === null ? 'adopt' : 'update',
    kind: kind.kind,
    ref: wanted.ref,
    id: found ? encodeId(kind.idKind, found.id) : null,
    name: typeof wanted.spec.name === 'string' ? wanted.spec.name : (found?.name ?? wanted.ref),
    before: found?.spec ?? null,
    after,
    managedBefore: found?.managed ?? null,
    managed: { owner, ref: wanted.ref, file: source?.file ?? null, line: source?.line ?? null },
    kept: after ? kind.secretsIn(after).filter((path) => isKept(spec, path)) : [],
    refused: null,
    ...(found?.lost && { hasLostSecrets: true }),
  }
  if (found === undefined && kind.isRegistered) faults.push({ path: '', message: `no server has the name ${wanted.ref}` })
  if (found && after) faults.push(...fixedFaults(kind, found.spec, after))
  const [first] = faults
  return first ? { ...step, refused: `${first.path === '' ? '' : `spec.${first.path}: `}${first.message}` } : step
}

/** Whether the path is one of those, or below it. */
export const isBelow = (path: string, above: readonly string[]): boolean =>
  above.some((one) => path === one || path.startsWith(`${one}.`))

/** Whether nothing is wrong but that secrets which are to be kept cannot be decrypted: it stays as it is. */
const isOnlyLost = (kind: Kind, { spec, lost = [] }: Configured, wanted: Spec, faults: readonly ErrorDetail[]): boolean =>
  faults.every(({ path }) => isBelow(path, lost)) && differencesBetween(spec, kind.complete(wanted, spec)).length === 0

/** Fields that a resource has for ever. */
function fixedFaults(kind: Kind, before: Spec, after: Spec): ErrorDetail[] {
  return [...changedFields(before, after)]
    .filter((name) => !kind.changeable.has(name))
    .map((path) => ({ path, message: 'cannot be changed: delete the resource, or give the new one another ref' }))
}

/** Each step after those that create what it refers to; in a cycle the last one is refused. */
function inOrder(steps: readonly Step[]): Step[] {
  const byReference = new Map<string, Step>(
    steps.flatMap((step) => (step.ref === null ? [] : [[`${step.kind}:${step.ref}`, step] as const])),
  )
  const byKind = CONFIGURATION_KINDS.flatMap((kind) => steps.filter((step) => step.kind === kind))
  const ordered = new Set<Step>()
  const refused = new Map<Step, string>()
  const visit = (step: Step, above: readonly Step[]): void => {
    if (ordered.has(step)) return
    if (above.includes(step)) {
      const names = [...above.slice(above.indexOf(step)), step].map(({ name }) => name)
      refused.set(step, `depends on itself: ${names.join(' → ')}`)
      return
    }
    for (const { reference } of step.after ? referencesIn(step.after) : []) {
      const needed = byReference.get(reference)
      if (needed) visit(needed, [...above, step])
    }
    ordered.add(step)
  }
  for (const step of byKind) visit(step, [])
  return [...ordered].map((step) => ({ ...step, refused: step.refused ?? refused.get(step) ?? null }))
}

/** Deletes what the owner has no more, what refers to others first. */
function deletionsOf(kinds: Kinds, current: Current, owner: string, kept: ReadonlySet<string>): Step[] {
  return [...kinds.values()]
    .toReversed()
    .flatMap((kind) =>
      (current.get(kind.kind) ?? [])
        .filter(({ id, managed }) => managed?.owner === owner && !kept.has(id))
        .map((found) => deletionOf(kind, found)),
    )
}

function deletionOf(kind: Kind, { id, name, spec, managed }: Configured): Step {
  const step = {
    kind: kind.kind,
    ref: managed?.ref ?? null,
    id: encodeId(kind.idKind, id),
    name,
    before: spec,
    kept: [],
    refused: null,
  }
  // A server goes on to push: only what was said of it ends.
  if (kind.isRegistered)
    return { ...step, action: 'update', after: kind.complete({}, spec), managedBefore: managed, managed: null }
  return { ...step, action: 'delete', after: null, managedBefore: managed, managed: null }
}
