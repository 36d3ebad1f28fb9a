import { type ChangeSet, type ChangeSetItem, type ChangeStep, MASK, toTimestamp } from '@vedette/shared'
import { toActor } from '../../access/audit/index.ts'
import { type Principal, restorableSince, type Spec } from '../../access/auth/index.ts'
import { encodeId } from '../../platform/ids.ts'
import type { Content } from './content.ts'
import { differencesBetween } from './differences.ts'
import { type Kind, type Kinds, readableBy } from './kinds.ts'
import type { Step, Warning } from './plan.ts'
import { sentenceOf } from './says.ts'
import type { ChangeSetRow } from './store.ts'
import { inverseOf, undoWarnings } from './undo.ts'

/** What differs, as a caller sees it: a secret that changed is a mask on both sides. Pure. */
export function shownDifferences(kind: Kind, before: Spec | null, after: Spec | null, principal: Principal) {
  const shown = (spec: Spec | null) => (spec ? kind.mask(spec, principal) : {})
  const visible = differencesBetween(shown(before), shown(after))
  const paths = visible.map(({ path }) => path)
  const secret = differencesBetween(before ?? {}, after ?? {}).filter(
    ({ path }) => !paths.some((known) => known === path || path.startsWith(`${known}/`) || known.startsWith(`${path}/`)),
  )
  const masked = secret.map(({ path, from, to }) => ({
    path,
    ...(from !== undefined && { from: MASK }),
    ...(to !== undefined && { to: MASK }),
  }))
  return [...visible, ...masked]
}

export function toStep(kinds: Kinds, step: Step, principal: Principal): ChangeStep {
  const kind = kinds.get(step.kind) as Kind
  const { action, ref, id, before, after, refused } = step
  const differences = action === 'update' || action === 'adopt' ? shownDifferences(kind, before, after, principal) : []
  return {
    action,
    kind: step.kind,
    ref,
    id,
    before: before && kind.mask(before, principal),
    after: after && kind.mask(after, principal),
    differences,
    says: sentenceOf(step, kind.noun, differences),
    refused,
  }
}

/** @param nowMs of the answer: proposals expire. */
function fieldsOf(row: ChangeSetRow, nowMs: number): Omit<ChangeSetItem, 'says'> {
  const timestamp = (at: Date | null) => at && toTimestamp(at.getTime())
  const person = (of: ChangeSetRow['maker'], id: string | null) => ({
    actor_id: id,
    actor_name: of?.name ?? null,
    actor_email: of?.email ?? null,
  })
  return {
    id: encodeId('changeSet', row.id),
    owner: row.owner,
    state:
      row.undone_by !== null
        ? 'undone'
        : row.applied_at !== null
          ? 'applied'
          : (row.expires_at?.getTime() ?? 0) > nowMs
            ? 'proposed'
            : 'expired',
    base: row.base,
    created_at: toTimestamp(row.created_at.getTime()),
    created_by: toActor(row.actor_kind, person(row.maker, row.actor_id)),
    expires_at: timestamp(row.expires_at),
    applied_at: timestamp(row.applied_at),
    applied_by: row.applied_actor_kind && toActor(row.applied_actor_kind, person(row.applier, row.applied_actor_id)),
    undoes: row.undoes && encodeId('changeSet', row.undoes),
    undone_by: row.undone_by && encodeId('changeSet', row.undone_by),
    // Older ones do not say what moved.
    summary: { ...row.summary, moved: row.summary.moved ?? 0 },
  }
}

export const toChangeSetItem = (row: ChangeSetRow, nowMs: number): ChangeSetItem => ({ ...fieldsOf(row, nowMs), says: row.says })

export function toChangeSet(kinds: Kinds, row: ChangeSetRow, content: Content, principal: Principal, nowMs: number): ChangeSet {
  const isGone = row.applied_at !== null && row.applied_at <= restorableSince(nowMs)
  const canUndo = row.applied_at !== null && row.undone_by === null
  const losses = canUndo ? undoWarnings(kinds, inverseOf(content.steps), () => isGone) : []
  return {
    ...fieldsOf(row, nowMs),
    ...toSteps(kinds, content, principal),
    undo_warnings: textsOf(readableBy(kinds, principal), losses),
  }
}

const textsOf = (readable: Kinds, warnings: readonly Warning[]): string[] =>
  warnings.filter(({ kind }) => readable.has(kind)).map(({ text }) => text)

/** What a caller may not read is not in their answer. */
export function toSteps(kinds: Kinds, { steps, warnings }: Pick<Content, 'steps' | 'warnings'>, principal: Principal) {
  const readable = readableBy(kinds, principal)
  return {
    steps: steps.filter(({ kind }) => readable.has(kind)).map((step) => toStep(kinds, step, principal)),
    warnings: textsOf(readable, warnings),
  }
}
