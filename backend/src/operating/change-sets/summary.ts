import type { ChangeSummary } from '@vedette/shared'
import { type Principal, type Tenant, unsignedMember } from '../../access/auth/index.ts'
import { parseId } from '../../platform/ids.ts'
import { type Kind, type Kinds, readableBy } from './kinds.ts'
import type { Plan, Step } from './plan.ts'
import { toStep } from './wire.ts'

// What a change set does, in short. All pure.

/** As many steps stand in a list. */
const SAID = 5

export const summaryOf = ({ steps, unchanged, moved }: Pick<Plan, 'steps' | 'unchanged' | 'moved'>): ChangeSummary => {
  const count = (...actions: Step['action'][]) =>
    steps.filter(({ action, refused }) => refused === null && actions.includes(action)).length
  return {
    create: count('create'),
    update: count('update', 'adopt'),
    delete: count('delete'),
    unchanged,
    refused: steps.filter(({ refused }) => refused !== null).length,
    moved: moved.length,
  }
}

/** Who sees the least. */
export const viewerOf = (tenant: Tenant): Principal => unsignedMember('', { tenant, role: 'viewer', needsSecondFactor: false })

/** The first steps in words. A list shows what anybody may read. */
export const saysOf = (kinds: Kinds, tenant: Tenant, steps: readonly Step[]): string[] => {
  const viewer = viewerOf(tenant)
  const readable = readableBy(kinds, viewer)
  return steps
    .filter(({ kind }) => readable.has(kind))
    .slice(0, SAID)
    .map((step) => toStep(kinds, step, viewer).says)
}

export const resourcesOf = (kinds: Kinds, steps: readonly Step[]): string[] =>
  steps.flatMap(({ kind, id }) => (id === null ? [] : (parseId((kinds.get(kind) as Kind).idKind, id) ?? [])))
