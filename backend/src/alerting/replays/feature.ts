import { defineFeature } from '../../platform/feature/feature.ts'
import { replayRoutes } from './routes.ts'

export const replayFeature = defineFeature({ routes: [replayRoutes] })
