import { monitorEncrypter } from '../monitors/index.ts'
import { defineFeature, withEncrypter } from '../../platform/feature/feature.ts'
import { probeRoutes } from './routes.ts'

export const probeFeature = defineFeature({ routes: [withEncrypter(monitorEncrypter, probeRoutes)] })
