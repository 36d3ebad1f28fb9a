import type { Kinds } from './kinds.ts'
import type { Step, Warning } from './plan.ts'

// Steps taken back. All pure.

/** The steps that bring back what was, in their order: what came last goes first. */
export const inverseOf = (steps: readonly Step[]): Step[] =>
  steps.toReversed().map(({ before, after, managedBefore, managed, ...step }) => ({
    ...step,
    action: before === null ? 'delete' : after === null ? 'create' : 'update',
    isRestored: before !== null && after === null,
    before: after,
    after: before,
    managedBefore: managed,
    managed: managedBefore,
    kept: [],
    refused: null,
    hasLostSecrets: false,
  }))

const GONE =
  'was deleted more than 30 days ago: it is created again from what was recorded, with another id, without its history, and without what only it had'
/** Servers register themselves. */
export const STAYS_AWAY = 'a deleted server does not come back: it registers again'

/** What an undo does not bring back. `isGone`: whether a deleted resource can no longer be restored. */
export function undoWarnings(kinds: Kinds, inverse: readonly Step[], isGone: (step: Step) => boolean): Warning[] {
  return inverse.flatMap((step) =>
    lossesOf(kinds, step, isGone).map((loss) => ({ kind: step.kind, text: `${step.name}: ${loss}` })),
  )
}

function lossesOf(kinds: Kinds, step: Step, isGone: (step: Step) => boolean): string[] {
  const hasPassword = step.kind === 'status_page' && step.after?.visibility === 'password'
  if (!step.isRestored)
    return hasPassword && step.action === 'update' ? ['if its password was changed, the earlier one is not brought back'] : []
  if (kinds.get(step.kind)?.isRegistered) return [STAYS_AWAY]
  if (!isGone(step)) return []
  return [GONE, ...(hasPassword ? ['its password is not brought back: nobody can open it before it has a new one'] : [])]
}
