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
    lacksSecrets: false,
  }))

/** What cannot be brought back. */
export const undoWarnings = (inverse: readonly Step[]): Warning[] =>
  inverse
    .filter(({ kind, isRestored }) => kind === 'status_page' && !isRestored)
    .filter(({ action, after }) => action === 'update' && after?.visibility === 'password')
    .map(({ kind, name }) => ({ kind, text: `${name}: if its password was changed, the earlier one is not brought back` }))
