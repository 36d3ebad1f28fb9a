import { defineFeature } from '../../platform/feature/feature.ts'
import { dashboardRoutes } from './routes.ts'

export const dashboardFeature = defineFeature({ routes: [dashboardRoutes] })
