import { defineFeature } from '../../platform/feature/feature.ts'
import { escalationPolicyRoutes, recipientRoutes } from './routes.ts'

export const escalationFeature = defineFeature({ routes: [escalationPolicyRoutes, recipientRoutes] })
