import { defineFeature } from '../../platform/feature/feature.ts'
import { forecastRoutes } from './routes.ts'

export const forecastFeature = defineFeature({ routes: [forecastRoutes] })
