import { defineFeature } from '../../platform/feature/feature.ts'
import { setupRoutes } from './routes.ts'

export const setupFeature = defineFeature({ routes: [setupRoutes] })
