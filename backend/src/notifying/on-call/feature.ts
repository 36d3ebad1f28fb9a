import { defineFeature } from '../../platform/feature/feature.ts'
import { scheduleCalendarRoutes } from './shift-feed-routes.ts'
import { scheduleRoutes, shiftRoutes } from './routes.ts'

export const onCallFeature = defineFeature({ routes: [scheduleRoutes, shiftRoutes, scheduleCalendarRoutes] })
