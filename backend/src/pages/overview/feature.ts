import { defineFeature } from '../../platform/feature/feature.ts'
import { overviewRoutes } from './routes.ts'

export const overviewFeature = defineFeature({ routes: [overviewRoutes] })
