import { defineFeature } from '../../platform/feature/feature.ts'
import { organizationRoutes } from './routes.ts'

export const organizationFeature = defineFeature({ routes: [organizationRoutes] })
