import { defineFeature } from '../../platform/feature/feature.ts'
import { reportRoutes } from './routes.ts'

export const reportFeature = defineFeature({ routes: [reportRoutes] })
