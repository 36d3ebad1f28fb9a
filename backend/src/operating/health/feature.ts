import { defineFeature } from '../../platform/feature/feature.ts'
import { healthRoutes } from './routes.ts'

export const healthFeature = defineFeature({ routes: [healthRoutes] })
