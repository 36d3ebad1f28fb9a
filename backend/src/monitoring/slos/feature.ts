import { withLongStatements } from '../../platform/db/index.ts'
import { defineFeature } from '../../platform/feature/feature.ts'
import { createSloEvaluation, type EvaluationDeps } from './evaluate.ts'
import { sloRoutes } from './routes.ts'

export const sloFeature = defineFeature({
  routes: [sloRoutes],
  jobs: (context: EvaluationDeps) => {
    const evaluateDue = createSloEvaluation(context)
    return {
      /** Evaluates burn rates. The shortest window is five minutes; alerts over longer ones are evaluated less often. */
      evaluateSlos: {
        name: 'burn rates of SLOs',
        everyMs: 30_000,
        lease: { name: 'SLOs', holdMs: 90_000 },
        run: () => withLongStatements(evaluateDue),
      },
    }
  },
})
