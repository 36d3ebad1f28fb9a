import {
  type Configuration,
  type ConfigurationQuery,
  type ConfigurationResource,
  type Difference,
  type Drift,
  MASK,
  toTimestamp,
} from '@vedette/shared'
import { toActor } from '../../access/audit/index.ts'
import { type Configured, type Principal, type Spec, tenantOf } from '../../access/auth/index.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import { readContent } from './content.ts'
import { ID_KINDS } from './declarations.ts'
import { compareTexts, differencesBetween } from './differences.ts'
import { type Kind, readableBy } from './kinds.ts'
import { type Current, isBelow, secretWarnings } from './plan.ts'
import { withReferences } from './references.ts'
import type { ChangeSetDeps } from './deps.ts'
import { readConfiguration } from './propose.ts'
import { viewerOf } from './summary.ts'
import { findLastChanges, findLastOfOwner } from './store.ts'
import { shownDifferences } from './wire.ts'

type Deps = Pick<ChangeSetDeps, 'db' | 'kinds'>

/** A text as a ref. Pure. */
const toRef = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/[^A-Za-z0-9._/-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 180)

/** The ref of each resource, by the id of the API: its own, else one that its name makes. Pure. */
export function refsOf(current: Current): Map<string, string> {
  const refs = new Map<string, string>()
  for (const [kind, all] of current) {
    const used = new Set<string>()
    const unique = (wanted: string): string => {
      for (let number = 1; ; number += 1) {
        const ref = number === 1 ? wanted : `${wanted}-${number}`
        if (!used.has(ref)) return ref
      }
    }
    const byAge = all.toSorted((one, other) => (one.id < other.id ? -1 : 1))
    for (const one of [...byAge.filter(({ managed }) => managed), ...byAge.filter(({ managed }) => !managed)]) {
      const id = encodeId(ID_KINDS[kind], one.id)
      const ref = unique(one.managed?.ref ?? (toRef(one.name) || id))
      used.add(ref)
      refs.set(id, ref)
    }
  }
  return refs
}

/** Each mask as a placeholder that says which variable of the environment has the value. Pure. */
function withPlaceholders(value: unknown, name: string): unknown {
  if (value === MASK) return { from: `env:${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}` }
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((part: unknown, index) => withPlaceholders(part, `${name}_${index}`))
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withPlaceholders(part, `${name}_${key}`)]))
}

/** Everything that the organization has, as a change set takes it. */
export async function getConfiguration(
  deps: Deps,
  principal: Principal,
  { owner, kind: only }: ConfigurationQuery,
): Promise<Configuration> {
  const tenant = tenantOf(principal)
  // Files go where more people read than here.
  const viewer = viewerOf(tenant)
  const kinds = readableBy(deps.kinds, principal)
  const current = await readConfiguration({ ...deps, kinds }, tenant)
  const refs = refsOf(current)
  const chosen = [...kinds.values()]
    .filter(({ kind }) => only === undefined || only === kind)
    .map((kind) => {
      const all = (current.get(kind.kind) ?? []).filter(({ managed }) => owner === undefined || managed?.owner === owner)
      return { kind, all: all.filter((one) => one.managed !== null || !isUntouched(kind, one)) }
    })
  const resources = chosen.flatMap(({ kind, all }) => all.map((one) => toResource(kind, one, refs, viewer)))
  return {
    resources: resources.toSorted((one, other) => (one.kind === other.kind ? compareTexts(one.ref, other.ref) : 0)),
    warnings: chosen.flatMap(({ kind, all }) => secretWarnings(kind.kind, all)).map(({ text }) => text),
  }
}

/** A server that registered, and of which nobody has said anything. */
const isUntouched = (kind: Kind, { spec }: Configured): boolean =>
  kind.isRegistered && differencesBetween(spec, kind.complete({}, undefined)).length === 0

function toResource(kind: Kind, one: Configured, refs: ReadonlyMap<string, string>, principal: Principal): ConfigurationResource {
  const ref = refs.get(encodeId(kind.idKind, one.id)) as string
  const refOf = (id: string) => {
    const own = refs.get(id)
    const target = Object.entries(ID_KINDS).find(([, idKind]) => parseId(idKind, id) !== undefined)
    return own === undefined || !target ? undefined : `${target[0]}:${own}`
  }
  const shown = withPlaceholders(kind.mask(one.spec, principal), `${kind.kind}_${ref}`) as Spec
  const { file = null, line = null } = one.managed ?? {}
  return {
    kind: kind.kind,
    ref,
    spec: withReferences(shown, refOf),
    ...(file !== null && line !== null && { source: { file, line } }),
  }
}

/** What is not as its owner last applied it. */
export async function getDrift(
  { db, encrypter, ...deps }: Omit<ChangeSetDeps, 'clock'>,
  principal: Principal,
  owner: string,
): Promise<Drift> {
  const tenant = tenantOf(principal)
  const kinds = readableBy(deps.kinds, principal)
  const current = await readConfiguration({ db, kinds }, tenant)
  const owned = [...current].flatMap(([kind, all]) =>
    all.filter(({ managed }) => managed?.owner === owner).map((one) => ({ kind: kinds.get(kind) as Kind, one })),
  )
  const ids = owned.map(({ one }) => one.id)
  const applied = new Map<string, Spec>()
  const unknown = new Set<string>()
  for (const { id, content_encrypted: encrypted, resources } of await findLastOfOwner(db, tenant.number, owner, ids)) {
    const content = readContent(encrypter, id, encrypted)
    if (!content) for (const resource of resources) unknown.add(resource)
    for (const step of content?.steps ?? [])
      if (step.id !== null && step.after && !applied.has(step.id)) applied.set(step.id, step.after)
  }
  const changes = await findLastChanges(db, tenant.number, ids)
  const resources = owned.flatMap(({ kind, one }) => {
    const id = encodeId(kind.idKind, one.id)
    const wanted = unknown.has(one.id) ? one.spec : (applied.get(id) ?? one.spec)
    const differences = differencesOf(kind, wanted, one, principal)
    if (differences.length === 0) return []
    const change = changes.get(one.id)
    const by = change && {
      actor_id: change.actorId,
      actor_name: change.person?.name ?? null,
      actor_email: change.person?.email ?? null,
    }
    return [
      {
        kind: kind.kind,
        ref: one.managed?.ref ?? '',
        id,
        changed_at: change ? toTimestamp(change.at.getTime()) : null,
        changed_by: change && by ? toActor(change.kind, by) : null,
        differences,
      },
    ]
  })
  const warnings = owned.flatMap(({ kind, one }) => [
    ...secretWarnings(kind.kind, [one]).map(({ text }) => text),
    ...(unknown.has(one.id) ? [`${one.name}: what ${owner} last applied cannot be decrypted: apply it again`] : []),
  ])
  return { resources, warnings }
}

/** A secret that cannot be decrypted has not changed. */
const differencesOf = (kind: Kind, wanted: Spec, { spec, lost = [] }: Configured, principal: Principal): Difference[] =>
  shownDifferences(kind, wanted, spec, principal).filter(({ path }) => !isBelow(path.slice(1).replaceAll('/', '.'), lost))
