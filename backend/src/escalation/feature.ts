import { defineFeature } from '../platform/feature/feature.ts'
import { escalationRoutes } from './routes.ts'

export const escalationFeature = defineFeature({ routes: [escalationRoutes] })
