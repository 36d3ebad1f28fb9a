import { defineFeature } from '../../platform/feature/feature.ts'
import { regionRoutes } from './routes.ts'

export const regionFeature = defineFeature({ routes: [regionRoutes] })
